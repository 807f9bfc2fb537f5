{# The columns that the table of a stream has, each name in lower case with its type. #}
{% macro survey_export_source_columns(table_name) %}
    {% set found = {} %}
    {% if execute %}
        {% for column in adapter.get_columns_in_relation(source('survey_export', table_name)) %}
            {% do found.update({column.name | lower: column.dtype | lower}) %}
        {% endfor %}
    {% endif %}
    {{ return(found) }}
{% endmacro %}

{#
    A column that may be missing, as this type. Some loaders (dlt) make no column for a field that was null in
    every record, and some (airbyte-serverless) make every column text. The columns of the keys are not read with
    this macro: a table without them is the wrong table, and the database says which column is missing.
#}
{% macro survey_export_optional(columns, column_name, type) -%}
    {%- if column_name in columns -%}
        cast({{ column_name }} as {{ type }})
    {%- else -%}
        cast(null as {{ type }})
    {%- endif -%}
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

{% macro spark__survey_export_utc_timestamp(column_name, type) -%}
    {%- if type == 'timestamp_ntz' -%}
        {{ column_name }}
    {%- else -%}
        cast(to_utc_timestamp(cast({{ column_name }} as timestamp), current_timezone()) as timestamp_ntz)
    {%- endif -%}
{%- endmacro %}
