with responses as (

    select
        *,
        row_number() over (partition by source_relation, survey_id order by collected_at desc, response_uuid asc) as recency
    from {{ ref('survey_export__responses') }}
    where {{ dbt_survey_export.survey_export_counts() }}

)

select
    source_relation,
    survey_id,
    max(case when recency = 1 then survey_name end) as survey_name,
    max(case when recency = 1 then survey_type end) as survey_type,
    min(collected_at) as first_response_at,
    max(collected_at) as last_response_at,
    count(*) as number_of_responses,
    count(distinct respondent_uuid) as number_of_respondents,
    max(loaded_at) as loaded_at
from responses
group by source_relation, survey_id
