{#
    The columns of survey_export__responses_wide as the seed question_labels names them: a list of
    { column, kind, questions }. The kind says which value the column holds: "number" where every answer is a
    rating or an NPS score, "boolean" where every answer is an action, and else "text".
#}
{% macro survey_export_question_columns(labels_model, answers_model) %}
    {% set found = {} %}
    {% set labels = load_relation(labels_model) if execute else none %}
    {% set answers = load_relation(answers_model) if execute else none %}
    {% if labels is not none and answers is not none %}
        {% set query %}
            select
                labels.column_name,
                labels.survey_id,
                labels.question_id,
                min(
                    case
                        when answers.answer_type in ('rating', 'nps') then 'number'
                        when answers.answer_type = 'action' then 'boolean'
                        else 'text'
                    end
                ) as lowest_kind,
                max(
                    case
                        when answers.answer_type in ('rating', 'nps') then 'number'
                        when answers.answer_type = 'action' then 'boolean'
                        else 'text'
                    end
                ) as highest_kind
            from {{ labels }} as labels
            left join {{ answers }} as answers
                on
                    answers.survey_id = cast(labels.survey_id as {{ dbt.type_string() }})
                    and answers.question_id = labels.question_id
            group by labels.column_name, labels.survey_id, labels.question_id
            order by labels.survey_id, labels.question_id, labels.column_name
        {% endset %}
        {% for row in run_query(query) %}
            {% set kind = row['lowest_kind'] if row['lowest_kind'] == row['highest_kind'] else 'text' %}
            {% set known = found.setdefault(row['column_name'], {'kind': kind, 'questions': []}) %}
            {% if known.kind != kind %}
                {% do known.update({'kind': 'text'}) %}
            {% endif %}
            {% do known.questions.append({'survey_id': row['survey_id'] | string, 'question_id': row['question_id'] | int}) %}
        {% endfor %}
    {% endif %}
    {% set columns = [] %}
    {% for column, known in found.items() %}
        {% do columns.append({'column': column, 'kind': known.kind, 'questions': known.questions}) %}
    {% endfor %}
    {{ return(columns) }}
{% endmacro %}

{# The value of such a column for one response: an aggregate over the response's answers. #}
{% macro survey_export_question_value(column) -%}
    {%- set conditions = [] -%}
    {%- for question in column.questions -%}
        {%- do conditions.append(
            '(survey_id = ' ~ dbt.string_literal(dbt.escape_single_quotes(question.survey_id))
            ~ ' and question_id = ' ~ question.question_id ~ ')'
        ) -%}
    {%- endfor -%}
    {%- set condition = conditions | join(' or ') -%}
    {%- if column.kind == 'number' -%}
        max(case when {{ condition }} then value_number end)
    {%- elif column.kind == 'boolean' -%}
        {{ dbt.bool_or('case when ' ~ condition ~ ' then value_boolean end') }}
    {%- else -%}
        {{ dbt.listagg('case when ' ~ condition ~ ' then value_text end', "'; '", 'order by question_id, position') }}
    {%- endif -%}
{%- endmacro %}
