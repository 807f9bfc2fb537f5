{%- set columns = dbt_survey_export.survey_export_source_columns('survey_responses') -%}
{%- set text = dbt.type_string() -%}

with versions as (

    select
        *,
        row_number() over (
            partition by uuid
            order by {{ dbt_survey_export.survey_export_latest_first(columns) }}
        ) as version
    from {{ source('survey_export', 'survey_responses') }}

)

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
    {{ dbt_survey_export.survey_export_optional(columns, 'language', text) }} as language
from versions
where version = 1
