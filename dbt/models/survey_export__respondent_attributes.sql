{{ config(enabled=var('survey_export_using_respondent_attributes')) }}

select
    respondent_uuid,
    attribute_id,
    name,
    value,
    valid_from,
    collected_at,
    load_changes,
    loaded_at
from {{ ref('survey_export__respondent_attribute_history') }}
where valid_to is null
