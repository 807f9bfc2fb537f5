{# A list of the parts of a text between separators. #}
{% macro survey_export_split(text, separator) -%}
    {{ return(adapter.dispatch('survey_export_split', 'dbt_survey_export')(text, separator)) }}
{%- endmacro %}

{% macro default__survey_export_split(text, separator) -%}
    string_to_array({{ text }}, {{ separator }})
{%- endmacro %}

{% macro duckdb__survey_export_split(text, separator) -%}
    string_split({{ text }}, {{ separator }})
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

{% macro default__survey_export_url_decode(text) -%}
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
