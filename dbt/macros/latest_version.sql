{#
    The later of several versions of a record comes first: loaders that append keep every version, and each
    sync reads the last minutes again.
#}
{% macro survey_export_latest_first() -%}
    {%- if var('survey_export_loaded_at') -%}
        {{ var('survey_export_loaded_at') }} desc,
    {%- endif %} collected_at desc
{%- endmacro %}

{#
    1 for a row of survey_answers that comes from an earlier reading of its response, because the latest reading
    gave fewer rows; else 0.

    Rows that were read together share one time of loading where survey_export_loaded_at_is_shared says so. Then
    every row with an earlier time than another row of its response is left over. Where each record has a time of
    its own, only the order within a question is sure: a reading gives position 1 before position 2. So a row is
    left over where a row before it in the same question was loaded later.
#}
{% macro survey_export_is_left_over() -%}
    {%- set loaded_at = var('survey_export_loaded_at') -%}
    {%- if not loaded_at -%}
        0
    {%- elif var('survey_export_loaded_at_is_shared') -%}
        case
            when {{ loaded_at }} < max({{ loaded_at }}) over (partition by response_uuid) then 1
            else 0
        end
    {%- else -%}
        case
            when
                {{ loaded_at }} < max({{ loaded_at }}) over (
                    partition by response_uuid, question_id order by cast(position as bigint)
                    rows between unbounded preceding and current row
                )
                then 1
            else 0
        end
    {%- endif -%}
{%- endmacro %}
