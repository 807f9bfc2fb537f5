{{
    config(
        materialized='incremental',
        unique_key='text_key',
        post_hook="delete from {{ this }} where text_key not in (select text_key from {{ ref('survey_export__current_texts') }})"
    )
}}

select
    current_texts.text_key,
    current_texts.response_uuid,
    current_texts.collected_at,
    current_texts.survey_id,
    current_texts.respondent_uuid,
    current_texts.language,
    current_texts.question_id,
    current_texts.question_label,
    current_texts.position,
    current_texts.kind,
    current_texts.value_text,
    current_texts.text_hash,
    current_texts.loaded_at
from {{ ref('survey_export__current_texts') }} as current_texts
{% if is_incremental() %}
left join {{ this }} as known_texts
    on
        current_texts.text_key = known_texts.text_key
        and current_texts.text_hash = known_texts.text_hash
        and coalesce(current_texts.language, '') = coalesce(known_texts.language, '')
        and coalesce(current_texts.question_label, '') = coalesce(known_texts.question_label, '')
where known_texts.text_key is null
{% endif %}
