{%- set attributes = dbt_survey_export.survey_export_attribute_columns(ref('survey_export__respondent_attributes')) -%}

with responses as (

    select
        source_relation,
        respondent_uuid,
        min(collected_at) as first_response_at,
        max(collected_at) as last_response_at,
        count(*) as number_of_responses,
        count(distinct survey_id) as number_of_surveys,
        max(loaded_at) as loaded_at
    from {{ ref('survey_export__responses') }}
    where respondent_uuid is not null and {{ dbt_survey_export.survey_export_counts() }}
    group by source_relation, respondent_uuid

),

named_attributes as (

    -- distinct, so that PostgreSQL makes each checksum once and not for every column
    select distinct
        source_relation,
        respondent_uuid,
        {{ dbt.hash('name') }} as name_checksum,
        value,
        loaded_at
    from {{ ref('survey_export__respondent_attributes') }}

),

attributes as (

    select
        {% for attribute in attributes %}
        max(case when name_checksum = '{{ local_md5(attribute.name) }}' then value end) as {{ attribute.column }},
        {% endfor %}
        source_relation,
        respondent_uuid,
        max(loaded_at) as loaded_at
    from named_attributes
    group by source_relation, respondent_uuid

)

select
    coalesce(responses.source_relation, attributes.source_relation) as source_relation,
    coalesce(responses.respondent_uuid, attributes.respondent_uuid) as respondent_uuid,
    responses.first_response_at,
    responses.last_response_at,
    {% for attribute in attributes %}
    attributes.{{ attribute.column }},
    {% endfor %}
    coalesce(responses.number_of_responses, 0) as number_of_responses,
    coalesce(responses.number_of_surveys, 0) as number_of_surveys,
    case
        when responses.loaded_at >= attributes.loaded_at then responses.loaded_at
        else coalesce(attributes.loaded_at, responses.loaded_at)
    end as loaded_at
from responses
full outer join attributes
    on
        responses.source_relation = attributes.source_relation
        and responses.respondent_uuid = attributes.respondent_uuid
