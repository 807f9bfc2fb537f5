{{ config(enabled=var('survey_export_using_respondent_attributes')) }}

with versions as (

    select
        *,
        row_number() over (
            partition by respondent_uuid, id
            order by {{ dbt_survey_export.survey_export_latest_first() }}
        ) as version
    from {{ source('survey_export', 'respondent_attributes') }}

)

select
    cast(respondent_uuid as {{ dbt.type_string() }}) as respondent_uuid,
    id as attribute_id,
    name,
    value,
    {{ dbt_survey_export.survey_export_utc_timestamp('survey_export', 'respondent_attributes', 'collected_at') }} as collected_at
from versions
where version = 1
