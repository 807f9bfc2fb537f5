{{ config(enabled=var('survey_export_using_response_keys')) }}

with snapshots as (

    select
        source_relation,
        snapshot_id,
        survey_id,
        max(number_of_keys) as number_of_keys,
        max(covered_from) as covered_from,
        max(covered_to) as covered_to,
        min(loaded_at) as loaded_at
    from (
        {{ dbt_survey_export.survey_export_records('response_key_snapshots', [
            ('text key', 'snapshot_id, survey_id'),
            ('bigint key', 'number_of_keys'),
            ('timestamp', 'covered_from'),
            ('timestamp key', 'covered_to'),
        ]) }}
    ) as finished
    group by source_relation, snapshot_id, survey_id

),

key_counts as (

    select
        source_relation,
        snapshot_id,
        survey_id,
        count(distinct response_uuid) as number_of_keys,
        min(loaded_at) as loaded_at
    from (
        {{ dbt_survey_export.survey_export_records('response_keys', [('text key', 'snapshot_id, survey_id, response_uuid')]) }}
    ) as loaded_keys
    group by source_relation, snapshot_id, survey_id

)

select
    snapshots.source_relation,
    snapshots.snapshot_id,
    snapshots.survey_id,
    snapshots.number_of_keys,
    snapshots.covered_from,
    snapshots.covered_to,
    {{ dbt_survey_export.survey_export_earlier('key_counts.loaded_at', 'snapshots.loaded_at') }} as loaded_at
from snapshots
left join key_counts using (source_relation, snapshot_id, survey_id)
where snapshots.number_of_keys = coalesce(key_counts.number_of_keys, 0)
