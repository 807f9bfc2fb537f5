-- Answers that do not count, since their response answers the same again: a question, one choice of several, a row of a
-- matrix, an item of a ranking. Of two answers the one with a number counts, then the one with words, then the first.
select distinct
    later.response_uuid,
    later.question_id,
    case
        when (earlier.value_number is null) <> (later.value_number is null)
            then case when earlier.value_number is null then earlier.position else later.position end
        when
            (coalesce(earlier.nps_tag, earlier.value_text) is null)
            <> (coalesce(later.nps_tag, later.value_text) is null)
            then
                case
                    when coalesce(earlier.nps_tag, earlier.value_text) is null then earlier.position
                    else later.position
                end
        else later.position
    end as position
from survey_answers as later
inner join survey_answers as earlier
    on later.response_uuid = earlier.response_uuid
    and later.question_id = earlier.question_id
    and later.position > earlier.position
where
    case
        when later.answer_type in ('multiple_choice', 'matrix', 'ranking', 'strings')
            then
                earlier.answer_type = later.answer_type
                and coalesce(
                    earlier.answer_id = later.answer_id,
                    coalesce(cast(earlier.answer_id as text), earlier.label, earlier.value_text, '')
                    = coalesce(cast(later.answer_id as text), later.label, later.value_text, '')
                )
        when later.answer_type in ('single_choice', 'nps', 'rating', 'text', 'number', 'boolean')
            then earlier.answer_type in ('single_choice', 'nps', 'rating', 'text', 'number', 'boolean')
        else
            later.answer_type not in ('contact_form', 'other')
            and earlier.answer_type = later.answer_type
    end
