{{ config(severity='warn') }}

{#- Once question_labels has a row, each question should have a label there or a listed text. The operation survey_export_label_seed prints all. -#}
select
    source_relation,
    survey_id,
    question_id,
    question_type,
    last_answer_at
from {{ ref('survey_export__questions') }}
where
    label is null
    and exists (select 1 from {{ dbt_survey_export.survey_export_labels('question_labels') }})
