{{ config(severity='warn') }}

{#- Two connections in one schema, or a reading that is not whole, make surveys look deleted. The log says what to do. -#}
{%- set name = 'columns.' ~ (var('survey_export_loaded_at') or 'none') | lower -%}
{%- set has_times = 'time' in dbt_survey_export.survey_export_tables('survey_responses') | map(attribute=name) | join -%}
{%- set query -%}
with surveys as (
    select
        *,
        count(*) over (partition by source_relation) as number_of_surveys,
        count(*) over (partition by source_relation, deleted_seen_at) as missing_at_once
    from {{ ref('survey_export__surveys') }}
)

select
    surveys.source_relation,
    count(distinct surveys.survey_id) as number_of_surveys
from surveys
inner join {{ ref('survey_export__responses') }} as responses using (source_relation, survey_id)
where
    surveys.is_deleted
    and (surveys.missing_at_once * 2 > surveys.number_of_surveys {{- ' or responses.loaded_at > surveys.deleted_seen_at' if has_times }})
group by surveys.source_relation
{%- endset -%}

{%- do dbt_survey_export.survey_export_say(query, 'Surveys may look deleted in error: {1} of {0} are missing in the stream surveys, although most others are missing, too, or responses were loaded later. If several connections read different surveys, load each into its own schema, and list the schemas in survey_export_schema. Ignore this if you deleted the surveys.') -%}

{{ query }}
