{{ config(severity='warn') }}

{#- Without answers most models are empty, and nothing else would say so. The log says what to do. -#}
{%- set query -%}
with counted as (

    select count(*) as number_of_responses
    from {{ ref('survey_export__responses') }}

)

select number_of_responses
from counted
where
    number_of_responses > 0
    and not exists (select 1 from {{ ref('survey_export__answers') }})
{%- endset -%}

{%- if execute and flags.WHICH in ('build', 'test') -%}
{%- for row in run_query(query) -%}
{%- do log('No answers: there are ' ~ row[0] ~ ' responses, but survey_answers is empty. Select the stream survey_answers, sync, and run dbt again. This is right only if nobody answered a question.', info=true) -%}
{%- endfor -%}
{%- endif -%}

{{ query }}
