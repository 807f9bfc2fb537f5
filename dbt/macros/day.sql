{# The day of a timestamp in UTC, in the time zone of survey_export_time_zone. #}
{% macro survey_export_day(timestamp) -%}
    {%- set zone = var('survey_export_time_zone') -%}
    {%- if zone == 'UTC' -%}
        cast({{ timestamp }} as date)
    {%- else -%}
        {%- set name = dbt_survey_export.survey_export_plain_string(zone, 'survey_export_time_zone') -%}
        cast({{ adapter.dispatch('survey_export_local_time', 'dbt_survey_export')(timestamp, name) }} as date)
    {%- endif -%}
{%- endmacro %}

{% macro default__survey_export_local_time(timestamp, zone) -%}
    timezone({{ zone }}, timezone('UTC', {{ timestamp }}))
{%- endmacro %}

{% macro bigquery__survey_export_local_time(timestamp, zone) -%}
    datetime({{ timestamp }}, {{ zone }})
{%- endmacro %}

{% macro snowflake__survey_export_local_time(timestamp, zone) -%}
    convert_timezone('UTC', {{ zone }}, {{ timestamp }})
{%- endmacro %}
