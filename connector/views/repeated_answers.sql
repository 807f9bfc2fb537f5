-- Answers that do not count, since their response answers the same again: a question, one choice of several, a row of a
-- matrix, an item of a ranking. Of two answers the one with a number counts, then the one with words, then the first.
select
    repeated.response_uuid,
    repeated.question_id,
    repeated.position
from survey_answers as repeated
where
    exists (
        select 1
        from survey_answers as other
        where
            other.response_uuid = repeated.response_uuid
            and other.question_id = repeated.question_id
            and other.position <> repeated.position
            and case
                when repeated.answer_type in ('multiple_choice', 'matrix', 'ranking', 'strings')
                    then
                        other.answer_type = repeated.answer_type
                        and coalesce(
                            other.answer_id = repeated.answer_id,
                            coalesce(cast(other.answer_id as text), other.label, other.value_text, '')
                            = coalesce(cast(repeated.answer_id as text), repeated.label, repeated.value_text, '')
                        )
                when repeated.answer_type in ('single_choice', 'nps', 'rating', 'text', 'number', 'boolean')
                    then other.answer_type in ('single_choice', 'nps', 'rating', 'text', 'number', 'boolean')
                else
                    repeated.answer_type not in ('contact_form', 'other')
                    and other.answer_type = repeated.answer_type
            end
            and case
                when (other.value_number is null) <> (repeated.value_number is null)
                    then repeated.value_number is null
                when
                    (coalesce(other.nps_tag, other.value_text) is null)
                    <> (coalesce(repeated.nps_tag, repeated.value_text) is null)
                    then coalesce(repeated.nps_tag, repeated.value_text) is null
                else other.position < repeated.position
            end
    )
