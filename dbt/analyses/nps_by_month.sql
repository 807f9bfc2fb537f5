-- How does the NPS change from month to month?
-- Add up the counts of days first: an average of daily scores is not a score. A change is since the last month with answers.
with months as (

    select
        source_relation,
        survey_id,
        survey_name,
        question_id,
        question_label,
        cast({{ dbt.date_trunc('month', 'date_day') }} as date) as month,
        sum(number_of_answers) as answers,
        100.0 * sum(promoters - detractors) / sum(number_of_answers) as nps
    from {{ ref('survey_export__nps_daily') }}
    where number_of_answers > 0
    group by
        source_relation,
        survey_id,
        survey_name,
        question_id,
        question_label,
        cast({{ dbt.date_trunc('month', 'date_day') }} as date)

)

select
    {{ dbt_survey_export.survey_export_survey_columns('months') }},
    coalesce(months.question_label, {{ dbt.cast('months.question_id', dbt.type_string()) }}) as question,
    months.month,
    round(months.nps) as nps,
    round(
        months.nps - lag(months.nps) over (
            partition by months.source_relation, months.survey_id, months.question_id order by months.month
        )
    ) as change,
    months.answers,
    months.question_id
from months
order by months.survey_name, months.source_relation, months.survey_id, months.question_id, months.month
