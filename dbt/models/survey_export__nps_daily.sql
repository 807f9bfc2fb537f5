with scores as (

    select
        survey_id,
        question_id,
        cast(collected_at as date) as date_day,
        coalesce(
            nps_tag,
            case
                when value_number >= 9 then 'promoter'
                when value_number >= 7 then 'passive'
                when value_number >= 0 then 'detractor'
            end
        ) as nps_tag
    from {{ ref('survey_export__answers') }}
    where answer_type = 'nps'

),

days as (

    select
        survey_id,
        question_id,
        date_day,
        count(*) as number_of_answers,
        sum(case when nps_tag = 'promoter' then 1 else 0 end) as promoters,
        sum(case when nps_tag = 'passive' then 1 else 0 end) as passives,
        sum(case when nps_tag = 'detractor' then 1 else 0 end) as detractors
    from scores
    where nps_tag in ('promoter', 'passive', 'detractor')
    group by survey_id, question_id, date_day

)

select
    survey_id,
    question_id,
    date_day,
    number_of_answers,
    promoters,
    passives,
    detractors,
    100.0 * (promoters - detractors) / number_of_answers as nps
from days
