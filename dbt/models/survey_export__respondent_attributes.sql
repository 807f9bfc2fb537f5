{{ config(enabled=var('survey_export_using_respondent_attributes')) }}

{%- set columns = dbt_survey_export.survey_export_source_columns('respondent_attributes') -%}
{%- set text = dbt.type_string() %}

with versions as (

    select
        *,
        row_number() over (
            partition by respondent_uuid, id
            order by {{ dbt_survey_export.survey_export_latest_reading_first(columns) }}
        ) as version
    from {{ source('survey_export', 'respondent_attributes') }}

)

select
    cast(respondent_uuid as {{ text }}) as respondent_uuid,
    cast(id as bigint) as attribute_id,
    {{ dbt_survey_export.survey_export_optional(columns, 'name', text) }} as name,
    {{ dbt_survey_export.survey_export_optional(columns, 'value', text) }} as value,
    {% if 'collected_at' in columns %}
    {{ dbt_survey_export.survey_export_utc_timestamp(columns, 'collected_at') }} as collected_at
    {% else %}
    cast(null as {{ dbt.type_timestamp() }}) as collected_at
    {% endif %}
from versions
where version = 1
