{%- set columns = dbt_survey_export.survey_export_source_columns('survey_responses') -%}
{%- set text = dbt_survey_export.survey_export_text() -%}
{%- set tells_deletions = dbt_survey_export.survey_export_tells_deletions() -%}

with versions as (

    select
        *,
        row_number() over (
            partition by uuid
            order by {{ dbt_survey_export.survey_export_latest_first(columns) }}
        ) as version
    from {{ source('survey_export', 'survey_responses') }}

),

responses as (

    select
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
        {% for list in ['attributes', 'respondent_attributes', 'additional_fields'] %}
        {% if list in columns %}
        {{ list }},
        {% else %}
        cast(null as {{ text }}) as {{ list }},
        {% endif %}
        {% endfor %}
        {{ dbt_survey_export.survey_export_load_changes(columns) }} as load_changes,
        {{ dbt_survey_export.survey_export_loaded_at(columns) }} as loaded_at
    from versions
    where version = 1

)

{%- if tells_deletions %},

sightings as (

    select
        responses.response_uuid,
        snapshots.snapshot_id,
        max(case when response_keys.response_uuid is null then 0 else 1 end) as is_there
    from responses
    inner join {{ ref('survey_export__complete_snapshots') }} as snapshots
        on
            responses.survey_id = snapshots.survey_id
            and responses.loaded_at < snapshots.loaded_at
            and responses.collected_at <= snapshots.covered_to
            and (snapshots.covered_from is null or responses.collected_at >= snapshots.covered_from)
    left join {{ source('survey_export', 'response_keys') }} as response_keys
        on
            responses.response_uuid = cast(response_keys.response_uuid as {{ text }})
            and snapshots.snapshot_id = cast(response_keys.snapshot_id as {{ text }})
            and snapshots.survey_id = cast(response_keys.survey_id as {{ text }})
    group by responses.response_uuid, snapshots.snapshot_id

),

last_sightings as (

    select
        *,
        max(case when is_there = 1 then snapshot_id else '' end) over (partition by response_uuid) as last_there
    from sightings

),

deletions as (

    select
        response_uuid,
        min(snapshot_id) as deleted_seen_at
    from last_sightings
    where snapshot_id > last_there
    group by response_uuid

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
left join deletions
    on responses.response_uuid = deletions.response_uuid
{% endif %}
