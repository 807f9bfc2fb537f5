{%- set fixed_columns = [
    'source_relation', 'response_uuid', 'collected_at', 'survey_id', 'survey_name', 'survey_type', 'respondent_uuid',
    'url', 'device_type', 'operating_system', 'platform', 'language', 'loaded_at',
] -%}
{%- set columns = dbt_survey_export.survey_export_question_columns(
    dbt_survey_export.survey_export_labels('question_labels'), ref('survey_export__answers'),
    ref('survey_export__questions'), fixed_columns + ['is_deleted']
) -%}
{%- set wide_surveys = columns.values() | map(attribute='questions') | sum(start=[]) | map(attribute='survey_id') | unique -%}
{#- A number is text as it is on every database: 1 and not 1.0. A bigint has room for numbers below 10^15. -#}
{%- set said -%}
coalesce(
            value_text,
            case
                when abs(value_number) < 1e15 and value_number = floor(value_number)
                    then {{ dbt.cast("cast(value_number as bigint)", dbt.type_string()) }}
                else {{ dbt.cast("value_number", dbt.type_string()) }}
            end,
            {{ dbt.cast("value_boolean", dbt.type_string()) }}
        )
{%- endset -%}
{%- set selected = [] -%}
{%- for column in fixed_columns -%}
{%- do selected.append('responses.' ~ column) -%}
{%- endfor -%}
{%- for column in columns -%}
{%- do selected.append('wide.' ~ column) -%}
{%- endfor -%}

with answers as (

    select
        source_relation,
        response_uuid,
        {{ dbt.hash('survey_id') }} as survey_checksum,
        question_id,
        position,
        value_number,
        value_boolean,
        case
            when label is null then coalesce(answer_label, {{ said }})
            else {{ dbt.concat(["coalesce(answer_label, label)", "': '", "coalesce(" ~ said ~ ", '')"]) }}
        end as value_text
    from {{ ref('survey_export__answers') }}
    where
        {{ dbt_survey_export.survey_export_counts(once=true) }}
        and {{ dbt_survey_export.survey_export_is_one_of('survey_id', wide_surveys) }}

),

wide as (

    select
        {% for column, known in columns.items() %}
        {{ dbt_survey_export.survey_export_question_value(known) }} as {{ column }},
        {% endfor %}
        source_relation,
        response_uuid
    from answers
    group by source_relation, response_uuid

)

select
    {{ selected | join(',\n    ') }}
from {{ ref('survey_export__responses') }} as responses
left join wide using (source_relation, response_uuid)
where {{ dbt_survey_export.survey_export_counts() }}
