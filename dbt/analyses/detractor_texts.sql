-- What do detractors write?
-- A score and a text are answers to different questions of one response. Of several scores, the lowest counts.
with detractors as (

    select
        source_relation,
        response_uuid,
        min(value_number) as lowest_score
    from {{ ref('survey_export__answers') }}
    where
        lower(trim(nps_tag)) = 'detractor'
        and {{ dbt_survey_export.survey_export_counts(once=true) }}
    group by source_relation, response_uuid

)

select
    {{ dbt_survey_export.survey_export_day('texts.collected_at') }} as day,
    {{ dbt_survey_export.survey_export_survey_columns('texts') }},
    coalesce(texts.question_label, {{ dbt.cast('texts.question_id', dbt.type_string()) }}) as question,
    detractors.lowest_score,
    texts.value_text,
    texts.question_id
from {{ ref('survey_export__texts') }} as texts
inner join detractors using (source_relation, response_uuid)
order by
    texts.collected_at desc,
    texts.source_relation asc,
    texts.response_uuid asc,
    texts.question_id asc,
    texts.position asc
