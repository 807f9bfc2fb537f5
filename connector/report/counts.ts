const SCORE = `CASE WHEN value_number IS NOT NULL THEN value_number
  WHEN trim(value_text) GLOB '[0-9]' OR trim(value_text) = '10' THEN CAST(value_text AS INTEGER) END`;
const TAG = `CASE WHEN nps_tag IN ('promoter', 'passive', 'detractor') THEN nps_tag
  WHEN question_id NOT IN (SELECT id FROM scale) OR ${SCORE} NOT BETWEEN 0 AND 10
    OR answer_type NOT IN ('single_choice', 'nps', 'rating', 'text', 'number') THEN NULL
  WHEN ${SCORE} >= 9 THEN 'promoter' WHEN ${SCORE} >= 7 THEN 'passive' WHEN ${SCORE} >= 0 THEN 'detractor' END`;

/** Makes the tables of what answers say, and of the authors' labels. What counts for NPS and CSAT is in dbt/README.md. */
export const TABLES = `CREATE TEMP TABLE scale AS
  SELECT DISTINCT question_id AS id FROM survey_answers WHERE 'nps' IN (answer_type, question_type);
CREATE TEMP TABLE answered AS SELECT coalesce(survey_id, '') AS survey, question_id AS question, response_uuid AS uuid,
  position, ${TAG} AS tag, ${SCORE} AS score, answer_id AS id, label, value_number AS number,
  CASE WHEN answer_type NOT IN ('text', 'contact_form', 'strings') THEN
    coalesce(value_text, CASE value_boolean WHEN 1 THEN 'Yes' WHEN 0 THEN 'No' END) END AS text,
  substr(collected_at, 1, 7) AS month, trim(comment) <> '' AS commented, CASE
    WHEN answer_type IN ('multiple_choice', 'matrix', 'ranking') THEN coalesce(answer_id, label, value_text) END AS item,
  CASE WHEN ${TAG} IS NOT NULL THEN 'nps' WHEN answer_type = 'ranking' THEN iif(value_number IS NULL, NULL, 'ranking')
    WHEN value_number IS NOT NULL THEN iif(question_type = 'csat', 'csat', 'number')
    WHEN answer_type IN ('text', 'strings') THEN iif(trim(value_text) <> '', 'text', NULL)
    WHEN answer_type = 'contact_form' THEN iif(trim(value_text) <> '', 'form', NULL)
    WHEN answer_type = 'matrix' THEN iif(value_text IS NULL, NULL, 'matrix')
    WHEN answer_type = 'other' THEN iif(additional_fields IS NULL, NULL, 'other')
    WHEN coalesce(value_text, answer_id, value_boolean) IS NOT NULL THEN 'choice' END AS kind FROM survey_answers;
CREATE INDEX temp.earlier ON answered (uuid, question, kind);
CREATE TEMP TABLE labels AS SELECT survey_id AS survey, s.id AS question, value->>'id' AS id, value->>'content' AS words
  FROM survey_questions AS s, json_each(answer_choices) UNION ALL
  SELECT survey_id, s.id, NULL, value FROM survey_questions AS s, json_each(columns);
CREATE INDEX temp.known ON labels (question, words)`;

const EARLIER = `SELECT 1 FROM answered AS e
  WHERE e.uuid = a.uuid AND e.question = a.question AND e.kind = a.kind AND e.position < a.position`;
const shown = (
  label: string,
): string => `iif($hasTexts OR length(${label}) < 3 AND ${label} NOT GLOB '*[^0-9]*'
  OR ${label} IN ('', 'Yes', 'No') OR EXISTS (SELECT 1 FROM labels AS l WHERE l.survey = c.survey
    AND l.question = c.question AND l.words = ${label})
  OR sum(n) OVER (PARTITION BY c.question, c.survey, kind, ${label}) >= 3, ${label}, 'others')`;
/**
 * How many answers of a question say the same; what a response repeats counts once. `answered` sums to the responses.
 * Without `$hasTexts`, a label is one of the survey's author or shared by three responses, not somebody's own words.
 */
export const COUNTS = `WITH a AS (SELECT survey, question, kind, iif(kind IN ('nps', 'text', 'form', 'other'), NULL, id) AS id,
    iif(kind IN ('matrix', 'ranking'), label, NULL) AS label, iif(kind = 'nps', tag || 's', text) AS text,
    iif(kind IN ('csat', 'number', 'ranking'), number, NULL) AS number, iif(kind = 'nps', month, NULL) AS month,
    count(*) AS n, sum(position = 1 OR NOT EXISTS (${EARLIER})) AS answered, total(commented) AS comments
  FROM answered AS a WHERE kind IS NOT NULL AND (position = 1 OR NOT EXISTS (${EARLIER} AND e.item IS a.item))
  GROUP BY question, 1, 3, 4, 5, 6, 7, 8),
b AS (SELECT *, (SELECT words FROM labels AS l WHERE l.question = a.question AND l.survey = a.survey AND l.id = a.id) AS words
  FROM a),
c AS (SELECT *, iif(kind IN ('matrix', 'ranking'), coalesce(words, label, id), '') AS item,
    CASE WHEN number = CAST(number AS INTEGER) THEN CAST(number AS INTEGER) WHEN number IS NOT NULL THEN number
      WHEN kind = 'choice' THEN coalesce(words, text, id) ELSE text END AS value FROM b)
SELECT c.survey, c.question, q.question AS words, kind, number, month, n, answered, comments, ${shown("item")} AS item,
  CASE WHEN kind IN ('choice', 'matrix') THEN ${shown("value")}
    WHEN kind IN ('csat', 'number') THEN concat_ws(' · ', value, c.words) ELSE value END AS value,
  coalesce(number, CASE text WHEN 'detractors' THEN 1 WHEN 'passives' THEN 2 WHEN 'promoters' THEN 3 END, (SELECT min(rowid)
    FROM labels AS l WHERE l.survey = c.survey AND l.question = c.question AND l.words = value), 1e9) AS place
FROM c LEFT JOIN survey_questions AS q ON q.survey_id = c.survey AND q.id = c.question ORDER BY q.position IS NULL, q.position`;

/** The newest texts and comments of each question, once each, with the response's score. None of a contact form. */
export const TEXTS = `SELECT survey, question, words, at, (SELECT score FROM answered AS e WHERE e.uuid = t.uuid
    AND kind = 'nps') AS score FROM (SELECT survey, question, words, max(at) AS at, uuid,
    row_number() OVER (PARTITION BY survey, question ORDER BY max(at) DESC) AS place FROM (
      SELECT coalesce(survey_id, '') AS survey, question_id AS question, trim(value_text) AS words, collected_at AS at,
        response_uuid AS uuid FROM survey_answers WHERE answer_type IN ('text', 'strings') UNION ALL
      SELECT coalesce(survey_id, ''), question_id, trim(comment), collected_at, response_uuid FROM survey_answers)
    WHERE words <> '' GROUP BY 1, 2, 3) AS t WHERE place <= 9 ORDER BY place`;
