{%- set columns = dbt_survey_export.survey_export_source_columns('survey_answers') -%}
{%- set text = dbt.type_string() -%}

with versions as (

    select
        *,
        row_number() over (
            partition by response_uuid, question_id, position
            order by {{ dbt_survey_export.survey_export_latest_first(columns) }}
        ) as version,
        {{ dbt_survey_export.survey_export_is_left_over() }} as is_left_over
    from {{ source('survey_export', 'survey_answers') }}

)

select
    cast(response_uuid as {{ text }}) as response_uuid,
    {{ dbt_survey_export.survey_export_utc_timestamp(columns, 'collected_at') }} as collected_at,
    {{ dbt_survey_export.survey_export_optional(columns, 'survey_id', text) }} as survey_id,
    {{ dbt_survey_export.survey_export_optional(columns, 'survey_name', text) }} as survey_name,
    {{ dbt_survey_export.survey_export_optional(columns, 'respondent_uuid', text) }} as respondent_uuid,
    cast(question_id as bigint) as question_id,
    {{ dbt_survey_export.survey_export_optional(columns, 'question_type', text) }} as question_type,
    cast(position as bigint) as position,
    cast(answer_type as {{ text }}) as answer_type,
    {{ dbt_survey_export.survey_export_optional(columns, 'answer_id', 'bigint') }} as answer_id,
    {{ dbt_survey_export.survey_export_optional(columns, 'label', text) }} as label,
    {{ dbt_survey_export.survey_export_optional(columns, 'value_text', text) }} as value_text,
    {{ dbt_survey_export.survey_export_optional(columns, 'value_number', 'double precision') }} as value_number,
    {{ dbt_survey_export.survey_export_optional(columns, 'value_boolean', 'boolean') }} as value_boolean,
    {{ dbt_survey_export.survey_export_optional(columns, 'comment', text) }} as comment,
    {{ dbt_survey_export.survey_export_optional(columns, 'nps_tag', text) }} as nps_tag,
    {% if 'additional_fields' in columns %}
    additional_fields
    {% else %}
    cast(null as {{ text }}) as additional_fields
    {% endif %}
from versions
where version = 1 and is_left_over = 0
