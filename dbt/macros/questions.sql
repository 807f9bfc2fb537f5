{#
    The table with the names of questions or answers, for `seed` is question_labels or answer_labels: the package's empty
    seed, or what the variable survey_export_<seed> names in the project of the user, such as your_project.question_labels.
    With the project's name, dbt does not warn that the package depends on a node of the project.
#}
{% macro survey_export_labels(seed) %}
    {% set place = (var('survey_export_' ~ seed) or 'dbt_survey_export.' ~ seed).split('.') %}
    {{ return(ref(place[0], place[1])) }}
{% endmacro %}

{#
    The columns of survey_export__responses_wide as question_labels names them: a list of
    { column, kind, questions }. The kind says which value the column holds: "number" or "boolean" where every
    answer has one, as a rating or an action has, and else "text". Answers that are not known (null, or of a kind
    that the source does not know) do not count.
#}
{% macro survey_export_question_columns(labels_model, answers_model, fixed_columns) %}
    {% set found = {} %}
    {% set labels = load_relation(labels_model) if execute else none %}
    {% set answers = load_relation(answers_model) if execute else none %}
    {% if labels is not none and answers is not none %}
        {% set kind = dbt_survey_export.survey_export_value_kind('answers.answer_type') %}
        {# cast, since a column of a seed that is empty in every row has the type integer #}
        {% set name = 'trim(cast(labels.column_name as ' ~ dbt.type_string() ~ '))' %}
        {% set query %}
            select
                {{ name }} as column_name,
                labels.survey_id,
                labels.question_id,
                min({{ kind }}) as lowest_kind,
                max({{ kind }}) as highest_kind
            from {{ labels }} as labels
            left join {{ answers }} as answers
                on
                    answers.survey_id = cast(labels.survey_id as {{ dbt.type_string() }})
                    and answers.question_id = cast(labels.question_id as {{ dbt.type_bigint() }})
                    and {{ dbt_survey_export.survey_export_counts() }}
            where {{ dbt_survey_export.survey_export_has_text(name) }}
            group by {{ name }}, labels.survey_id, labels.question_id
            order by labels.survey_id, labels.question_id, {{ name }}
        {% endset %}
        {% for row in run_query(query) %}
            {# by number, since Snowflake gives the names of columns in upper case #}
            {% set known = found.setdefault(row[0], {'kinds': [], 'questions': []}) %}
            {% for kind in [row[3], row[4]] if kind is not none %}
                {% do known.kinds.append(kind) %}
            {% endfor %}
            {% do known.questions.append({'survey_id': row[1] | string, 'question_id': row[2] | int}) %}
        {% endfor %}
    {% endif %}
    {% do dbt_survey_export.survey_export_check_column_names(found.keys(), fixed_columns) %}
    {% set columns = [] %}
    {% for column, known in found.items() %}
        {% set kinds = known.kinds | unique | list %}
        {% set kind = kinds[0] if kinds | length == 1 else 'text' %}
        {% do columns.append({'column': column, 'kind': kind, 'questions': known.questions}) %}
    {% endfor %}
    {{ return(columns) }}
{% endmacro %}

{#
    Ends dbt if a name is no column's name without quotes, or if two columns would have the same name. Databases differ:
    one takes "NPS" and "nps" for the same name, and another does not.
#}
{% macro survey_export_check_column_names(names, fixed_columns) %}
    {% set taken = {} %}
    {% for name in names %}
        {% set lower = name | lower %}
        {% if not modules.re.fullmatch('[A-Za-z_][A-Za-z0-9_]*', name) %}
            {% do exceptions.raise_compiler_error(
                'The seed question_labels has the column_name "' ~ name ~ '". Choose a column_name of letters from a to '
                ~ 'z, digits and _ that does not begin with a digit.'
            ) %}
        {% elif lower in fixed_columns %}
            {% do exceptions.raise_compiler_error(
                'The seed question_labels has the column_name "' ~ name ~ '". survey_export__responses_wide has a '
                ~ 'column of that name already. Choose another column_name.'
            ) %}
        {% elif lower in taken %}
            {% do exceptions.raise_compiler_error(
                'The seed question_labels has the column_names "' ~ taken[lower] ~ '" and "' ~ name ~ '", which '
                ~ 'differ by upper and lower case only. Write them in the same way if the questions share a '
                ~ 'column. Otherwise choose another column_name.'
            ) %}
        {% endif %}
        {% do taken.update({lower: name}) %}
    {% endfor %}
{% endmacro %}

{# The value of such a column for one response: an aggregate over its answers, whose survey_checksum is that of survey_id. #}
{% macro survey_export_question_value(column) -%}
    {%- set conditions = [] -%}
    {%- for question in column.questions -%}
        {%- do conditions.append(
            "(survey_checksum = '" ~ local_md5(question.survey_id) ~ "' and question_id = " ~ question.question_id ~ ')'
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
