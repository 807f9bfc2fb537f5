{#
    A whole select statement: the columns `keys` of `relation`, and the parts of the text `column` between "&", with
    one row for each `pair` and its `position`, from 1.
#}
{% macro survey_export_url_pairs(relation, keys, column) -%}
    {{ return(adapter.dispatch('survey_export_url_pairs', 'dbt_survey_export')(relation, keys | join(', '), column)) }}
{%- endmacro %}

{% macro postgres__survey_export_url_pairs(relation, keys, column) -%}
    select {{ keys }}, pairs.pair, pairs.position
    from {{ relation }}
    cross join lateral unnest(string_to_array({{ column }}, '&')) with ordinality as pairs (pair, position)
{%- endmacro %}

{% macro duckdb__survey_export_url_pairs(relation, keys, column) -%}
    select
        {{ keys }},
        unnest(string_split({{ column }}, '&')) as pair,
        generate_subscripts(string_split({{ column }}, '&'), 1) as position
    from {{ relation }}
{%- endmacro %}

{% macro snowflake__survey_export_url_pairs(relation, keys, column) -%}
    select {{ keys }}, cast(pairs.value as varchar) as pair, pairs.index + 1 as position
    from {{ relation }}
    cross join lateral flatten(input => split({{ column }}, '&')) as pairs
{%- endmacro %}

{% macro bigquery__survey_export_url_pairs(relation, keys, column) -%}
    select {{ keys }}, pair, place + 1 as position
    from {{ relation }}
    cross join unnest(split({{ column }}, '&')) as pair with offset as place
{%- endmacro %}
