{{ config(enabled=var('survey_export_using_respondent_attributes')) }}

{%- set text = dbt.type_string() %}

with readings as (

    {% for table in dbt_survey_export.survey_export_tables('respondent_attributes') %}
    select
        {{ table.source_relation }} as source_relation,
        cast(respondent_uuid as {{ text }}) as respondent_uuid,
        cast(id as {{ dbt.type_bigint() }}) as attribute_id,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'name', text) }} as name,
        {{ dbt_survey_export.survey_export_optional(table.columns, 'value', text) }} as value,
        {{ dbt_survey_export.survey_export_optional_timestamp(table.columns, 'collected_at') }} as collected_at,
        {{ dbt_survey_export.survey_export_loaded_at(table.columns) }} as loaded_at
    from {{ table.relation }}
    {{ 'union all' if not loop.last }}
    {% endfor %}

),

versions as (

    select
        *,
        max(collected_at) over (partition by source_relation, respondent_uuid) as last_read_at,
        row_number() over (
            partition by source_relation, respondent_uuid, attribute_id
            order by collected_at desc, loaded_at desc
        ) as version
    from readings

)

select
    source_relation,
    respondent_uuid,
    attribute_id,
    name,
    value,
    collected_at,
    loaded_at
from versions
where
    version = 1
    and (collected_at = last_read_at or last_read_at is null)
