{# A timestamp without time zone. On Snowflake, what dbt.type_timestamp() gives has one if a session says so. #}
{% macro survey_export_timestamp() -%}
    {{ return('timestamp_ntz' if target.type == 'snowflake' else dbt.type_timestamp()) }}
{%- endmacro %}

{#
    A column as a timestamp without time zone, in UTC; on BigQuery, whose days are those of UTC, as its timestamp.
    Airbyte's destinations and plain loaders make a timestamp with time zone, one without, or text of it, so the type
    is looked up.
#}
{% macro survey_export_utc_timestamp(columns, column_name) -%}
    {{ return(adapter.dispatch('survey_export_utc_timestamp', 'dbt_survey_export')(column_name, columns.get(column_name, ''))) }}
{%- endmacro %}

{% macro default__survey_export_utc_timestamp(column_name, type) -%}
    {%- if type in ('timestamptz', 'timestamp with time zone') -%}
        timezone('UTC', {{ column_name }})
    {%- else -%}
        cast({{ column_name }} as {{ dbt_survey_export.survey_export_timestamp() }})
    {%- endif -%}
{%- endmacro %}

{% macro bigquery__survey_export_utc_timestamp(column_name, type) -%}
    cast({{ column_name }} as timestamp)
{%- endmacro %}

{% macro snowflake__survey_export_utc_timestamp(column_name, type) -%}
    {%- if type.startswith('timestamp_ntz') -%}
        {{ column_name }}
    {%- else -%}
        cast(convert_timezone('UTC', cast({{ column_name }} as timestamp_tz)) as timestamp_ntz)
    {%- endif -%}
{%- endmacro %}

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

{# The earlier of two timestamps; one alone if the other is null. #}
{% macro survey_export_earlier(one, other) -%}
    case when {{ one }} <= {{ other }} then {{ one }} else coalesce({{ other }}, {{ one }}) end
{%- endmacro %}
