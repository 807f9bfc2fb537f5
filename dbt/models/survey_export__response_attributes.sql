{%- set keys = ['source_relation', 'response_uuid', 'collected_at', 'survey_id', 'respondent_uuid', 'loaded_at'] -%}

with responses as (

    select *
    from {{ ref('survey_export__responses') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

attributes as (

    {% for column, attribute_of in [('attributes', "'response'"), ('respondent_attributes', "'respondent'")] %}
    select
        *,
        {{ attribute_of }} as attribute_of
    from ({{ dbt_survey_export.survey_export_json_pairs('responses', keys, column) }}) as pairs
    {{ 'union all' if not loop.last }}
    {% endfor %}

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
