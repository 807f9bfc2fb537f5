{# A number as text, the same on every database: 1 and not 1.0. A bigint has room for numbers below 10^15. #}
{% macro survey_export_number_as_text(number) -%}
    case
        when abs({{ number }}) < 1e15 and {{ number }} = floor({{ number }})
            then {{ dbt.cast("cast(" ~ number ~ " as bigint)", dbt.type_string()) }}
        else {{ dbt.cast(number, dbt.type_string()) }}
    end
{%- endmacro %}
