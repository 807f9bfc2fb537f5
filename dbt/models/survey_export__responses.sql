{%- set tables = dbt_survey_export.survey_export_tables('survey_responses') -%}
{%- set text = dbt.type_string() -%}
{%- set tells_deletions = dbt_survey_export.survey_export_tells_deletions() -%}

with responses as (

    {% for table in tables %}
    {%- set columns = table.columns %}
    select
        {{ table.source_relation }} as source_relation,
        cast(uuid as {{ text }}) as response_uuid,
        {{ dbt_survey_export.survey_export_utc_timestamp(columns, 'collected_at') }} as collected_at,
        {{ dbt_survey_export.survey_export_optional(columns, 'survey_id', text) }} as survey_id,
        {{ dbt_survey_export.survey_export_optional(columns, 'survey_name', text) }} as survey_name,
        {{ dbt_survey_export.survey_export_optional(columns, 'survey_type', text) }} as survey_type,
        {{ dbt_survey_export.survey_export_optional(columns, 'respondent_uuid', text) }} as respondent_uuid,
        {{ dbt_survey_export.survey_export_optional(columns, 'url', text) }} as url,
        {{ dbt_survey_export.survey_export_optional(columns, 'device_type', text) }} as device_type,
        {{ dbt_survey_export.survey_export_optional(columns, 'operating_system', text) }} as operating_system,
        {{ dbt_survey_export.survey_export_optional(columns, 'platform', text) }} as platform,
        {{ dbt_survey_export.survey_export_optional(columns, 'language', text) }} as language,
        {{ dbt_survey_export.survey_export_json(tables, columns, 'attributes') }} as attributes,
        {{ dbt_survey_export.survey_export_json(tables, columns, 'respondent_attributes') }} as respondent_attributes,
        {{ dbt_survey_export.survey_export_json(tables, columns, 'additional_fields') }} as additional_fields,
        {{ dbt_survey_export.survey_export_loaded_at(columns) }} as loaded_at
    from (
        select
            *,
            row_number() over (
                partition by uuid
                order by {{ dbt_survey_export.survey_export_latest_first() }}
            ) as version
        from {{ table.relation }}
    ) as versions
    where version = 1
    {% if not loop.last %}
    union all
    {% endif %}
    {% endfor %}

)

{%- if tells_deletions %},

response_keys as (

    {{ dbt_survey_export.survey_export_response_keys() }}

),

sightings as (

    select
        responses.source_relation,
        responses.response_uuid,
        snapshots.snapshot_id,
        max(case when response_keys.response_uuid is null then 0 else 1 end) as is_there
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

last_sightings as (

    select
        *,
        max(case when is_there = 1 then snapshot_id else '' end) over (
            partition by source_relation, response_uuid
        ) as last_there
    from sightings

),

deletions as (

    select
        source_relation,
        response_uuid,
        min(snapshot_id) as deleted_seen_at
    from last_sightings
    where snapshot_id > last_there
    group by source_relation, response_uuid

)
{%- endif %}

select
    responses.*,
    {% if tells_deletions %}
    deletions.response_uuid is not null as is_deleted,
    {{ dbt_survey_export.survey_export_utc_timestamp({}, 'deletions.deleted_seen_at') }} as deleted_seen_at
    {% else %}
    false as is_deleted,
    cast(null as {{ dbt_survey_export.survey_export_timestamp() }}) as deleted_seen_at
    {% endif %}
from responses
{% if tells_deletions %}
left join deletions using (source_relation, response_uuid)
{% endif %}
