with texts as (

    select
        *,
        'answer' as kind,
        value_text as written
    from {{ ref('survey_export__answers') }}
    where answer_type = 'text'
    union all
    select
        *,
        'comment' as kind,
        comment as written
    from {{ ref('survey_export__answers') }}

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
left join {{ ref('survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
where {{ dbt_survey_export.survey_export_has_text('texts.written') }} and {{ dbt_survey_export.survey_export_counts() }}
