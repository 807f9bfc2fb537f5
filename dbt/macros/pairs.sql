{#
    A whole select statement that takes a list of names and values apart: the columns `keys` of `relation`, and

        position    bigint, from 1, the element's place in the list
        name        text, the field `name` of the element, null if it has none or is no object
        value       text, the field `value`: a string as it is, all else as JSON, null if there is none

    with one row for each element of the JSON array in `column`, which is JSON or text. A value that is null, or no
    array, gives no row.
#}
{% macro survey_export_json_pairs(relation, keys, column, name='name', value='value') -%}
    {{ return(adapter.dispatch('survey_export_json_pairs', 'dbt_survey_export')(relation, keys | join(', '), column, name, value)) }}
{%- endmacro %}

{% macro postgres__survey_export_json_pairs(relation, keys, column, name, value) -%}
    {#- A strict path and `silent => true`: a value that is no array gives no row, and no error. -#}
    select
        {{ keys }},
        pairs.position,
        pairs.pair #>> '{ {{ name }} }' as name,
        pairs.pair #>> '{ {{ value }} }' as value
    from {{ relation }}
    cross join lateral jsonb_path_query(cast(cast({{ column }} as text) as jsonb), 'strict $[*]', '{}', true)
        with ordinality as pairs (pair, position)
{%- endmacro %}

{% macro duckdb__survey_export_json_pairs(relation, keys, column, name, value) -%}
    {%- set list = "json_extract(cast(" ~ column ~ " as json), '$[*]')" -%}
    select
        {{ keys }},
        position,
        json_extract_string(pair, '$.{{ name }}') as name,
        json_extract_string(pair, '$.{{ value }}') as value
    from (
        select {{ keys }}, unnest({{ list }}) as pair, generate_subscripts({{ list }}, 1) as position
        from {{ relation }}
    ) as pairs
{%- endmacro %}

{% macro snowflake__survey_export_json_pairs(relation, keys, column, name, value) -%}
    select
        {{ keys }},
        pairs.index + 1 as position,
        cast(pairs.value:{{ name }} as varchar) as name,
        cast(pairs.value:{{ value }} as varchar) as value
    from {{ relation }}
    cross join lateral flatten(input => as_array(try_parse_json(cast({{ column }} as varchar)))) as pairs
{%- endmacro %}

{% macro bigquery__survey_export_json_pairs(relation, keys, column, name, value) -%}
    select
        {{ keys }},
        place + 1 as position,
        coalesce(json_value(pair, '$.{{ name }}'), json_query(pair, '$.{{ name }}')) as name,
        coalesce(json_value(pair, '$.{{ value }}'), json_query(pair, '$.{{ value }}')) as value
    from {{ relation }} as lists
    cross join unnest(json_query_array(
        coalesce(json_value(to_json_string(lists.{{ column }})), to_json_string(lists.{{ column }}))
    )) as pair
        with offset as place
{%- endmacro %}

{#
    A whole select statement: the columns `keys` of `relation`, and the parts of the text `column` between "&", with
    one row for each `pair` and its `position`, from 1.
#}
{% macro survey_export_url_pairs(relation, keys, column) -%}
    {{ return(adapter.dispatch('survey_export_url_pairs', 'dbt_survey_export')(relation, keys | join(', '), column)) }}
{%- endmacro %}

{% macro default__survey_export_url_pairs(relation, keys, column) -%}
    {%- set list = 'string_to_array(' ~ column ~ ", '&')" -%}
    select {{ keys }}, unnest({{ list }}) as pair, cast(generate_subscripts({{ list }}, 1) as bigint) as position
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
