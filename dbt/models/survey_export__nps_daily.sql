with answers as (

    select
        *,
        {{ dbt_survey_export.survey_export_day('collected_at') }} as date_day,
        lower(trim(nps_tag)) as own_tag,
        case
            when value_number between 0 and 10 then value_number
            when trim(value_text) in ('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10')
                then cast(trim(value_text) as {{ dbt.type_int() }})
        end as score,
        max(case when answer_type = 'nps' or lower(question_type) = 'nps' then 1 else 0 end) over (
            partition by source_relation, survey_id, question_id
        ) as is_of_nps_question
    from {{ ref('survey_export__answers') }}
    where
        answer_type in ('single_choice', 'nps', 'rating', 'text', 'number')
        and {{ dbt_survey_export.survey_export_counts(once=true) }}

),

scores as (

    select
        *,
        case
            when own_tag in ('promoter', 'passive', 'detractor') then own_tag
            when score >= 9 then 'promoter'
            when score >= 7 then 'passive'
            when score >= 0 then 'detractor'
        end as group_of_score
    from answers
    where is_of_nps_question = 1

),

daily as (

    select
        source_relation,
        survey_id,
        question_id,
        date_day,
        count(*) as number_of_answers,
        sum(case when group_of_score = 'promoter' then 1 else 0 end) as promoters,
        sum(case when group_of_score = 'passive' then 1 else 0 end) as passives,
        sum(case when group_of_score = 'detractor' then 1 else 0 end) as detractors,
        100.0 * sum(case group_of_score when 'promoter' then 1 when 'detractor' then -1 else 0 end) / count(*) as nps,
        max(loaded_at) as loaded_at
    from scores
    where group_of_score is not null
    group by source_relation, survey_id, question_id, date_day

),

{{ dbt_survey_export.survey_export_each_day(['number_of_answers', 'promoters', 'passives', 'detractors'], ['nps', 'loaded_at']) }}
