{{ config(enabled=var('survey_export_using_respondent_attributes')) }}

with readings as (

    {{ dbt_survey_export.survey_export_records('respondent_attributes', [
        ('text key', 'respondent_uuid'),
        ('bigint key', 'id as attribute_id'),
        ('text', 'name, value'),
        ('timestamp', 'collected_at'),
    ]) }}

),

versions as (

    select
        *,
        max(collected_at) over (partition by source_relation, respondent_uuid) as last_read_at,
        row_number() over (
            partition by source_relation, respondent_uuid, name
            order by collected_at desc, loaded_at desc, attribute_id desc
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
    and name is not null
    and (collected_at = last_read_at or last_read_at is null)
