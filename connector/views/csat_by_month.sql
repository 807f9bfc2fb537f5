-- The CSAT of each question and month (UTC) with answers: the share of the ratings that are 4 or 5. It is of questions of the
-- type csat with five grades; of other scales nobody has said which grades are satisfied.
with ratings as (

    select
        survey_id,
        question_id,
        month,
        value_number as rating,
        responses
    from answers_by_month
    where
        lower(question_type) = 'csat'
        and answer_type in ('rating', 'number')
        and value_number is not null

),

scales as (

    select
        ratings.survey_id,
        ratings.question_id
    from ratings
    left join survey_questions as questions
        on ratings.survey_id = questions.survey_id and ratings.question_id = questions.id
    group by ratings.survey_id, ratings.question_id
    having
        max(ratings.rating) <= 5
        and max(coalesce(json_array_length(questions.answer_choices), 0)) in (0, 5)

),

months as (

    select
        ratings.survey_id,
        ratings.question_id,
        ratings.month,
        cast(sum(ratings.responses) as bigint) as answers,
        cast(sum(case when ratings.rating >= 4 then ratings.responses else 0 end) as bigint) as satisfied,
        1.0 * sum(ratings.rating * ratings.responses) / sum(ratings.responses) as average_rating
    from ratings
    inner join scales on ratings.survey_id = scales.survey_id and ratings.question_id = scales.question_id
    group by ratings.survey_id, ratings.question_id, ratings.month

)

select
    months.survey_id,
    survey_names.survey_name,
    months.question_id,
    questions.question,
    months.month,
    months.answers,
    months.satisfied,
    100.0 * months.satisfied / months.answers as csat,
    months.average_rating
from months
left join survey_names on months.survey_id = survey_names.survey_id
left join survey_questions as questions
    on months.survey_id = questions.survey_id and months.question_id = questions.id
