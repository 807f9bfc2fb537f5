-- The NPS of each question and month (UTC) with answers. To sum up months, add the counts: an average of scores is no NPS.
with months as (

    select
        survey_id,
        question_id,
        month,
        cast(sum(responses) as bigint) as answers,
        cast(sum(case when nps_group = 'promoter' then responses else 0 end) as bigint) as promoters,
        cast(sum(case when nps_group = 'passive' then responses else 0 end) as bigint) as passives,
        cast(sum(case when nps_group = 'detractor' then responses else 0 end) as bigint) as detractors
    from answers_by_month
    where nps_group is not null
    group by survey_id, question_id, month

)

select
    months.survey_id,
    survey_names.survey_name,
    months.question_id,
    questions.question,
    months.month,
    months.answers,
    months.promoters,
    months.passives,
    months.detractors,
    100.0 * (months.promoters - months.detractors) / months.answers as nps
from months
left join survey_names on months.survey_id = survey_names.survey_id
left join survey_questions as questions
    on months.survey_id = questions.survey_id and months.question_id = questions.id
