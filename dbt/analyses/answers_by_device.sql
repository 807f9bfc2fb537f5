-- Which answers come from which device?
-- percent is of the responses on the device that answer the question. It adds up to more than 100 if respondents choose several.
with answers as (

    select
        answers.*,
        coalesce(responses.device_type, 'unknown') as device_type,
        -- translations of one share the label that the survey or the seed answer_labels gives, or else an answer_id
        coalesce(answers.answer_label, {{ dbt.cast('answers.answer_id', dbt.type_string()) }}, answers.value_text) as choice,
        coalesce(answers.answer_label, answers.value_text) as choice_text
    from {{ ref('survey_export__answers') }} as answers
    inner join {{ ref('survey_export__responses') }} as responses using (source_relation, response_uuid)
    where
        answers.answer_type in ('single_choice', 'multiple_choice')
        and {{ dbt_survey_export.survey_export_counts(once=true, table='answers') }}

),

choices as (

    select
        source_relation,
        survey_id,
        question_id,
        device_type,
        choice,
        max(max(choice_text)) over (partition by source_relation, survey_id, question_id, choice) as choice_text,
        count(distinct response_uuid) as responses
    from answers
    group by source_relation, survey_id, question_id, device_type, choice

),

devices as (

    select
        source_relation,
        survey_id,
        question_id,
        device_type,
        count(distinct response_uuid) as responses
    from answers
    group by source_relation, survey_id, question_id, device_type

)

select
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    choices.device_type,
    choices.choice_text as choice,
    round(100.0 * choices.responses / devices.responses) as percent,
    choices.responses,
    questions.question_id
from choices
inner join devices using (source_relation, survey_id, question_id, device_type)
inner join {{ ref('survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
order by
    questions.survey_name asc,
    questions.source_relation asc,
    questions.survey_id asc,
    questions.question_id asc,
    choices.device_type asc,
    choices.responses desc,
    choices.choice_text asc
