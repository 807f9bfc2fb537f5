{%- set satisfied = 'sum(case when value_number >= ' ~ var('survey_export_csat_satisfied_from') ~ ' then 1 else 0 end)' -%}
{%- set day = dbt_survey_export.survey_export_day('collected_at') -%}

with daily as (

    select
        source_relation,
        survey_id,
        question_id,
        {{ day }} as date_day,
        count(*) as number_of_answers,
        {{ satisfied }} as satisfied,
        100.0 * {{ satisfied }} / count(*) as csat,
        avg(value_number) as average_rating,
        max(loaded_at) as loaded_at
    from {{ ref('survey_export__answers') }}
    where
        answer_type in ('rating', 'number')
        and {{ dbt_survey_export.survey_export_counts(once=true) }}
        and value_number is not null
        and {{ dbt_survey_export.survey_export_is_one_of('question_type', var('survey_export_csat_question_types')) }}
    group by source_relation, survey_id, question_id, {{ day }}

),

{{ dbt_survey_export.survey_export_each_day(['number_of_answers', 'satisfied'], ['csat', 'average_rating', 'loaded_at']) }}
