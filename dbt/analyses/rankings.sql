-- What matters most to respondents?
-- Rank 1 is the top. average_rank counts only responses that rank the item: compare items that are ranked equally often.
with ranks as (

    select
        *,
        -- translations of one share the label that the survey or the seed answer_labels gives, or else an answer_id
        coalesce(answer_label, {{ dbt.cast('answer_id', dbt.type_string()) }}, label) as item,
        coalesce(answer_label, label) as item_text
    from {{ ref('survey_export__answers') }}
    where
        answer_type = 'ranking'
        and value_number is not null
        and {{ dbt_survey_export.survey_export_counts(once=true) }}

)

select
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    max(ranks.item_text) as item,
    round(cast(avg(ranks.value_number) as {{ dbt.type_numeric() }}), 2) as average_rank,
    sum(case when ranks.value_number = 1 then 1 else 0 end) as times_first,
    count(*) as times_ranked,
    questions.question_id
from ranks
inner join {{ ref('survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
group by
    questions.source_relation,
    questions.survey_id,
    questions.survey_name,
    questions.question_id,
    questions.label,
    ranks.item
order by
    questions.survey_name,
    questions.source_relation,
    questions.survey_id,
    questions.question_id,
    avg(ranks.value_number)
