with pages as (

    select
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        {{ dbt.split_part("url", "'#'", 1) }} as page
    from {{ ref('survey_export__responses') }}

),

queries as (

    select
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        substring(page, {{ dbt.position("'?'", "page") }} + 1) as query
    from pages
    where {{ dbt.position("'?'", "page") }} > 0

),

pairs as (

    select
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
        unnest({{ dbt_survey_export.survey_export_split("query", "'&'") }}) as pair,
        generate_subscripts({{ dbt_survey_export.survey_export_split("query", "'&'") }}, 1) as position
    from queries

),

halves as (

    select
        response_uuid,
        collected_at,
        survey_id,
        respondent_uuid,
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
    response_uuid,
    collected_at,
    survey_id,
    respondent_uuid,
    position,
    {{ dbt_survey_export.survey_export_url_decode("name") }} as name,
    {{ dbt_survey_export.survey_export_url_decode("value") }} as value
from halves
