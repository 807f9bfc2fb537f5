-- What people wrote: answers to text questions, and comments, each with the first NPS score of its response.
with written as (

    select
        survey_id,
        question_id,
        response_uuid,
        respondent_uuid,
        collected_at,
        'answer' as kind,
        trim(value_text) as words
    from survey_answers
    where answer_type in ('text', 'strings') and trim(value_text) <> ''
    union all
    select
        survey_id,
        question_id,
        response_uuid,
        respondent_uuid,
        collected_at,
        'comment' as kind,
        trim(comment) as words
    from survey_answers
    where trim(comment) <> ''

),

scores as (

    select
        response_uuid,
        value_number,
        row_number() over (partition by response_uuid order by question_id) as place
    from counted_answers
    where nps_group is not null and value_number is not null

)

select
    written.survey_id,
    survey_names.survey_name,
    written.question_id,
    questions.question,
    written.response_uuid,
    written.respondent_uuid,
    written.collected_at,
    written.kind,
    written.words,
    scores.value_number as nps_score
from written
left join survey_names on written.survey_id = survey_names.survey_id
left join survey_questions as questions
    on written.survey_id = questions.survey_id and written.question_id = questions.id
left join scores on written.response_uuid = scores.response_uuid and scores.place = 1
