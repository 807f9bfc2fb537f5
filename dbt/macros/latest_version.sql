{#
    The later of several versions of a record comes first: loaders that append keep every version, and each
    sync reads the last minutes again.
#}
{% macro survey_export_latest_first() -%}
    {%- if var('survey_export_loaded_at') -%}
        {{ var('survey_export_loaded_at') }} desc, collected_at desc
    {%- else -%}
        collected_at desc
    {%- endif -%}
{%- endmacro %}
