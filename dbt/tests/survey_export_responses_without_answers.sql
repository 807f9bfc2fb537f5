{{ config(severity='warn') }}

{#- Without answers most models are empty, and nothing else would say so. The log says what to do. -#}
{%- set query -%}
select count(*) as number_of_responses
from {{ ref('survey_export__responses') }}
having count(*) > 0 and not exists (select 1 from {{ ref('survey_export__answers') }})
{%- endset -%}

{%- do dbt_survey_export.survey_export_say(query, 'No answers: there are {0} responses, but survey_answers is empty. Select the stream survey_answers, sync, and run dbt again. This is right only if nobody answered a question.') -%}

{{ query }}
