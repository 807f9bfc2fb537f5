with versions as (

    select
        *,
        row_number() over (
            partition by uuid
            order by {{ dbt_survey_export.survey_export_latest_first() }}
        ) as version
    from {{ source('survey_export', 'survey_responses') }}

)

select
    cast(uuid as {{ dbt.type_string() }}) as response_uuid,
    {{ dbt_survey_export.survey_export_utc_timestamp('survey_export', 'survey_responses', 'collected_at') }} as collected_at,
    cast(survey_id as {{ dbt.type_string() }}) as survey_id,
    survey_name,
    survey_type,
    cast(respondent_uuid as {{ dbt.type_string() }}) as respondent_uuid,
    url,
    device_type,
    operating_system,
    platform,
    language
from versions
where version = 1
