{%- set text = dbt.type_string() -%}
{%- set columns = [
    ('text key', 'response_uuid'),
    ('timestamp key', 'collected_at'),
    ('text', 'survey_id, survey_name, respondent_uuid'),
    ('bigint key', 'question_id'),
    ('text', 'question_type'),
    ('bigint key', 'position'),
    ('text key', 'answer_type'),
    ('bigint', 'answer_id'),
    ('text', 'label, value_text'),
    ('double', 'value_number'),
    ('boolean', 'value_boolean'),
    ('text', 'comment, nps_tag'),
    ('json', 'additional_fields'),
] -%}
{%- set name_of_responses = 'max(responses.survey_name) over (partition by answers.source_relation, answers.survey_id)' -%}
{%- set survey_name = 'coalesce(' ~ name_of_responses ~ ', answers.survey_name)' %}

with answers as (

    {{ dbt_survey_export.survey_export_records(
        'survey_answers', columns, 'response_uuid, question_id, position', dbt_survey_export.survey_export_is_left_over()
    ) }}

),

answer_labels as (

    {{ dbt_survey_export.survey_export_labels_by('answer_labels', ['question_id', 'answer_id']) }}

),

choices as (

    {{ dbt_survey_export.survey_export_listed_choices() }}

)

select
    {{ dbt_survey_export.survey_export_columns_of('answers', columns, {'survey_name': survey_name}) }},
    coalesce(answer_labels.label, choices.content) as answer_label,
    row_number() over (
        partition by
            answers.source_relation, answers.survey_id, answers.response_uuid, answers.question_id,
            case
                when answers.answer_type not in ('single_choice', 'nps', 'rating', 'text', 'number', 'boolean')
                    then answers.answer_type
            end,
            case
                when answers.answer_type in ('multiple_choice', 'matrix', 'ranking', 'strings')
                    then coalesce(cast(answers.answer_id as {{ text }}), answers.label, answers.value_text)
                when answers.answer_type in ('contact_form', 'other') then cast(answers.position as {{ text }})
            end
        order by answers.value_number is null, coalesce(answers.nps_tag, answers.value_text) is null, answers.position
    ) > 1 as is_repeated,
    coalesce(responses.is_deleted, false) as is_deleted,
    responses.deleted_seen_at
from answers
left join answer_labels using (survey_id, question_id, answer_id)
left join choices using (source_relation, survey_id, question_id, answer_id)
left join {{ ref('survey_export__responses') }} as responses using (source_relation, response_uuid)
