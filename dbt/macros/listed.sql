{#
    A whole select statement: the surveys of the stream `surveys`, each as its latest reading has it, with missing_at: the
    time of the first later reading without it, once readings lack it for survey_export_warn_after_hours. Before that, another
    connection or a reading that is not whole may be the cause. If the table keeps earlier readings (Append), only those of the
    survey's connection count: from the first to the last one with a survey that was read together with it. All rows of a
    reading have one time, or times within an hour if survey_export_loaded_at_is_shared is false. Then all readings count.
#}
{% macro survey_export_listed_surveys() -%}
    {%- set is_shared = var('survey_export_loaded_at_is_shared') -%}
    {%- set end = 'listed.collected_at' if is_shared else dbt.dateadd('hour', 1, 'listed.collected_at') -%}
    {%- set hours = dbt.datediff('listed.collected_at', 'max(later.collected_at)', 'hour') -%}
    with readings as (
        {{ dbt_survey_export.survey_export_records('surveys', [
            ('text', 'id as survey_id, name as survey_name, type as survey_type'),
            ('timestamp', 'created_at'),
            ('boolean', 'enabled'),
            ('timestamp', 'collected_at'),
        ], is_optional=true) }}
    ),
    listings as (
        select
            *,
            row_number() over (partition by source_relation, survey_id order by collected_at desc) as recency,
            max(collected_at) over (partition by source_relation, survey_id) as last_at,
            lead(collected_at) over (partition by source_relation, survey_id order by collected_at) as next_at
        from readings
    ),
    listed as (
        select
            *,
            min(case when next_at > collected_at then next_at end) over (partition by source_relation, collected_at) as next_reading_at,
            max(last_at) over (partition by source_relation, collected_at) as last_reading_at,
            max(case when collected_at < last_at then 1 else 0 end) over (partition by source_relation) as has_earlier
        from listings
    )
    select
        listed.source_relation, survey_id, survey_name, survey_type, created_at, enabled,
        case when {{ hours }} >= {{ var('survey_export_warn_after_hours') | int }} then min(later.collected_at) end as missing_at
    from listed
    left join (select distinct source_relation, collected_at from readings) as later
        on listed.source_relation = later.source_relation and later.collected_at > {{ end }}
        {{ 'and (has_earlier = 0 or later.collected_at between next_reading_at and last_reading_at)' if is_shared }}
    where recency = 1
    group by listed.source_relation, survey_id, survey_name, survey_type, created_at, enabled, listed.collected_at
{%- endmacro %}

{# A whole select statement: every reading of every question in `survey_questions`, the latest with recency 1. #}
{% macro survey_export_question_readings() -%}
    select *, row_number() over (partition by source_relation, survey_id, question_id order by collected_at desc) as recency
    from (
        {{ dbt_survey_export.survey_export_records('survey_questions', [
            ('text', 'survey_id'),
            ('bigint', 'id as question_id'),
            ('text', 'question, introduction'),
            ('json', 'answer_choices'),
            ('timestamp', 'collected_at'),
        ], is_optional=true) }}
    ) as readings
{%- endmacro %}

{#
    A whole select statement: the choices of the questions by answer_id, each with the content that its latest reading has.
    An id that is no whole number is null, as in survey_answers. dbt.safe_cast ends with an error on DuckDB and PostgreSQL.
#}
{% macro survey_export_listed_choices() -%}
    {%- set digits = "rtrim(name, '0123456789')" -%}
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
    select
        source_relation, survey_id, question_id, value as content,
        case when {{ digits }} in ('', '-') and {{ digits }} <> name and length(name) < 19 then cast(name as {{ dbt.type_bigint() }}) end as answer_id
    from latest
    where recency = 1 and {{ dbt_survey_export.survey_export_has_text('value') }}
{%- endmacro %}
