-- Are respondents on a more expensive plan more satisfied?
-- plan is an example of an attribute: put in your own. It is the latest plan, not the one at the time of the answer.
with plans as (

    select
        source_relation,
        respondent_uuid,
        value as plan
    from {{ ref('survey_export__respondent_attributes') }}
    where name = 'plan'

),

csat_questions as (

    select distinct
        source_relation,
        survey_id,
        survey_name,
        question_id,
        question_label
    from {{ ref('survey_export__csat_daily') }}

)

select
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.question_label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    coalesce(plans.plan, 'unknown') as plan,
    round(
        100.0 * sum(case when ratings.value_number >= {{ var('survey_export_csat_satisfied_from') }} then 1 else 0 end)
        / count(*)
    ) as csat,
    round(cast(avg(ratings.value_number) as {{ dbt.type_numeric() }}), 2) as average_rating,
    count(*) as ratings,
    questions.question_id
from {{ ref('survey_export__answers') }} as ratings
inner join csat_questions as questions using (source_relation, survey_id, question_id)
left join plans using (source_relation, respondent_uuid)
where
    ratings.answer_type in ('rating', 'number')
    and ratings.value_number is not null
    and {{ dbt_survey_export.survey_export_counts(once=true) }}
group by
    questions.source_relation,
    questions.survey_id,
    questions.survey_name,
    questions.question_id,
    questions.question_label,
    plans.plan
order by
    questions.survey_name asc,
    questions.source_relation asc,
    questions.survey_id asc,
    questions.question_id asc,
    average_rating desc
