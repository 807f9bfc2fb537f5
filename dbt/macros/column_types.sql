{# A number of 64 bits. What dbt.type_float() gives has 32 on DuckDB. #}
{% macro survey_export_double() -%}
    {{ return(adapter.dispatch('survey_export_double', 'dbt_survey_export')()) }}
{%- endmacro %}

{% macro default__survey_export_double() -%}
    {{ return('double precision') }}
{%- endmacro %}

{% macro bigquery__survey_export_double() -%}
    {{ return('float64') }}
{%- endmacro %}

{# A timestamp without time zone. On Snowflake, what dbt.type_timestamp() gives has one if a session says so. #}
{% macro survey_export_timestamp() -%}
    {{ return(adapter.dispatch('survey_export_timestamp', 'dbt_survey_export')()) }}
{%- endmacro %}

{% macro default__survey_export_timestamp() -%}
    {{ return(dbt.type_timestamp()) }}
{%- endmacro %}

{% macro snowflake__survey_export_timestamp() -%}
    {{ return('timestamp_ntz') }}
{%- endmacro %}
