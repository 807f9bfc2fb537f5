with answers as (

    select *
    from {{ ref('survey_export__answers') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

texts as (

    select
        answers.*,
        'answer' as kind,
        answers.value_text as written
    from answers
    where answers.answer_type = 'text'
    union all
    select
        answers.*,
        'comment' as kind,
        answers.comment as written
    from answers

)

select
    texts.source_relation,
    texts.response_uuid,
    texts.collected_at,
    texts.survey_id,
    texts.survey_name,
    texts.respondent_uuid,
    texts.question_id,
    questions.label as question_label,
    texts.position,
    texts.kind,
    texts.written as value_text,
    texts.loaded_at
from texts
left join {{ ref('survey_export__questions') }} as questions
    on
        texts.source_relation = questions.source_relation
        and texts.survey_id = questions.survey_id
        and texts.question_id = questions.question_id
where trim(texts.written) <> ''
