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

{#
    A part of a URL's query with its spaces, and where the database can, all of its escapes decoded. If one of them is not valid
    UTF-8 (%FF), or is %00, they stay; `valid` matches the others. A % without two digits is no escape.
#}
{% macro survey_export_url_decoded(text) -%}
    {%- set valid = "'%(?:0[1-9a-f]|[1-7][0-9a-f]|(?:c[2-9a-f]|d[0-9a-f]|(?:e0%[ab]|e[1-9abcef]%[89ab]|ed%[89]|"
        ~ "(?:f0%[9ab]|f[1-3]%[89ab]|f4%8)[0-9a-f]%[89ab])[0-9a-f])%[89ab][0-9a-f])'" -%}
    {{ return(adapter.dispatch('survey_export_url_decoded', 'dbt_survey_export')('replace(' ~ text ~ ", '+', ' ')", valid)) }}
{%- endmacro %}

{% macro default__survey_export_url_decoded(text, valid) -%}
    replace({{ text }}, '%20', ' ')
{%- endmacro %}

{% macro duckdb__survey_export_url_decoded(text, valid) -%}
    {%- set others = 'regexp_replace(' ~ text ~ ', ' ~ valid ~ ", ' ', 'gi')" -%}
    case when regexp_matches({{ others }}, '%[0-9a-f]{2}', 'i') then {{ text }} else url_decode({{ text }}) end
{%- endmacro %}

{% macro postgres__survey_export_url_decoded(text, valid) -%}
    case
        when strpos({{ text }}, '%') = 0 or regexp_replace({{ text }}, {{ valid }}, ' ', 'gi') ~* '%[0-9a-f]{2}' then {{ text }}
        else (
            select string_agg(coalesce(convert_from(decode(replace(run[1], '%', ''), 'hex'), 'UTF8'), run[2]), '' order by place)
            from regexp_matches({{ text }}, '((?:' || {{ valid }} || ')+)|([^%]+|%)', 'gi') with ordinality as runs (run, place)
        )
    end
{%- endmacro %}
