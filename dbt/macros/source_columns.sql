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
    A column as a timestamp without time zone, in UTC. Airbyte's destinations and plain loaders make a timestamp
    with time zone, one without, or text of it, so the type is looked up.
#}
{% macro survey_export_utc_timestamp(columns, column_name) -%}
    {%- if columns.get(column_name) in ('timestamptz', 'timestamp with time zone') -%}
        timezone('UTC', {{ column_name }})
    {%- else -%}
        cast({{ column_name }} as {{ dbt.type_timestamp() }})
    {%- endif -%}
{%- endmacro %}
