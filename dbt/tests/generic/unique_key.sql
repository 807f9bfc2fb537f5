{# No two rows have the same values in these columns, and none of them is null. #}
{% test survey_export_unique_key(model, columns) %}

    select {{ columns | join(', ') }}
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1 {%- for column in columns %} or {{ column }} is null {%- endfor %}

{% endtest %}
