-- How many responses come each week?
-- A week begins on Monday (on BigQuery on Sunday). A week without responses has no row, and the current week is not over.
{% set week = dbt.date_trunc('week', dbt_survey_export.survey_export_day('collected_at')) %}

select
    cast({{ week }} as date) as week,
    survey_name,
    count(*) as responses
from {{ ref('survey_export__responses') }}
where {{ dbt_survey_export.survey_export_counts() }}
group by source_relation, survey_id, survey_name, cast({{ week }} as date)
order by week, survey_name
