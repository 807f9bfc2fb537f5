with listed as (

    {{ dbt_survey_export.survey_export_listed_surveys() }}

)

select
    source_relation,
    survey_id,
    max(responses.survey_name) as survey_name,
    coalesce(max(listed.survey_type), max(responses.survey_type)) as survey_type,
    max(listed.created_at) as created_at,
    {{ dbt.bool_or('listed.enabled') }} as enabled,
    min(case when responses.counted = 1 then responses.collected_at end) as first_response_at,
    max(case when responses.counted = 1 then responses.collected_at end) as last_response_at,
    count(responses.counted) as number_of_responses,
    count(distinct case when responses.counted = 1 then responses.respondent_uuid end) as number_of_respondents,
    max(listed.missing_at) is not null as is_deleted,
    max(listed.missing_at) as deleted_seen_at,
    max(case when responses.counted = 1 then responses.loaded_at end) as loaded_at
from (
    select *, case when {{ dbt_survey_export.survey_export_counts() }} then 1 end as counted
    from {{ ref('survey_export__responses') }}
) as responses
left join listed using (source_relation, survey_id)
where responses.counted = 1 or listed.missing_at is not null
group by source_relation, survey_id
