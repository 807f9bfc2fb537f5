-- One name for each survey: the one that is listed, else that of its newest response.
with newest as (

    select
        survey_id,
        survey_name,
        row_number() over (partition by survey_id order by collected_at desc) as age
    from survey_responses
    where
        survey_name is not null
        and survey_id not in (select id from surveys where name is not null)

)

select
    id as survey_id,
    name as survey_name
from surveys
where name is not null
union all
select
    survey_id,
    survey_name
from newest
where age = 1
