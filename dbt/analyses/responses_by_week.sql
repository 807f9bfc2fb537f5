-- How many responses come each week?
-- A week begins on Monday (on BigQuery on Sunday). A week without responses has no row, and the current week is not over.
{% set week = dbt.date_trunc('week', dbt_survey_export.survey_export_day('responses.collected_at')) %}

select
    {{ dbt_survey_export.survey_export_survey_columns('responses') }},
    cast({{ week }} as date) as week,
    count(*) as responses
from {{ ref('survey_export__responses') }} as responses
where {{ dbt_survey_export.survey_export_counts() }}
group by responses.source_relation, responses.survey_id, responses.survey_name, cast({{ week }} as date)
order by responses.survey_name, responses.source_relation, responses.survey_id, week
