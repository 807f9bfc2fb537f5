{{ config(severity='warn', enabled=var('survey_export_loaded_at_is_shared') and var('survey_export_loaded_at') != '') }}

{#-
    If each row has a time of loading of its own, the models omit valid rows, and nothing else would say so. The log
    says what to do. The latest rows of a response that was read again with fewer answers have different times as well,
    but a minute or more apart, as two syncs are. A column that is no timestamp is not checked.
-#}
{%- set name = var('survey_export_loaded_at') | lower -%}
{%- set query -%}
with latest as (

    {% for table in dbt_survey_export.survey_export_tables('survey_answers') %}
    {%- set columns = table.columns if 'time' in table.columns.get(name, '') else {} %}
    select
        {{ table.source_relation }} as source_relation,
        cast(response_uuid as {{ dbt.type_string() }}) as response_uuid,
        max({{ dbt_survey_export.survey_export_column([], columns, name, 'timestamp') }}) as loaded_at
    from {{ table.relation }}
    group by response_uuid, question_id, position
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

in_order as (

    select
        *,
        lag(loaded_at) over (partition by source_relation, response_uuid order by loaded_at) as loaded_before
    from latest

)

select
    source_relation,
    count(distinct response_uuid) as number_of_responses
from in_order
where loaded_at > loaded_before and {{ dbt.datediff('loaded_before', 'loaded_at', 'second') }} < 60
group by source_relation
{%- endset -%}

{%- do dbt_survey_export.survey_export_say(query, 'Answers are omitted: {1} responses of {0} have answers with different times of loading, less than a minute apart. Set survey_export_loaded_at_is_shared: false, and run dbt again. Ignore this if two syncs were less than a minute apart.') -%}

-- depends_on: {{ ref('survey_export__answers') }}
{{ query }}
