with answers as (

    select *
    from {{ ref('survey_export__answers') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

texts as (

    select
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        question_id,
        position,
        'answer' as kind,
        value_text,
        loaded_at
    from answers
    where answer_type = 'text'
    union all
    select
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        question_id,
        position,
        'comment' as kind,
        comment as value_text,
        loaded_at
    from answers

)

select
    {{ dbt_survey_export.survey_export_checksum(dbt.concat([
        "texts.response_uuid", "' '", dbt.cast("texts.question_id", dbt_survey_export.survey_export_text()), "' '",
        dbt.cast("texts.position", dbt_survey_export.survey_export_text()), "' '", "texts.kind",
    ])) }} as text_key,
    texts.response_uuid,
    texts.collected_at,
    texts.survey_id,
    texts.respondent_uuid,
    responses.language,
    texts.question_id,
    questions.label as question_label,
    texts.position,
    texts.kind,
    texts.value_text,
    {{ dbt_survey_export.survey_export_checksum("texts.value_text") }} as text_hash,
    texts.loaded_at
from texts
left join {{ ref('survey_export__responses') }} as responses
    on texts.response_uuid = responses.response_uuid
left join {{ ref('survey_export__questions') }} as questions
    on
        texts.survey_id = questions.survey_id
        and texts.question_id = questions.question_id
where trim(texts.value_text) <> ''
