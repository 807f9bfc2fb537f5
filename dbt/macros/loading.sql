{#
    When the loader stored a record: a timestamp in UTC without time zone if the column of survey_export_loaded_at is
    one, or the column as it is. Null if there is no such column.
#}
{% macro survey_export_loaded_at(columns) -%}
    {%- set name = var('survey_export_loaded_at') -%}
    {%- if not name -%}
        cast(null as {{ dbt_survey_export.survey_export_timestamp() }})
    {%- elif 'time' in columns.get(name | lower, '') -%}
        {{ dbt_survey_export.survey_export_utc_timestamp(columns, name | lower) }}
    {%- else -%}
        {{ name }}
    {%- endif -%}
{%- endmacro %}

{#
    Whether a row of survey_export__responses or survey_export__answers counts in the other models; `once`, if they count
    answers. A statement that joins both says of which `table` the row is.
#}
{% macro survey_export_counts(once=false, table=none) -%}
    {%- set row = table ~ '.' if table else '' -%}
    {{ 'true' if var('survey_export_keep_deleted') else 'not ' ~ row ~ 'is_deleted' }}
    {{- ' and not ' ~ row ~ 'is_repeated' if once }}
{%- endmacro %}

{#
    For a test that warns: logs a message with the columns of each row of its query, since the names of rows do not say what to do.
#}
{% macro survey_export_say(query, message) %}
    {% for row in (run_query(query).rows if execute and flags.WHICH in ('build', 'test') else []) %}
        {% do log(message.format(*row.values()), info=true) %}
    {% endfor %}
{% endmacro %}

{#
    1 for a row of survey_answers that comes from an earlier reading of its response, because the latest reading
    gave fewer rows; else 0.

    Rows that were read together share one time of loading where survey_export_loaded_at_is_shared says so. Then
    every row with an earlier time than another row of its response is left over. Where each record has a time of
    its own, only the order within a question is sure: a reading gives position 1 before position 2. So a row is
    left over where a row before it in the same question was loaded later.
#}
{% macro survey_export_is_left_over() -%}
    {%- set loaded_at = var('survey_export_loaded_at') -%}
    {%- if not loaded_at -%}
        0
    {%- elif var('survey_export_loaded_at_is_shared') -%}
        case when {{ loaded_at }} < max({{ loaded_at }}) over (partition by response_uuid) then 1 else 0 end
    {%- else -%}
        case when {{ loaded_at }} < max({{ loaded_at }}) over (
            partition by response_uuid, question_id order by cast(position as bigint)
            rows between unbounded preceding and current row
        ) then 1 else 0 end
    {%- endif -%}
{%- endmacro %}
