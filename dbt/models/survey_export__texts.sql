{{
    config(
        materialized='incremental',
        unique_key='text_key',
        post_hook="delete from {{ this }} where text_key not in (select text_key from {{ ref('survey_export__current_texts') }})"
    )
}}

select current_texts.*
from {{ ref('survey_export__current_texts') }} as current_texts
{%- if is_incremental() %}
left join {{ this }} as known_texts
    on
        current_texts.text_key = known_texts.text_key
        and current_texts.text_hash = known_texts.text_hash
        and coalesce(current_texts.language, '') = coalesce(known_texts.language, '')
        and coalesce(current_texts.question_label, '') = coalesce(known_texts.question_label, '')
where known_texts.text_key is null
{%- endif %}
