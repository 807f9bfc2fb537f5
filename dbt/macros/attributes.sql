{#
    The attributes that become columns of survey_export__respondents, as a list of { name, column }: those of
    the variable survey_export_attributes, or else the most frequent ones.
#}
{% macro survey_export_attribute_columns(attributes_model) %}
    {% set names = var('survey_export_attributes') %}
    {% if not names and execute %}
        {% set attributes = load_relation(attributes_model) %}
        {% if attributes is not none %}
            {% set query %}
                select name
                from {{ attributes }}
                where name is not null
                group by name
                order by count(*) desc, name
                limit {{ var('survey_export_max_attributes') }}
            {% endset %}
            {% set names = run_query(query).columns[0].values() %}
        {% endif %}
    {% endif %}
    {% set found = [] %}
    {% set taken = [] %}
    {% for name in names %}
        {% set column = dbt_survey_export.survey_export_column_name('attribute_' ~ name, taken) %}
        {% do taken.append(column) %}
        {% do found.append({'name': name, 'column': column}) %}
    {% endfor %}
    {{ return(found) }}
{% endmacro %}

{#
    A column's name for any text: lower case, "_" for all that is no letter or digit, short enough for every
    database, and with a number behind it where the name is taken.
#}
{% macro survey_export_column_name(text, taken) %}
    {% set word = modules.re.sub('[^\\w]+', '_', text | lower).strip('_') %}
    {% set short = word.encode('utf-8')[:55].decode('utf-8', 'ignore') %}
    {% if short not in taken %}
        {{ return(short) }}
    {% endif %}
    {% for number in range(2, taken | length + 3) %}
        {% if short ~ '_' ~ number not in taken %}
            {{ return(short ~ '_' ~ number) }}
        {% endif %}
    {% endfor %}
{% endmacro %}
