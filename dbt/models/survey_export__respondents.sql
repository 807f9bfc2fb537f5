{%- set using_attributes = var('survey_export_using_respondent_attributes') -%}
{%- set attributes = [] -%}
{%- if using_attributes -%}
{%- set attributes = dbt_survey_export.survey_export_attribute_columns(ref('survey_export__respondent_attributes')) -%}
{%- endif -%}

with responses as (

    select
        respondent_uuid,
        min(collected_at) as first_response_at,
        max(collected_at) as last_response_at,
        count(*) as number_of_responses,
        count(distinct survey_id) as number_of_surveys
    from {{ ref('survey_export__responses') }}
    where respondent_uuid is not null
    group by respondent_uuid

),

ranked_attributes as (

    {% if using_attributes %}
    select
        respondent_uuid,
        name,
        value,
        row_number() over (partition by respondent_uuid, name order by attribute_id desc) as recency
    from {{ ref('survey_export__respondent_attributes') }}
    {% else %}
    select
        respondent_uuid,
        null as name,
        null as value,
        1 as recency
    from responses
    {% endif %}

),

attributes as (

    select
        {% for attribute in attributes %}
        max(
            case when name = {{ dbt.string_literal(dbt.escape_single_quotes(attribute.name)) }} then value end
        ) as {{ attribute.column }},
        {% endfor %}
        respondent_uuid
    from ranked_attributes
    where recency = 1
    group by respondent_uuid

)

select
    coalesce(responses.respondent_uuid, attributes.respondent_uuid) as respondent_uuid,
    responses.first_response_at,
    responses.last_response_at,
    {% for attribute in attributes %}
    attributes.{{ attribute.column }},
    {% endfor %}
    coalesce(responses.number_of_responses, 0) as number_of_responses,
    coalesce(responses.number_of_surveys, 0) as number_of_surveys
from responses
full outer join attributes
    on responses.respondent_uuid = attributes.respondent_uuid
