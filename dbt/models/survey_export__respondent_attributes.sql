{%- set from_stream = var('survey_export_using_respondent_attributes') -%}
{%- set later = 'loaded_at desc, attribute_id desc' if from_stream else 'response_uuid desc, position desc' -%}

with readings as (

    {% if from_stream %}
    {{ dbt_survey_export.survey_export_records('respondent_attributes', [
        ('text key', 'respondent_uuid'),
        ('bigint key', 'id as attribute_id'),
        ('text', 'name, value'),
        ('timestamp', 'collected_at'),
    ]) }}
    {% else %}
    select
        *,
        cast(null as {{ dbt.type_bigint() }}) as attribute_id
    from {{ ref('survey_export__response_attributes') }}
    where attribute_of = 'respondent' and respondent_uuid is not null
    {% endif %}

),

versions as (

    select
        *,
        max(collected_at) over (partition by source_relation, respondent_uuid) as last_read_at,
        row_number() over (
            partition by source_relation, respondent_uuid, name
            order by collected_at desc, {{ later }}
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
    {% if from_stream %}
    and (collected_at = last_read_at or last_read_at is null)
    {% endif %}
