with answers as (

    select
        *,
        row_number() over (
            partition by source_relation, survey_id, question_id
            order by
                case when answer_type = 'other' then 1 else 0 end asc,
                collected_at desc,
                response_uuid asc,
                position asc
        ) as recency
    from {{ ref('survey_export__answers') }}
    where {{ dbt_survey_export.survey_export_counts() }}

),

labels as (

    {{ dbt_survey_export.survey_export_labels_by('question_labels', ['question_id']) }}

),

listed as (

    select
        *,
        case when {{ dbt_survey_export.survey_export_has_text('question') }} then question end as question_label
    from ({{ dbt_survey_export.survey_export_question_readings() }}) as readings
    where recency = 1

),

questions as (

    select
        source_relation,
        survey_id,
        question_id,
        max(survey_name) as survey_name,
        max(case when recency = 1 then question_type end) as question_type,
        max(case when recency = 1 then answer_type end) as answer_type,
        min(collected_at) as first_answer_at,
        max(collected_at) as last_answer_at,
        count(distinct response_uuid) as number_of_answers,
        count(*) as number_of_rows,
        max(loaded_at) as loaded_at
    from answers
    group by source_relation, survey_id, question_id

)

select
    questions.source_relation,
    questions.survey_id,
    questions.survey_name,
    questions.question_id,
    coalesce(labels.label, listed.question_label) as label,
    listed.question,
    listed.introduction,
    questions.question_type,
    questions.answer_type,
    questions.first_answer_at,
    questions.last_answer_at,
    questions.number_of_answers,
    questions.number_of_rows,
    questions.loaded_at
from questions
left join labels using (survey_id, question_id)
left join listed using (source_relation, survey_id, question_id)
