{#
    A whole select statement: the surveys of the stream `surveys`, each as its latest reading has it, with missing_at: the
    time of the first later reading of its connection without it. All rows of a reading have one time, or times within an
    hour if survey_export_loaded_at_is_shared is false. No rows where the stream is not synced.
#}
{% macro survey_export_listed_surveys() -%}
    {%- set text = dbt.type_string() -%}
    {%- set end = 'listed.collected_at' if var('survey_export_loaded_at_is_shared') else dbt.dateadd('hour', 1, 'listed.collected_at') -%}
    with readings as (
        {% for table in dbt_survey_export.survey_export_tables('surveys', is_optional=true) %}
        select
            {{ table.source_relation }} as source_relation,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'id', text) }} as survey_id,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'name', text) }} as survey_name,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'type', text) }} as survey_type,
            {{ dbt_survey_export.survey_export_optional_timestamp(table.columns, 'created_at') }} as created_at,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'enabled', 'boolean') }} as enabled,
            {{ dbt_survey_export.survey_export_optional_timestamp(table.columns, 'collected_at') }} as collected_at
        from {{ table.relation }}
        {{ 'union all' if not loop.last }}
        {% endfor %}
    ),
    listed as (
        select *, row_number() over (partition by source_relation, survey_id order by collected_at desc) as recency from readings
    )
    select listed.source_relation, survey_id, survey_name, survey_type, created_at, enabled, min(later.collected_at) as missing_at
    from listed
    left join (select distinct source_relation, collected_at from readings) as later
        on listed.source_relation = later.source_relation and later.collected_at > {{ end }}
    where recency = 1
    group by listed.source_relation, survey_id, survey_name, survey_type, created_at, enabled
{%- endmacro %}

{# A whole select statement: every reading of every question in `survey_questions`, the latest with recency 1. #}
{% macro survey_export_question_readings() -%}
    {%- set text = dbt.type_string() -%}
    {%- set tables = dbt_survey_export.survey_export_tables('survey_questions', is_optional=true) -%}
    select *, row_number() over (partition by source_relation, survey_id, question_id order by collected_at desc) as recency
    from (
        {% for table in tables %}
        select
            {{ table.source_relation }} as source_relation,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'survey_id', text) }} as survey_id,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'id', dbt.type_bigint()) }} as question_id,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'question', text) }} as question,
            {{ dbt_survey_export.survey_export_optional(table.columns, 'introduction', text) }} as introduction,
            {{ dbt_survey_export.survey_export_json(tables, table.columns, 'answer_choices') }} as answer_choices,
            {{ dbt_survey_export.survey_export_optional_timestamp(table.columns, 'collected_at') }} as collected_at
        from {{ table.relation }}
        {{ 'union all' if not loop.last }}
        {% endfor %}
    ) as readings
{%- endmacro %}

{# A whole select statement: the choices of the questions by answer_id, each with the content that its latest reading has. #}
{% macro survey_export_listed_choices() -%}
    with readings as (
        {{ dbt_survey_export.survey_export_question_readings() }}
    ),
    choices as (
        {{ dbt_survey_export.survey_export_json_pairs('readings', ['source_relation', 'survey_id', 'question_id', 'collected_at'], 'answer_choices', 'id', 'content') }}
    ),
    latest as (
        select
            *,
            row_number() over (
                partition by source_relation, survey_id, question_id, name order by collected_at desc, position
            ) as recency
        from choices
    )
    select source_relation, survey_id, question_id, {{ dbt.safe_cast('name', dbt.type_bigint()) }} as answer_id, value as content
    from latest
    where recency = 1 and {{ dbt_survey_export.survey_export_has_text('value') }}
{%- endmacro %}
