{# The schemas of survey_export_schema, one for each connection, as a list. #}
{% macro survey_export_schemas() %}
    {% set schemas = var('survey_export_schema') or target.schema %}
    {{ return([schemas] if schemas is string else schemas) }}
{% endmacro %}

{#
    The tables of a stream, one for each schema of survey_export_schema, as a list of { relation, columns,
    source_relation }: the columns by name in lower case with their types, and the schema as an SQL string. Where the
    stream `is_optional` and a connection does not sync it, its table has no columns and no rows.
#}
{% macro survey_export_tables(stream, is_optional=false) %}
    {% set source_table = source('survey_export', stream) %}
    {% set tables = [] %}
    {% for schema in dbt_survey_export.survey_export_schemas() %}
        {% set relation = source_table.incorporate(path={'schema': schema}) %}
        {% set columns = {} %}
        {% if execute and is_optional and load_relation(relation) is none %}
            {% set relation = '(select 1 as nothing limit 0) as not_synced' %}
        {% elif execute %}
            {% for column in adapter.get_columns_in_relation(relation) %}
                {% do columns.update({column.name | lower: column.dtype | lower}) %}
            {% endfor %}
        {% endif %}
        {% set name = dbt_survey_export.survey_export_plain_string(schema, 'survey_export_schema') %}
        {% do tables.append({'relation': relation, 'columns': columns, 'source_relation': name}) %}
    {% endfor %}
    {{ return(tables) }}
{% endmacro %}

{# The value of a variable as an SQL string. Databases differ in how a string has a backslash or a quote, so it has none. #}
{% macro survey_export_plain_string(value, variable) %}
    {% if not modules.re.fullmatch('[A-Za-z0-9_ .:$/+-]+', value) %}
        {% do exceptions.raise_compiler_error(
            'The variable ' ~ variable ~ ' has the value "' ~ value ~ '". Only letters from a to z, digits, spaces and '
            ~ '_ . : $ / + - can be in it.'
        ) %}
    {% endif %}
    {{ return("'" ~ value ~ "'") }}
{% endmacro %}
