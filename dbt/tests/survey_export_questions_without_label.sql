{{ config(severity='warn') }}

{#- Once question_labels has a row, each question should have a label there. The log names those that have none. -#}
{%- set query -%}
select
    survey_id,
    question_id,
    question_type,
    last_answer_at
from {{ ref('survey_export__questions') }}
where
    label is null
    and exists (select 1 from {{ dbt_survey_export.survey_export_labels('question_labels') }})
order by survey_id, question_id
{%- endset -%}

{%- if execute and flags.WHICH in ('build', 'test') -%}
{%- for row in run_query(query) -%}
{%- do log('No label: question ' ~ row[1] ~ ' of survey ' ~ row[0] ~ ' (' ~ row[2] ~ ', last answer ' ~ row[3] ~ ')', info=true) -%}
{%- endfor -%}
{%- endif -%}

{{ query }}
