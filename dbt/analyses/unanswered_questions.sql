-- Which questions stay unanswered most often?
-- Nothing shows whether a question was skipped or not asked. Responses count from the question's first answer to its last.
select
    {{ dbt_survey_export.survey_export_survey_columns('questions') }},
    coalesce(questions.label, {{ dbt.cast('questions.question_id', dbt.type_string()) }}) as question,
    round(100.0 - 100.0 * questions.number_of_answers / count(*)) as percent,
    count(*) - questions.number_of_answers as unanswered,
    count(*) as responses,
    questions.question_id
from {{ ref('survey_export__questions') }} as questions
inner join {{ ref('survey_export__responses') }} as responses
    on
        questions.source_relation = responses.source_relation
        and questions.survey_id = responses.survey_id
        and questions.first_answer_at <= responses.collected_at
        and questions.last_answer_at >= responses.collected_at
where {{ dbt_survey_export.survey_export_counts() }}
group by
    questions.source_relation,
    questions.survey_id,
    questions.survey_name,
    questions.question_id,
    questions.label,
    questions.number_of_answers
order by
    percent desc,
    questions.survey_name asc,
    questions.source_relation asc,
    questions.survey_id asc,
    questions.question_id asc
