-- Which part of a matrix gets which grade?
-- percent is of the part's grades. Translations of a part are one row; those of a grade are not, since a grade has no id.
with grades as (

    select
        *,
        -- translations of one share the label that the survey or the seed answer_labels gives, or else an answer_id
        coalesce(answer_label, {{ dbt.cast('answer_id', dbt.type_string()) }}, label) as part,
        coalesce(answer_label, label) as part_text
    from {{ ref('survey_export__answers') }}
    where
        answer_type = 'matrix'
        and {{ dbt_survey_export.survey_export_counts(once=true) }}

),

counted as (

    select
        source_relation,
        survey_id,
        question_id,
        part,
        max(max(part_text)) over (partition by source_relation, survey_id, question_id, part) as part_text,
        value_text as grade,
        count(*) as answers,
        sum(count(*)) over (partition by source_relation, survey_id, question_id, part) as answers_of_part
    from grades
    group by source_relation, survey_id, question_id, part, value_text

)

select
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    counted.part_text as part,
    counted.grade,
    round(100.0 * counted.answers / counted.answers_of_part) as percent,
    counted.answers,
    questions.question_id
from counted
inner join {{ ref('survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
order by
    questions.survey_name asc,
    questions.source_relation asc,
    questions.survey_id asc,
    questions.question_id asc,
    counted.part_text asc,
    counted.answers desc,
    counted.grade asc
