{%- set from_keys = var('survey_export_using_response_keys') and var('survey_export_loaded_at') != '' -%}
{%- set never = 'cast(null as ' ~ dbt_survey_export.survey_export_timestamp() ~ ')' -%}
{%- set by_keys = dbt_survey_export.survey_export_utc_timestamp({}, 'deletions.deleted_seen_at') if from_keys else never -%}
{%- set by_survey = 'listed.missing_at' if var('survey_export_survey_deletes_responses') else never -%}
{%- set seen_at = dbt_survey_export.survey_export_earlier(by_keys, by_survey) -%}
{%- set columns = [
    ('text key', 'uuid as response_uuid'),
    ('timestamp key', 'collected_at'),
    ('text', 'survey_id, survey_name, survey_type, respondent_uuid'),
    ('text', 'url, device_type, operating_system, platform, language'),
    ('json', 'attributes, respondent_attributes, additional_fields'),
] -%}
{%- set survey_name -%}
coalesce(listed.survey_name, first_value(responses.survey_name) over (
        partition by responses.source_relation, responses.survey_id
        order by responses.survey_name is null, responses.loaded_at desc, responses.collected_at desc, responses.response_uuid
    ))
{%- endset %}

with responses as (

    {{ dbt_survey_export.survey_export_records('survey_responses', columns, version_of='uuid') }}

),

listed as (

    {{ dbt_survey_export.survey_export_listed_surveys() }}

)
{%- if from_keys %},

response_keys as (

    {{ dbt_survey_export.survey_export_records('response_keys', [('text key', 'snapshot_id, survey_id, response_uuid')]) }}

),

sightings as (

    select
        responses.source_relation,
        responses.response_uuid,
        snapshots.snapshot_id,
        max(max(case when response_keys.response_uuid is null then '' else snapshots.snapshot_id end)) over (
            partition by responses.source_relation, responses.response_uuid
        ) as last_there
    from responses
    inner join {{ ref('survey_export__complete_snapshots') }} as snapshots
        on
            responses.source_relation = snapshots.source_relation
            and responses.survey_id = snapshots.survey_id
            and responses.loaded_at < snapshots.loaded_at
            and responses.collected_at <= snapshots.covered_to
            and (snapshots.covered_from is null or responses.collected_at >= snapshots.covered_from)
    left join response_keys
        on
            responses.source_relation = response_keys.source_relation
            and responses.response_uuid = response_keys.response_uuid
            and snapshots.snapshot_id = response_keys.snapshot_id
            and snapshots.survey_id = response_keys.survey_id
    group by responses.source_relation, responses.response_uuid, snapshots.snapshot_id

),

deletions as (

    select
        source_relation,
        response_uuid,
        min(snapshot_id) as deleted_seen_at
    from sightings
    where snapshot_id > last_there
    group by source_relation, response_uuid

)
{%- endif %}

select
    {{ dbt_survey_export.survey_export_columns_of('responses', columns, {'survey_name': survey_name}) }},
    {{ seen_at }} is not null as is_deleted,
    {{ seen_at }} as deleted_seen_at
from responses
left join listed using (source_relation, survey_id)
{% if from_keys %}
left join deletions using (source_relation, response_uuid)
{% endif %}
