{# The model `actual` has the rows of the seed, and no others. The columns are those of the seed. #}
{% test matches(model, actual) %}
    {%- set columns = adapter.get_columns_in_relation(model) | map(attribute='name') | join(', ') if execute -%}

    {% for problem, rows, others in [("'missing'", model, actual), ("'unexpected'", actual, model)] %}
    select {{ problem }} as problem, differing.*
    from (
        select {{ columns }} from {{ rows }}
        except all
        select {{ columns }} from {{ others }}
    ) as differing
    {{ 'union all' if not loop.last }}
    {% endfor %}
{% endtest %}
