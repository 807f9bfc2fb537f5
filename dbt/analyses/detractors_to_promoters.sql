-- Who changed from detractor to promoter?
-- An answer is compared with the same respondent's last answer to the same question. Responses without a respondent are omitted.
with scores as (

    select
        *,
        lower(trim(nps_tag)) as tag,
        lag(value_number) over (
            partition by source_relation, survey_id, question_id, respondent_uuid order by collected_at, response_uuid
        ) as previous_score,
        lag(lower(trim(nps_tag))) over (
            partition by source_relation, survey_id, question_id, respondent_uuid order by collected_at, response_uuid
        ) as previous_tag
    from {{ ref('survey_export__answers') }}
    where
        nps_tag is not null
        and respondent_uuid is not null
        and {{ dbt_survey_export.survey_export_counts(once=true) }}

)

select
    {{ dbt_survey_export.survey_export_day('scores.collected_at') }} as day,
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    scores.respondent_uuid,
    scores.previous_score,
    scores.value_number as score,
    questions.question_id
from scores
inner join {{ ref('survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
where
    scores.previous_tag = 'detractor'
    and scores.tag = 'promoter'
order by
    scores.collected_at desc,
    questions.source_relation asc,
    questions.survey_id asc,
    scores.respondent_uuid asc,
    questions.question_id asc
