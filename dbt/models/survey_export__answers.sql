with versions as (

    select
        *,
        row_number() over (
            partition by response_uuid, question_id, position
            order by {{ dbt_survey_export.survey_export_latest_first() }}
        ) as version
    from {{ source('survey_export', 'survey_answers') }}

)

select
    cast(response_uuid as {{ dbt.type_string() }}) as response_uuid,
    {{ dbt_survey_export.survey_export_utc_timestamp('survey_export', 'survey_answers', 'collected_at') }} as collected_at,
    cast(survey_id as {{ dbt.type_string() }}) as survey_id,
    survey_name,
    cast(respondent_uuid as {{ dbt.type_string() }}) as respondent_uuid,
    question_id,
    question_type,
    position,
    answer_type,
    answer_id,
    label,
    value_text,
    cast(value_number as double precision) as value_number,
    value_boolean,
    comment,
    nps_tag,
    additional_fields
from versions
where version = 1
