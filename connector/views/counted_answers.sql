-- The answers that count: each once, also if its response repeats it. `nps_group` is the group of an answer to a question
-- that asks for an NPS score. The service's tag decides. Without one the score does: 9 and 10 promote, 0 to 6 detract.
select
    answers.response_uuid,
    answers.collected_at,
    answers.survey_id,
    answers.respondent_uuid,
    answers.question_id,
    answers.question_type,
    answers.position,
    answers.answer_type,
    answers.answer_id,
    answers.label,
    answers.value_text,
    answers.value_number,
    answers.value_boolean,
    answers.comment,
    case
        when nps_questions.question_id is null then null
        when answers.answer_type not in ('single_choice', 'nps', 'rating', 'text', 'number') then null
        when lower(trim(answers.nps_tag)) in ('promoter', 'passive', 'detractor') then lower(trim(answers.nps_tag))
        when answers.value_number between 9 and 10 then 'promoter'
        when answers.value_number >= 7 and answers.value_number < 9 then 'passive'
        when answers.value_number >= 0 and answers.value_number < 7 then 'detractor'
        when trim(answers.value_text) in ('9', '10') then 'promoter'
        when trim(answers.value_text) in ('7', '8') then 'passive'
        when trim(answers.value_text) in ('0', '1', '2', '3', '4', '5', '6') then 'detractor'
    end as nps_group
from survey_answers as answers
left join nps_questions
    on answers.survey_id = nps_questions.survey_id and answers.question_id = nps_questions.question_id
where
    not exists (
        select 1
        from repeated_answers as repeated
        where
            repeated.response_uuid = answers.response_uuid
            and repeated.question_id = answers.question_id
            and repeated.position = answers.position
    )
