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

{% macro spark__survey_export_url_pairs(relation, keys, column) -%}
    select {{ keys }}, pair, cast(place + 1 as bigint) as position
    from {{ relation }}
    lateral view posexplode(split({{ column }}, '&')) pairs as place, pair
{%- endmacro %}

{% macro default__survey_export_url_pairs(relation, keys, column) -%}
    {{ exceptions.raise_compiler_error(
        'survey_export__url_parameters: ' ~ target.type ~ ' has no function that decodes URLs. Set the variable '
        ~ 'survey_export_using_url_parameters to false. Or write the macros ' ~ target.type
        ~ '__survey_export_url_pairs and ' ~ target.type ~ '__survey_export_url_decode, as dbt/README.md says.'
    ) }}
{%- endmacro %}

{#
    A part of a URL's query as people read it: "+" is a space, "%C3%B6" is "ö". A text whose escapes are not
    valid UTF-8 stays as it is.
#}
{% macro survey_export_url_decode(text) -%}
    {{ return(adapter.dispatch('survey_export_url_decode', 'dbt_survey_export')(text)) }}
{%- endmacro %}

{% macro duckdb__survey_export_url_decode(text) -%}
    coalesce(try(url_decode(replace({{ text }}, '+', ' '))), {{ text }})
{%- endmacro %}

{% macro snowflake__survey_export_url_decode(text) -%}
    coalesce(
        try_hex_decode_string(array_to_string(transform(
            regexp_substr_all(replace({{ text }}, '+', ' '), '%[0-9A-Fa-f]{2}|[^%]+|%'),
            part varchar -> iff(regexp_like(part, '%[0-9A-Fa-f]{2}'), substr(part, 2), hex_encode(part))
        ), '')),
        {{ text }}
    )
{%- endmacro %}

{% macro bigquery__survey_export_url_decode(text) -%}
    coalesce(safe_cast(from_hex((
        select
            string_agg(
                if(regexp_contains(part, '^%[0-9A-Fa-f]{2}$'), substr(part, 2), to_hex(cast(part as bytes))), ''
                order by place
            )
        from unnest(regexp_extract_all(replace({{ text }}, '+', ' '), '%[0-9A-Fa-f]{2}|[^%]+|%')) as part
            with offset as place
    )) as string), {{ text }})
{%- endmacro %}

{# url_decode fails for a "%" without digits, and makes U+FFFD of what is no UTF-8. #}
{% macro spark__survey_export_url_decode(text) -%}
    {%- set decoded -%}
        url_decode(regexp_replace({{ text }}, '%(?![0-9A-Fa-f]{2})', '%25'))
    {%- endset -%}
    case
        when instr({{ decoded }}, '�') > 0 and instr({{ text }}, '�') + instr({{ text }}, '%EF%BF%BD') = 0 then {{ text }}
        else {{ decoded }}
    end
{%- endmacro %}

{% macro postgres__survey_export_url_decode(text) -%}
    {%- set next = '%[89AaBb][0-9A-Fa-f]' -%}
    {%- set character = [
        '%(?:0[1-9A-Fa-f]|[1-7][0-9A-Fa-f])',
        '%(?:[Cc][2-9A-Fa-f]|[Dd][0-9A-Fa-f])' ~ next,
        '%[Ee]0%[AaBb][0-9A-Fa-f]' ~ next,
        '%[Ee][1-9A-Ca-cEeFf]' ~ next ~ next,
        '%[Ee][Dd]%[89][0-9A-Fa-f]' ~ next,
        '%[Ff]0%[9AaBb][0-9A-Fa-f]' ~ next ~ next,
        '%[Ff][1-3]' ~ next ~ next ~ next,
        '%[Ff]4%8[0-9A-Fa-f]' ~ next ~ next,
    ] | join('|') -%}
    {%- set plain = '[^%]|%(?![0-9A-Fa-f]{2})' -%}
    case
        when {{ text }} ~ '^(?:{{ plain }}|{{ character }})*$' then coalesce((
            select
                convert_from(
                    string_agg(
                        case
                            when part.matched[1] ~ '^%[0-9A-Fa-f]{2}$' then decode(substr(part.matched[1], 2), 'hex')
                            else convert_to(part.matched[1], 'UTF8')
                        end,
                        ''::bytea order by part.place
                    ),
                    'UTF8'
                )
            from regexp_matches(replace({{ text }}, '+', ' '), '(%[0-9A-Fa-f]{2}|[^%]+|%)', 'g')
                with ordinality as part (matched, place)
        ), '')
        else {{ text }}
    end
{%- endmacro %}
