-- How many responses of a month (UTC) gave each answer, as the service has it. What people wrote themselves is not here.
select
    question_id,
    answer_id,
    value_number,
    substr(collected_at, 1, 7) as month,
    nps_group,
    value_text,
    label,
    value_boolean,
    answer_type,
    max(question_type) as question_type,
    survey_id,
    count(*) as responses
from counted_answers
where answer_type not in ('text', 'strings', 'contact_form', 'other') or nps_group is not null
group by
    question_id,
    answer_id,
    value_number,
    substr(collected_at, 1, 7),
    nps_group,
    value_text,
    label,
    value_boolean,
    answer_type,
    survey_id
