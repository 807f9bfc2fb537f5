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

{# Whether a row of survey_export__responses or survey_export__answers counts in the other models. #}
{% macro survey_export_counts() -%}
    {{ 'true' if var('survey_export_keep_deleted') else 'not is_deleted' }}
{%- endmacro %}

{# Whether deletions can be told: from snapshots of all keys, and from the times of loading. #}
{% macro survey_export_tells_deletions() -%}
    {{ return(var('survey_export_using_response_keys') and var('survey_export_loaded_at') != '') }}
{%- endmacro %}
