/** Makes the table of the labels that the surveys' authors wrote. */
export const LABELS = `CREATE TEMP TABLE labels AS SELECT s.id AS question, value->>'id' AS id,
  value->>'content' AS words FROM survey_questions AS s, json_each(answer_choices) UNION ALL
  SELECT s.id, NULL, value FROM survey_questions AS s, json_each(columns)`;

const shown = (label: string): string => `iif($hasTexts OR ${label} IN ('Yes', 'No')
  OR length(${label}) < 3 AND ${label} NOT GLOB '*[^0-9]*' OR (valued.question, ${label}) IN (SELECT question, words
  FROM labels) OR sum(n) OVER (PARTITION BY valued.question, survey, kind, ${label}) >= 3, ${label}, 'others')`;
/**
 * How many answers of a question say the same; one that a response repeats counts once. NPS, CSAT: dbt/README.md.
 * Without `$hasTexts`, a label is the survey author's, or three responses share it: it is nobody's own words.
 */
export const COUNTS = `WITH answers AS (SELECT coalesce(survey_id, '') AS survey, question_id AS question,
    answer_id AS id, response_uuid, position, label, nps_tag AS tag, value_number AS number,
    substr(collected_at, 1, 7) AS month, trim(comment) <> '' AS commented,
    iif(answer_type IN ('text', 'strings', 'contact_form'), NULL,
      coalesce(value_text, CASE value_boolean WHEN 1 THEN 'Yes' WHEN 0 THEN 'No' END)) AS text,
    iif(answer_type IN ('multiple_choice', 'matrix', 'ranking'), coalesce(answer_id, label, value_text), '') AS part,
    CASE WHEN nps_tag IN ('promoter', 'passive', 'detractor') THEN 'nps'
      WHEN answer_type = 'ranking' THEN iif(value_number IS NULL, NULL, 'ranking')
      WHEN value_number IS NOT NULL THEN iif(question_type = 'csat', 'csat', 'number')
      WHEN answer_type = 'contact_form' THEN iif(trim(value_text) <> '', 'form', NULL)
      WHEN answer_type IN ('text', 'strings') THEN iif(trim(value_text) <> '', 'text', NULL)
      WHEN answer_type = 'matrix' THEN iif(value_text IS NULL, NULL, 'matrix')
      WHEN coalesce(value_text, answer_id, value_boolean) IS NOT NULL THEN 'choice' END AS kind FROM survey_answers),
own AS (SELECT *, row_number() OVER own = 1 AS is_first, lag(part) OVER own IS NOT part AS is_new FROM answers
  WHERE kind IS NOT NULL WINDOW own AS (PARTITION BY response_uuid, question, kind ORDER BY part, position)),
grouped AS (SELECT survey, question, kind, tag, id, label, text, number, iif(kind = 'nps', month, '') AS month,
  count(*) AS n, total(commented) AS comments, sum(is_first) AS answered FROM own WHERE is_new
  GROUP BY 2, 1, 3, 4, 5, 6, 7, 8, 9),
worded AS (SELECT *, (SELECT words FROM labels AS l WHERE l.question = grouped.question AND l.id = grouped.id) AS words FROM grouped),
valued AS (SELECT *, iif(kind IN ('matrix', 'ranking'), coalesce(words, label, id), '') AS item, CASE kind
    WHEN 'nps' THEN tag || 's' WHEN 'matrix' THEN text WHEN 'choice' THEN coalesce(words, text, id)
    ELSE concat_ws(' · ', format('%.15g', number), iif(kind = 'ranking', NULL, words)) END AS value FROM worded),
hidden AS (SELECT *, iif(item = '', '', ${shown("item")}) AS row,
  iif(kind IN ('choice', 'matrix'), ${shown("value")}, value) AS said FROM valued),
counted AS (SELECT *, sum(n) OVER (PARTITION BY question, survey, kind, row, said) AS often FROM hidden),
ranked AS (SELECT *, dense_rank() OVER (PARTITION BY question, survey, kind, row ORDER BY said = 'others', often DESC,
  said) AS rank FROM counted)
SELECT survey, ranked.question, q.question AS words, kind, row, iif(rank > 12, 'others', said) AS said, month, n,
  comments, answered, coalesce(iif(kind = 'nps', instr('tso', substr(tag, 3, 1)), number), iif(rank > 12, NULL,
    (SELECT min(rowid) FROM labels AS l WHERE l.question = ranked.question AND l.words = said)), 1e9 + rank) AS place
FROM ranked LEFT JOIN survey_questions AS q ON q.survey_id = survey AND q.id = ranked.question
ORDER BY q.position IS NULL, q.position, ranked.question, row, rank > 12, place`;

/** The newest texts and comments of each question, once each, with the response's score. None of a contact form. */
export const TEXTS = `SELECT *, (SELECT value_number FROM survey_answers WHERE response_uuid = uuid AND nps_tag > '')
  AS score FROM (SELECT survey, question, words, max(at) AS at, uuid,
    row_number() OVER (PARTITION BY survey, question ORDER BY max(at) DESC) AS place FROM (
      SELECT coalesce(survey_id, '') AS survey, question_id AS question, trim(value_text) AS words,
        collected_at AS at, response_uuid AS uuid FROM survey_answers WHERE answer_type IN ('text', 'strings')
      UNION ALL SELECT coalesce(survey_id, ''), question_id, trim(comment), collected_at, response_uuid
        FROM survey_answers) WHERE $hasTexts AND words <> '' GROUP BY 1, 2, 3) WHERE place <= 9 ORDER BY place`;
