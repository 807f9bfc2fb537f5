/**
 * Tables of two connections, as DuckDB's SQL, in which each survey of the attached file `surveys` has a namesake with the
 * same questions, and each question one with the same text and answers.
 */

/** What the ids of these surveys end in, and what is added to the ids of their questions: of the originals, nothing. */
export const NAMESAKES = [
  { survey: "", question: 0 },
  { survey: "", question: 50_000 },
  { survey: " again", question: 0 },
  { survey: " again", question: 50_000 },
] as const;

/** Their schemas. In the second, each response lists all its answers but texts twice. */
export const CONNECTIONS = ["alike", "alike_two"] as const;

const copy = (from: string, to: string) => `
  create schema ${to};
  create table ${to}.surveys as select * from ${from}.surveys;
  create table ${to}.survey_questions as select * from ${from}.survey_questions;
  create table ${to}.survey_responses as select * from ${from}.survey_responses;
  create table ${to}.survey_answers as select * from ${from}.survey_answers;
  create table ${to}.respondent_attributes as select * from ${from}.respondent_attributes;
`;

/** Adds each row of a table once more, with these changes. */
const again = (table: string, ...changes: readonly string[]) =>
  `insert into ${table} select * replace (${changes}) from ${table};`;

export const NAMESAKES_TABLES = [
  copy("surveys.main", "alike"),
  again("alike.survey_questions", "id + 50000 as id"),
  again("alike.survey_answers", "question_id + 50000 as question_id"),
  again("alike.surveys", "id || ' again' as id"),
  again("alike.survey_questions", "survey_id || ' again' as survey_id"),
  again("alike.survey_responses", "survey_id || ' again' as survey_id", "uuid || ' again' as uuid"),
  again(
    "alike.survey_answers",
    "survey_id || ' again' as survey_id",
    "response_uuid || ' again' as response_uuid",
  ),
  copy("alike", "alike_two"),
  `insert into alike_two.survey_answers
    select * replace (position + 100 as position, null as comment)
    from alike_two.survey_answers
    where answer_type <> 'text';`,
].join("\n");
