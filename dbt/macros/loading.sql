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

{# A whole select statement: the keys of all snapshots, of all connections. #}
{% macro survey_export_response_keys() -%}
    {%- set text = dbt.type_string() -%}
    {% for table in dbt_survey_export.survey_export_tables('response_keys') %}
    select
        {{ table.source_relation }} as source_relation,
        cast(snapshot_id as {{ text }}) as snapshot_id,
        cast(survey_id as {{ text }}) as survey_id,
        cast(response_uuid as {{ text }}) as response_uuid,
        {{ dbt_survey_export.survey_export_loaded_at(table.columns) }} as loaded_at
    from {{ table.relation }}
    {% if not loop.last %}
    union all
    {% endif %}
    {% endfor %}
{%- endmacro %}

{# Whether a row of survey_export__responses or survey_export__answers counts in the other models. #}
{% macro survey_export_counts() -%}
    {{ 'true' if var('survey_export_keep_deleted') else 'not is_deleted' }}
{%- endmacro %}

{# Whether deletions can be told: from snapshots of all keys, and from the times of loading. #}
{% macro survey_export_tells_deletions() -%}
    {{ return(var('survey_export_using_response_keys') and var('survey_export_loaded_at') != '') }}
{%- endmacro %}
