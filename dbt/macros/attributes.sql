{#
    The attributes that become columns of survey_export__respondents, as a list of { name, column }: those of
    the variable survey_export_attributes, or else the most frequent ones by name. An entry of the variable is a name, or
    { name, column } for a column of your choice. Ends dbt if two would share a column.
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
            {% set names = run_query(query).columns[0].values() | sort %}
        {% endif %}
    {% endif %}
    {% set found = {} %}
    {% for given in names %}
        {% set name = given.name if given is mapping else given %}
        {% set column = given.column if given is mapping else dbt_survey_export.survey_export_attribute_column(name) %}
        {% if column | lower in found %}
            {% do exceptions.raise_compiler_error(
                'The attributes "' ~ found[column | lower].name ~ '" and "' ~ name ~ '" would share the column ' ~ column
                ~ '. Give each a column of its own in the variable survey_export_attributes: {name: ..., column: ...}.'
            ) %}
        {% endif %}
        {% do found.update({column | lower: {'name': name, 'column': column}}) %}
    {% endfor %}
    {{ return(found.values() | list) }}
{% endmacro %}

{#
    The column of an attribute, by its name alone: "plan" is attribute_plan in every run, whatever other names there
    are. A name that is no plain identifier in lower case ends in a checksum of itself, so that "Plan" and "plan" are two
    columns in every database, none of which needs quotes. So does a name that looks as if it had such an end already.
#}
{% macro survey_export_attribute_column(name) %}
    {%- if modules.re.fullmatch('(?!(.*_)?[0-9a-f]{12}$)[a-z0-9_]{1,50}', name) -%}
        {{ return('attribute_' ~ name) }}
    {%- endif -%}
    {%- set word = modules.re.sub('[^a-z0-9]+', '_', name | lower).strip('_')[:37] -%}
    {{ return(['attribute', word, local_md5(name)[:12]] | select | join('_')) }}
{% endmacro %}
