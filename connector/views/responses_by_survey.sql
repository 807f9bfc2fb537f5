-- Each survey that is listed or has responses: how many there are here, and how many the service counts.
-- Responses of which nobody knows the survey have the empty id.
with here as (

    select
        coalesce(survey_id, '') as survey_id,
        count(*) as responses,
        min(collected_at) as first_response_at,
        max(collected_at) as last_response_at
    from survey_responses
    group by coalesce(survey_id, '')

),

answered as (

    select
        coalesce(responses.survey_id, '') as survey_id,
        count(*) as responses
    from survey_responses as responses
    where exists (select 1 from survey_answers as answers where answers.response_uuid = responses.uuid)
    group by coalesce(responses.survey_id, '')

),

ids as (

    select survey_id from here
    union
    select id from surveys

)

select
    ids.survey_id,
    survey_names.survey_name,
    coalesce(here.responses, 0) as responses,
    coalesce(answered.responses, 0) as responses_with_answers,
    surveys.responses as counted_by_service,
    here.first_response_at,
    here.last_response_at,
    surveys.enabled,
    surveys.collected_at as listed_at
from ids
left join here on ids.survey_id = here.survey_id
left join answered on ids.survey_id = answered.survey_id
left join surveys on ids.survey_id = surveys.id
left join survey_names on ids.survey_id = survey_names.survey_id
