-- The questions that ask for an NPS score: the service says so, or it has tagged one of their answers.
select distinct
    survey_id,
    question_id
from survey_answers
where answer_type = 'nps' or lower(question_type) = 'nps'
