{%- set keys = ['source_relation', 'response_uuid', 'collected_at', 'survey_id', 'respondent_uuid', 'loaded_at'] -%}

with responses as (

    select *
    from {{ ref('survey_export__responses') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

own as (

    {{ dbt_survey_export.survey_export_json_pairs('responses', keys, 'attributes') }}

),

of_respondent as (

    {{ dbt_survey_export.survey_export_json_pairs('responses', keys, 'respondent_attributes') }}

),

attributes as (

    select
        own.*,
        'response' as attribute_of
    from own
    union all
    select
        of_respondent.*,
        'respondent' as attribute_of
    from of_respondent

)

select
    source_relation,
    response_uuid,
    collected_at,
    survey_id,
    respondent_uuid,
    attribute_of,
    position,
    name,
    value,
    loaded_at
from attributes
where name is not null
