{# The model `actual` has the rows of the seed, and no others. The columns are those of the seed. #}
{% test matches(model, actual) %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | join(', ') if execute -%}

    select 'missing' as problem, missing.*
    from (
        select {{ columns }} from {{ model }}
        except all
        select {{ columns }} from {{ actual }}
    ) as missing
    union all
    select 'unexpected' as problem, unexpected.*
    from (
        select {{ columns }} from {{ actual }}
        except all
        select {{ columns }} from {{ model }}
    ) as unexpected
{% endtest %}
