{{ config(enabled=var('survey_export_using_respondent_attributes')) }}

{%- set columns = dbt_survey_export.survey_export_source_columns('respondent_attributes') -%}
{%- set text = dbt_survey_export.survey_export_text() -%}
{%- set long_ago = "cast('1970-01-01 00:00:00' as " ~ dbt_survey_export.survey_export_timestamp() ~ ")" %}

with versions as (

    select
        cast(respondent_uuid as {{ text }}) as respondent_uuid,
        cast(id as {{ dbt.type_bigint() }}) as attribute_id,
        {{ dbt_survey_export.survey_export_optional(columns, 'name', text) }} as name,
        {{ dbt_survey_export.survey_export_optional(columns, 'value', text) }} as value,
        {% if 'collected_at' in columns %}
        coalesce({{ dbt_survey_export.survey_export_utc_timestamp(columns, 'collected_at') }}, {{ long_ago }}) as collected_at,
        {% else %}
        {{ long_ago }} as collected_at,
        {% endif %}
        {{ dbt_survey_export.survey_export_load_changes(columns) }} as load_changes,
        {{ dbt_survey_export.survey_export_loaded_at(columns) }} as loaded_at
    from {{ source('survey_export', 'respondent_attributes') }}

),

times as (

    select distinct
        respondent_uuid,
        collected_at
    from versions

),

readings as (

    select
        respondent_uuid,
        collected_at as read_at,
        row_number() over (partition by respondent_uuid order by collected_at) as reading,
        lead(collected_at) over (partition by respondent_uuid order by collected_at) as next_read_at
    from times

),

ranked as (

    select
        versions.*,
        readings.reading,
        readings.read_at,
        readings.next_read_at,
        row_number() over (
            partition by versions.respondent_uuid, versions.attribute_id, readings.reading
            order by versions.loaded_at desc
        ) as version
    from versions
    inner join readings
        on
            versions.respondent_uuid = readings.respondent_uuid
            and versions.collected_at = readings.read_at

),

steps as (

    select
        *,
        lag(reading) over (partition by respondent_uuid, attribute_id order by reading) as previous_reading,
        lag(name) over (partition by respondent_uuid, attribute_id order by reading) as previous_name,
        lag(value) over (partition by respondent_uuid, attribute_id order by reading) as previous_value
    from ranked
    where version = 1

),

periods as (

    select
        *,
        sum(
            case
                when
                    previous_reading = reading - 1
                    and (name = previous_name or (name is null and previous_name is null))
                    and (value = previous_value or (value is null and previous_value is null))
                    then 0
                else 1
            end
        ) over (
            partition by respondent_uuid, attribute_id order by reading rows between unbounded preceding and current row
        ) as period
    from steps

)

select
    respondent_uuid,
    attribute_id,
    max(name) as name,
    max(value) as value,
    min(read_at) as valid_from,
    case when count(next_read_at) = count(*) then max(next_read_at) end as valid_to,
    nullif(max(collected_at), {{ long_ago }}) as collected_at,
    max(load_changes) as load_changes,
    max(loaded_at) as loaded_at
from periods
group by respondent_uuid, attribute_id, period
