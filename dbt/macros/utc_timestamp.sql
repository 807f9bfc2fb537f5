{#
    A column of a source as a timestamp without time zone, in UTC. Airbyte's destinations and plain loaders
    make a timestamp with time zone, one without, or text of it, so the type is looked up.
#}
{% macro survey_export_utc_timestamp(source_name, table_name, column_name) -%}
    {%- set found = namespace(has_zone=false) -%}
    {%- if execute -%}
        {%- for column in adapter.get_columns_in_relation(source(source_name, table_name)) -%}
            {%- if column.name | lower == column_name -%}
                {%- set type = column.dtype | lower -%}
                {%- set found.has_zone = type in ('timestamptz', 'timestamp with time zone') -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {%- if found.has_zone -%}
        timezone('UTC', {{ column_name }})
    {%- else -%}
        cast({{ column_name }} as {{ dbt.type_timestamp() }})
    {%- endif -%}
{%- endmacro %}
