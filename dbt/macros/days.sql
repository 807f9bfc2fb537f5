{#
    The end of a statement with the CTE `daily`: its rows, and one for each day between two days of a question, with the
    survey's name and the question's label. Such a day has no answers: its counts are 0, and the other columns are null. Two
    days that are more than 4,096 days apart get none between them, so that one wrong date does not add thousands of rows.
    A day is 64 × block + place days after one with answers: a join with 4,096 numbers takes 20 times as long as these two.
#}
{% macro survey_export_each_day(counts, others) -%}
    {%- set next_day = 'lead(date_day) over (partition by source_relation, survey_id, question_id order by date_day)' -%}
    {%- set days = dbt.datediff('date_day', next_day, 'day') -%}
    {%- set after = '(blocks.number * 64 + places.number)' -%}
    numbers as (
        select cast(generated_number as {{ dbt.type_int() }}) - 1 as number from ({{ dbt.generate_series(64) }}) as series
    )

    select
        source_relation,
        survey_id,
        questions.survey_name,
        question_id,
        questions.label as question_label,
        cast({{ dbt.dateadd('day', after, 'date_day') }} as date) as date_day,
        {% for column in counts + others %}
        case when {{ after }} = 0 then daily.{{ column }} {{- ' else 0' if column in counts }} end as {{ column }} {{- ',' if not loop.last }}
        {% endfor %}
    from (select *, case when {{ days }} <= 4096 then {{ days }} else 1 end as days from daily) as daily
    inner join numbers as blocks on blocks.number * 64 < days
    inner join numbers as places on {{ after }} < days
    left join {{ ref('dbt_survey_export', 'survey_export__questions') }} as questions using (source_relation, survey_id, question_id)
{%- endmacro %}
