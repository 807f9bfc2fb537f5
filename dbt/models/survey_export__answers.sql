{%- set tables = dbt_survey_export.survey_export_tables('survey_answers') -%}
{%- set text = dbt.type_string() -%}
{%- set double = dbt_survey_export.survey_export_double() -%}
{%- set never = dbt_survey_export.survey_export_optional_timestamp({}, 'never') -%}
{%- set tells_deletions = dbt_survey_export.survey_export_tells_by_keys() or var('survey_export_survey_deletes_responses') -%}

with answers as (

    {% for table in tables %}
    select
        {{ table.source_relation }} as source_relation,
        cast(response_uuid as {{ text }}) as response_uuid,
        {{ dbt_survey_export.survey_export_utc_timestamp(table.columns, 'collected_at') }} as collected_at,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'survey_id', text) }} as survey_id,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'survey_name', text) }} as survey_name,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'respondent_uuid', text) }} as respondent_uuid,
        cast(question_id as bigint) as question_id,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'question_type', text) }} as question_type,
        cast(position as bigint) as position,
        cast(answer_type as {{ text }}) as answer_type,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'answer_id', 'bigint') }} as answer_id,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'label', text) }} as label,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'value_text', text) }} as value_text,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'value_number', double) }} as value_number,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'value_boolean', 'boolean') }} as value_boolean,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'comment', text) }} as comment,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'nps_tag', text) }} as nps_tag,
        {{ dbt_survey_export.survey_export_json(tables, table.columns, 'additional_fields') }} as additional_fields,
        {{ dbt_survey_export.survey_export_loaded_at(table.columns) }} as loaded_at
    from (
        select
            *,
            row_number() over (
                partition by response_uuid, question_id, position
                order by {{ dbt_survey_export.survey_export_latest_first() }}
            ) as version,
            {{ dbt_survey_export.survey_export_is_left_over() }} as is_left_over
        from {{ table.relation }}
    ) as versions
    where version = 1 and is_left_over = 0
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

answer_labels as (

    select
        cast(survey_id as {{ text }}) as survey_id,
        cast(question_id as {{ dbt.type_bigint() }}) as question_id,
        cast(answer_id as {{ dbt.type_bigint() }}) as answer_id,
        max(trim(cast(label as {{ text }}))) as label
    from {{ dbt_survey_export.survey_export_labels('answer_labels') }}
    where {{ dbt_survey_export.survey_export_has_text('cast(label as ' ~ text ~ ')') }}
    group by survey_id, question_id, answer_id

),

choices as (

    {{ dbt_survey_export.survey_export_listed_choices() }}

)

select
    answers.*,
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
    {{ 'coalesce(responses.is_deleted, false)' if tells_deletions else 'false' }} as is_deleted,
    {{ 'responses.deleted_seen_at' if tells_deletions else never }} as deleted_seen_at
from answers
left join answer_labels using (survey_id, question_id, answer_id)
left join choices using (source_relation, survey_id, question_id, answer_id)
{% if tells_deletions %}
left join {{ ref('survey_export__responses') }} as responses using (source_relation, response_uuid)
{% endif %}
