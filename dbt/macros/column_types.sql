{# Text of any length. On Redshift, what dbt.type_string() gives ends after 256 bytes. #}
{% macro survey_export_text() -%}
    {{ return(adapter.dispatch('survey_export_text', 'dbt_survey_export')()) }}
{%- endmacro %}

{% macro default__survey_export_text() -%}
    {{ return(dbt.type_string()) }}
{%- endmacro %}

{% macro redshift__survey_export_text() -%}
    {{ return('varchar(65535)') }}
{%- endmacro %}

{# A number of 64 bits. What dbt.type_float() gives has 32 on DuckDB, Spark and Databricks. #}
{% macro survey_export_double() -%}
    {{ return(adapter.dispatch('survey_export_double', 'dbt_survey_export')()) }}
{%- endmacro %}

{% macro default__survey_export_double() -%}
    {{ return('double precision') }}
{%- endmacro %}

{% macro bigquery__survey_export_double() -%}
    {{ return('float64') }}
{%- endmacro %}

{% macro spark__survey_export_double() -%}
    {{ return('double') }}
{%- endmacro %}

{#
    A checksum of a whole text, which local_md5 gives too if the database stores UTF-8. Names from data, seeds and variables
    are compared by it: databases differ in how a literal has a backslash or a quote. dbt.hash() takes 256 bytes on Redshift.
#}
{% macro survey_export_checksum(text) -%}
    {{ return(adapter.dispatch('survey_export_checksum', 'dbt_survey_export')(text)) }}
{%- endmacro %}

{% macro default__survey_export_checksum(text) -%}
    md5({{ text }})
{%- endmacro %}

{% macro bigquery__survey_export_checksum(text) -%}
    to_hex(md5({{ text }}))
{%- endmacro %}

{# A timestamp without time zone. dbt.type_timestamp() has one on Spark and Databricks, and on Snowflake if a session says so. #}
{% macro survey_export_timestamp() -%}
    {{ return(adapter.dispatch('survey_export_timestamp', 'dbt_survey_export')()) }}
{%- endmacro %}

{% macro default__survey_export_timestamp() -%}
    {{ return(dbt.type_timestamp()) }}
{%- endmacro %}

{% macro snowflake__survey_export_timestamp() -%}
    {{ return('timestamp_ntz') }}
{%- endmacro %}

{% macro spark__survey_export_timestamp() -%}
    {{ return('timestamp_ntz') }}
{%- endmacro %}
