-- The responses of each survey and day (UTC).
select
    responses.survey_id,
    survey_names.survey_name,
    substr(responses.collected_at, 1, 10) as day,
    count(*) as responses
from survey_responses as responses
left join survey_names on responses.survey_id = survey_names.survey_id
group by responses.survey_id, survey_names.survey_name, substr(responses.collected_at, 1, 10)
