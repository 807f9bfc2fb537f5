{{ config(enabled=var('survey_export_using_url_parameters')) }}

{%- set keys = ['source_relation', 'response_uuid', 'collected_at', 'survey_id', 'respondent_uuid', 'loaded_at'] %}

with pages as (

    select
        source_relation,
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        loaded_at,
        {{ dbt.split_part("url", "'#'", 1) }} as page
    from {{ ref('survey_export__responses') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

queries as (

    select
        source_relation,
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        loaded_at,
        substring(page, {{ dbt.position("'?'", "page") }} + 1) as query
    from pages
    where {{ dbt.position("'?'", "page") }} > 0

),

pairs as (

    {{ dbt_survey_export.survey_export_url_pairs('queries', keys, 'query') }}

),

halves as (

    select
        source_relation,
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        loaded_at,
        position,
        {{ dbt.split_part("pair", "'='", 1) }} as name,
        case
            when {{ dbt.position("'='", "pair") }} > 0 then substring(pair, {{ dbt.position("'='", "pair") }} + 1)
            else ''
        end as value
    from pairs
    where pair <> ''

)

select
    source_relation,
    response_uuid,
    collected_at,
    survey_id,
    respondent_uuid,
    position,
    replace(replace(name, '+', ' '), '%20', ' ') as name,
    replace(replace(value, '+', ' '), '%20', ' ') as value,
    loaded_at
from halves
