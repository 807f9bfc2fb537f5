-- How many responses come each week?
-- A week begins on Monday (on BigQuery on Sunday). A week without responses has no row, and the current week is not over.
{% set week = dbt.date_trunc('week', dbt_survey_export.survey_export_day('collected_at')) %}

with weeks as (

    select
        source_relation,
        survey_id,
        cast({{ week }} as date) as week,
        count(*) as responses
    from {{ ref('survey_export__responses') }}
    where {{ dbt_survey_export.survey_export_counts() }}
    group by source_relation, survey_id, cast({{ week }} as date)

)

select
    weeks.week,
    surveys.survey_name,
    weeks.responses
from weeks
inner join {{ ref('survey_export__surveys') }} as surveys using (source_relation, survey_id)
order by weeks.week, surveys.survey_name
