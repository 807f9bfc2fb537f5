-- Words of a choice, of a row of a matrix or of an item that are a translation, with the words that the survey lists: these
-- were chosen in other languages only. Other words that differ stay as they were chosen: somebody has edited the survey
-- since.
with listed as (

    select
        survey_id,
        question_id,
        answer_id,
        min(answer) as answer
    from listed_answers
    where answer_id is not null
    group by survey_id, question_id, answer_id

),

differing as (

    select distinct
        answers.survey_id,
        answers.question_id,
        answers.answer_id,
        listed.answer as listed_words
    from survey_answers as answers
    -- Not an inner join: earlier versions of SQLite would look for the answers of each listed one in turn.
    left join listed
        on answers.survey_id = listed.survey_id
        and answers.question_id = listed.question_id
        and answers.answer_id = listed.answer_id
    where
        coalesce(listed.answer, answers.label, answers.value_text)
        <> coalesce(answers.label, answers.value_text)

),

chosen as (

    select distinct
        answers.survey_id,
        answers.question_id,
        answers.answer_id,
        differing.listed_words,
        coalesce(answers.label, answers.value_text) as words,
        coalesce(responses.language, '') as language
    from differing
    inner join survey_answers as answers
        on differing.survey_id = answers.survey_id
        and differing.question_id = answers.question_id
        and differing.answer_id = answers.answer_id
    inner join survey_responses as responses on answers.response_uuid = responses.uuid

)

select
    chosen.survey_id,
    chosen.question_id,
    chosen.answer_id,
    chosen.words,
    chosen.listed_words
from chosen
inner join chosen as original
    on chosen.survey_id = original.survey_id
    and chosen.question_id = original.question_id
    and chosen.answer_id = original.answer_id
    and original.words = original.listed_words
where chosen.words <> chosen.listed_words
group by
    chosen.survey_id,
    chosen.question_id,
    chosen.answer_id,
    chosen.words,
    chosen.listed_words
having min(chosen.language) <> '' and max(case when chosen.language = original.language then 1 else 0 end) = 0
