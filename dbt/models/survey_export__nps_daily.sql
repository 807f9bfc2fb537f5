with answers as (

    select
        source_relation,
        survey_id,
        question_id,
        {{ dbt_survey_export.survey_export_day('collected_at') }} as date_day,
        lower(trim(nps_tag)) as own_tag,
        loaded_at,
        case
            when value_number between 0 and 10 then value_number
            when trim(value_text) in ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10')
                then cast(trim(value_text) as {{ dbt.type_int() }})
        end as score,
        max(case when answer_type = 'nps' then 1 else 0 end) over (
            partition by source_relation, survey_id, question_id
        ) as is_of_nps_question
    from {{ ref('survey_export__answers') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

scores as (

    select
        source_relation,
        survey_id,
        question_id,
        date_day,
        loaded_at,
        case
            when own_tag in ('promoter', 'passive', 'detractor') then own_tag
            when score >= 9 then 'promoter'
            when score >= 7 then 'passive'
            when score >= 0 then 'detractor'
        end as nps_tag
    from answers
    where is_of_nps_question = 1

)

select
    source_relation,
    survey_id,
    question_id,
    date_day,
    count(*) as number_of_answers,
    sum(case when nps_tag = 'promoter' then 1 else 0 end) as promoters,
    sum(case when nps_tag = 'passive' then 1 else 0 end) as passives,
    sum(case when nps_tag = 'detractor' then 1 else 0 end) as detractors,
    100.0 * sum(case nps_tag when 'promoter' then 1 when 'detractor' then -1 else 0 end) / count(*) as nps,
    max(loaded_at) as loaded_at
from scores
where nps_tag is not null
group by source_relation, survey_id, question_id, date_day
