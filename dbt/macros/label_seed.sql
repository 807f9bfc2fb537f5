{#
    Prints question_labels.csv with a row for each answered question: the names that are there already, and what helps to find the
    others. dbt reads the first four columns. The samples are the most frequent answers. What respondents wrote themselves is
    not printed, since a seed is kept with the project's code. So a text is printed only if it has an identifier, which
    says that it is the survey's own, or is the type of a form field. A text that a spreadsheet could take for a formula, or
    that begins with an apostrophe, gets an apostrophe before it, which survey_export_seed_text takes away.

        dbt --quiet run-operation survey_export_label_seed > question_labels.csv
#}
{% macro survey_export_label_seed() %}
    {% set text = dbt.type_string() %}
    {% set query %}
        with labels as (
            select
                {{ dbt_survey_export.survey_export_seed_text('survey_id') }} as survey_id,
                cast(question_id as {{ dbt.type_bigint() }}) as question_id,
                {{ dbt_survey_export.survey_export_seed_text('label') }} as label, cast(column_name as {{ text }}) as column_name
            from {{ dbt_survey_export.survey_export_labels('question_labels') }}
        )
        select
            coalesce(questions.survey_id, labels.survey_id) as survey_id,
            coalesce(questions.question_id, labels.question_id) as question_id,
            labels.label, labels.column_name,
            questions.question, questions.survey_name, questions.question_type, questions.answer_type, questions.number_of_answers,
            {{ dbt_survey_export.survey_export_day('questions.first_answer_at') }} as first_answer,
            {{ dbt_survey_export.survey_export_day('questions.last_answer_at') }} as last_answer
        from {{ ref('dbt_survey_export', 'survey_export__questions') }} as questions
        full outer join labels
            on questions.survey_id = labels.survey_id and questions.question_id = labels.question_id
        order by 1, 2, 4
    {% endset %}
    {% set sample_query %}
        with samples as (
            select
                survey_id,
                question_id,
                case
                    when answer_type in ('action', 'boolean') then cast(value_boolean as {{ text }})
                    when answer_type = 'contact_form' or (answer_type in ('matrix', 'ranking') and answer_id is not null) then label
                    when answer_type in ('single_choice', 'multiple_choice', 'rating') and answer_id is not null then value_text
                    when answer_type in ('nps', 'rating', 'number') and value_number in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
                        then cast(cast(value_number as {{ dbt.type_int() }}) as {{ text }})
                end as sample_value
            from {{ ref('dbt_survey_export', 'survey_export__answers') }}
            where {{ dbt_survey_export.survey_export_counts(once=true) }}
        ),
        ranked as (
            select
                survey_id,
                question_id,
                sample_value,
                row_number() over (partition by survey_id, question_id order by count(*) desc, sample_value) as place
            from samples
            where sample_value is not null
            group by survey_id, question_id, sample_value
        )
        select survey_id, question_id, sample_value
        from ranked
        where place <= 5
        order by survey_id, question_id, place
    {% endset %}
    {% if execute %}
        {% set samples = {} %}
        {% for row in run_query(sample_query) %}
            {% do samples.setdefault(row[0] ~ ' ' ~ row[1], []).append(row[2]) %}
        {% endfor %}
        {% do print('survey_id,question_id,label,column_name,question,survey_name,question_type,answer_type,'
            ~ 'number_of_answers,first_answer,last_answer,sample_values') %}
        {% for row in run_query(query) %}
            {% set cells = [] %}
            {% for cell in row.values() | list + [samples.get(row[0] ~ ' ' ~ row[1], []) | join('; ')] %}
                {% set is_formula = cell is string and modules.re.match("[=+@'\t\r-]", cell) %}
                {% set word = '' if cell is none else ("'" if is_formula else '') ~ cell %}
                {% set is_plain = modules.re.sub('[^",\\r\\n]', '', word) == '' %}
                {% do cells.append(word if is_plain else '"' ~ word | replace('"', '""') ~ '"') %}
            {% endfor %}
            {% do print(cells | join(',')) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
