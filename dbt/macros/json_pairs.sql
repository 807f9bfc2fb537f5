{#
    A whole select statement that takes a list of names and values apart: the columns `keys` of `relation`, and

        position    bigint, from 1, the object's place in the list
        name        text, the object's field "name", null where it has none
        value       text, the field "value": a string as it is, all else as JSON, null where it has none

    with one row for each object of the JSON array in `column`, which is JSON or text. A value that is null, or no
    array, gives no row.
#}
{% macro survey_export_json_pairs(relation, keys, column) -%}
    {{ return(adapter.dispatch('survey_export_json_pairs', 'dbt_survey_export')(relation, keys, column)) }}
{%- endmacro %}

{% macro postgres__survey_export_json_pairs(relation, keys, column) -%}
    select
        {% for key in keys %}
        lists.{{ key }},
        {% endfor %}
        pairs.position,
        pairs.pair ->> 'name' as name,
        pairs.pair ->> 'value' as value
    from (
        select
            *,
            cast(cast({{ column }} as text) as jsonb) as list
        from {{ relation }}
    ) as lists
    cross join lateral jsonb_array_elements(
        case when jsonb_typeof(lists.list) = 'array' then lists.list else '[]' end
    ) with ordinality as pairs (pair, position)
{%- endmacro %}

{% macro duckdb__survey_export_json_pairs(relation, keys, column) -%}
    select
        {% for key in keys %}
        lists.{{ key }},
        {% endfor %}
        pairs.position,
        json_extract_string(pairs.pair, '$.name') as name,
        json_extract_string(pairs.pair, '$.value') as value
    from (
        select
            *,
            case when json_type(cast({{ column }} as json)) = 'ARRAY' then cast(cast({{ column }} as json) as json []) end as list
        from {{ relation }}
    ) as lists
    cross join lateral (
        select
            unnest(lists.list) as pair,
            generate_subscripts(lists.list, 1) as position
    ) as pairs
{%- endmacro %}

{# A JSON column as JSON text. A text column stays as it is. #}
{% macro survey_export_json_text(column) -%}
    {{ return(adapter.dispatch('survey_export_json_text', 'dbt_survey_export')(column)) }}
{%- endmacro %}

{% macro default__survey_export_json_text(column) -%}
    cast({{ column }} as {{ dbt.type_string() }})
{%- endmacro %}
