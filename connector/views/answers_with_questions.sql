-- One row for each answer that counts, with the name of the survey, the words of the question, and the answer in words.
select
    answers.survey_id,
    survey_names.survey_name,
    answers.question_id,
    questions.question,
    questions.position as question_position,
    answers.response_uuid,
    answers.respondent_uuid,
    answers.collected_at,
    answers.question_type,
    answers.answer_type,
    answers.position,
    case
        when answers.answer_type in ('matrix', 'ranking') then coalesce(translated.listed_words, answers.label)
        else answers.label
    end as item,
    case
        when answers.value_boolean = 1 then 'Yes'
        when answers.value_boolean = 0 then 'No'
        when answers.answer_type in ('matrix', 'ranking') then answers.value_text
        else coalesce(translated.listed_words, answers.value_text)
    end as answer,
    answers.value_number,
    answers.nps_group,
    answers.comment
from counted_answers as answers
left join survey_names on answers.survey_id = survey_names.survey_id
left join survey_questions as questions
    on answers.survey_id = questions.survey_id and answers.question_id = questions.id
left join translated_answers as translated
    on answers.survey_id = translated.survey_id
    and answers.question_id = translated.question_id
    and answers.answer_id = translated.answer_id
    and coalesce(answers.label, answers.value_text) = translated.words
