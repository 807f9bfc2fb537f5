-- After which tickets are customers unhappy?
-- ticket_id is an example of a parameter in the URL of the page: put in your own. Unhappy means a rating of 2 or less.
{{ config(enabled=var('survey_export_using_url_parameters')) }}

select
    tickets.value as ticket_id,
    {{ dbt_survey_export.survey_export_day('ratings.collected_at') }} as day,
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    ratings.value_number as rating,
    coalesce(ratings.answer_label, ratings.value_text) as rating_text,
    questions.question_id
from {{ ref('survey_export__answers') }} as ratings
inner join {{ ref('survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
inner join {{ ref('survey_export__url_parameters') }} as tickets
    on
        ratings.source_relation = tickets.source_relation
        and ratings.response_uuid = tickets.response_uuid
        and tickets.name = 'ticket_id'
where
    ratings.answer_type in ('rating', 'number')
    and ratings.value_number <= 2
    and {{ dbt_survey_export.survey_export_counts(once=true) }}
order by
    ratings.value_number asc,
    ratings.collected_at desc,
    questions.source_relation asc,
    ratings.response_uuid asc,
    questions.question_id asc
