{#
    The columns of an analysis that say whose survey a row is of: the survey's id next to its name, which several surveys can
    have, and before them source_relation if survey_export_schema lists several schemas.
    `dbt show` prints six columns. So that a figure is among them, each analysis has question_id, which tells questions of one
    text apart, as its last column.
#}
{% macro survey_export_survey_columns(table) -%}
    {% if dbt_survey_export.survey_export_schemas() | length > 1 -%}
    {{ table }}.source_relation,
    {% endif -%}
    {{ table }}.survey_id,
    {{ table }}.survey_name
{%- endmacro %}
