-- How many responses gave each answer. `kind` says how to read a row:
--   choice, choices       the answer in words. A response may give several choices
--   rating                a grade, with its words
--   matrix, ranking       the option, or the place, that a row or an item got
--   nps                   a group: promoter, passive or detractor
--   text, form, comment   only how many responses have one
-- `answered` is the number of responses that answered the question, or this row or item of it. `place` is the answer's
-- place in the survey's own list; null if the list does not have it.
with given as (

    select
        months.survey_id,
        months.question_id,
        case
            when months.nps_group is not null then 'nps'
            when months.answer_type in ('matrix', 'ranking') then months.answer_type
            when months.value_number is not null then 'rating'
            when months.answer_type = 'multiple_choice' then 'choices'
            else 'choice'
        end as kind,
        case
            when months.answer_type in ('matrix', 'ranking')
                then coalesce(translated.listed_words, months.label, cast(months.answer_id as text))
        end as item,
        case
            when months.nps_group is not null then months.nps_group
            when months.value_boolean = 1 then 'Yes'
            when months.value_boolean = 0 then 'No'
            when months.answer_type = 'ranking' then null
            when months.answer_type = 'matrix' then months.value_text
            else coalesce(translated.listed_words, months.value_text, cast(months.answer_id as text))
        end as answer,
        case when months.nps_group is null then months.value_number end as grade,
        months.responses
    from answers_by_month as months
    left join translated_answers as translated
        on months.survey_id = translated.survey_id
        and months.question_id = translated.question_id
        and months.answer_id = translated.answer_id
        and coalesce(months.label, months.value_text) = translated.words

),

several as (

    select
        survey_id,
        question_id,
        count(distinct response_uuid) as responses
    from survey_answers
    where answer_type = 'multiple_choice' and coalesce(value_text, cast(answer_id as text)) is not null
    group by survey_id, question_id

),

summed as (

    select
        survey_id,
        question_id,
        kind,
        item,
        answer,
        grade,
        cast(sum(responses) as bigint) as responses
    from given
    where answer is not null or grade is not null
    group by survey_id, question_id, kind, item, answer, grade

),

counts as (

    select
        summed.survey_id,
        summed.question_id,
        summed.kind,
        summed.item,
        summed.answer,
        summed.grade,
        summed.responses,
        case
            when summed.kind = 'choices' then several.responses
            else
                cast(
                    sum(summed.responses) over (
                        partition by summed.survey_id, summed.question_id, summed.kind, summed.item
                    ) as bigint
                )
        end as answered
    from summed
    left join several on summed.survey_id = several.survey_id and summed.question_id = several.question_id
    union all
    select
        survey_id,
        question_id,
        case when answer_type = 'contact_form' then 'form' else 'text' end as kind,
        null as item,
        null as answer,
        null as grade,
        count(distinct response_uuid) as responses,
        count(distinct response_uuid) as answered
    from survey_answers
    where answer_type in ('text', 'strings', 'contact_form') and trim(value_text) <> ''
    group by survey_id, question_id, case when answer_type = 'contact_form' then 'form' else 'text' end
    union all
    select
        survey_id,
        question_id,
        'comment' as kind,
        null as item,
        null as answer,
        null as grade,
        count(distinct response_uuid) as responses,
        count(distinct response_uuid) as answered
    from survey_answers
    where trim(comment) <> ''
    group by survey_id, question_id

),

listed as (

    select
        survey_id,
        question_id,
        answer,
        min(place) as place
    from listed_answers
    group by survey_id, question_id, answer

)

select
    counts.survey_id,
    survey_names.survey_name,
    counts.question_id,
    questions.question,
    questions.position as question_position,
    counts.kind,
    counts.item,
    items.place as item_place,
    counts.answer,
    answers.place,
    counts.grade,
    counts.responses,
    counts.answered
from counts
left join survey_names on counts.survey_id = survey_names.survey_id
left join survey_questions as questions
    on counts.survey_id = questions.survey_id and counts.question_id = questions.id
left join listed as items
    on counts.survey_id = items.survey_id
    and counts.question_id = items.question_id
    and counts.item = items.answer
left join listed as answers
    on counts.survey_id = answers.survey_id
    and counts.question_id = answers.question_id
    and counts.answer = answers.answer
