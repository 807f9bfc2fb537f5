{{ config(enabled=var('survey_export_using_url_parameters')) }}

{%- set keys = ['source_relation', 'response_uuid', 'collected_at', 'survey_id', 'respondent_uuid', 'loaded_at'] %}
{%- set page = dbt.split_part("url", "'#'", 1) %}
{%- set mark = dbt.position("'?'", page) %}
{%- set equals = dbt.position("'='", "pair") %}

with queries as (

    select
        {{ keys | join(',\n        ') }},
        substring({{ page }}, {{ mark }} + 1) as query
    from {{ ref('survey_export__responses') }}
    where {{ dbt_survey_export.survey_export_counts() }} and {{ mark }} > 0

),

halves as (

    select
        *,
        {{ dbt.split_part("pair", "'='", 1) }} as name,
        case when {{ equals }} > 0 then substring(pair, {{ equals }} + 1) else '' end as value
    from ({{ dbt_survey_export.survey_export_url_pairs('queries', keys, 'query') }}) as pairs
    where pair <> ''

)

select
    source_relation,
    response_uuid,
    collected_at,
    survey_id,
    respondent_uuid,
    position,
    {{ dbt_survey_export.survey_export_url_decoded('name') }} as name,
    {{ dbt_survey_export.survey_export_url_decoded('value') }} as value,
    loaded_at
from halves
