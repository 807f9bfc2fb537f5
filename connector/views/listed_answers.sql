-- The answers that the author of a survey lists for each question, in their order: choices, rows of a matrix and items of a
-- ranking with their ids, and the options of a matrix without one.
select
    questions.survey_id,
    questions.id as question_id,
    cast(choice.value ->> '$.id' as bigint) as answer_id,
    choice.value ->> '$.content' as answer,
    cast(choice.key as integer) as place
from survey_questions as questions, json_each(questions.answer_choices) as choice
where choice.value ->> '$.content' <> ''
union all
select
    questions.survey_id,
    questions.id as question_id,
    null as answer_id,
    questions.columns ->> ('$[' || choice.key || ']') as answer,
    cast(choice.key as integer) as place
from survey_questions as questions, json_each(questions.columns) as choice
where questions.columns ->> ('$[' || choice.key || ']') <> ''
