{{ config(enabled=var('survey_export_using_response_keys')) }}

{%- set text = dbt.type_string() %}

with finished as (

    {% for table in dbt_survey_export.survey_export_tables('response_key_snapshots') %}
    select
        {{ table.source_relation }} as source_relation,
        cast(snapshot_id as {{ text }}) as snapshot_id,
        cast(survey_id as {{ text }}) as survey_id,
        cast(number_of_keys as {{ dbt.type_bigint() }}) as number_of_keys,
        {{ dbt_survey_export.survey_export_optional_timestamp(table.columns, 'covered_from') }} as covered_from,
        {{ dbt_survey_export.survey_export_utc_timestamp(table.columns, 'covered_to') }} as covered_to,
        {{ dbt_survey_export.survey_export_loaded_at(table.columns) }} as loaded_at
    from {{ table.relation }}
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

snapshots as (

    select
        source_relation,
        snapshot_id,
        survey_id,
        max(number_of_keys) as number_of_keys,
        max(covered_from) as covered_from,
        max(covered_to) as covered_to,
        min(loaded_at) as loaded_at
    from finished
    group by source_relation, snapshot_id, survey_id

),

loaded_keys as (

    {{ dbt_survey_export.survey_export_response_keys() }}

),

key_counts as (

    select
        source_relation,
        snapshot_id,
        survey_id,
        count(distinct response_uuid) as number_of_keys,
        min(loaded_at) as loaded_at
    from loaded_keys
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
