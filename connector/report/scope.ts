import type { DatabaseSync } from "node:sqlite";
import { STREAMS } from "@survey-export/core";
import { TABLES_OF_VIEWS } from "../views/create-views.ts";
import { VIEWS } from "../views/texts.ts";

/** What a page is about. */
export interface Scope {
  /** Only responses since this time: a day, or a timestamp in UTC. */
  readonly since?: string | undefined;
  /** Only these surveys; all of them if it is empty. */
  readonly surveyIds: readonly string[];
  /** Whether the page has what people wrote themselves. */
  readonly hasTexts: boolean;
}

/** These views are computed once, and kept while the page is made: all others read them. */
const KEPT = ["nps_questions", "repeated_answers", "translated_answers", "answers_by_month"];
/** Each answer is looked up in it. */
const INDEX = "create index temp.repeated on repeated_answers (response_uuid, question_id, position)";

/**
 * Makes the views of `connector/views` for this connection alone, over the rows of the scope. So a page shows what the views
 * of the file say, also if the file has none: a table that was not synced counts as empty.
 */
export function openScope(database: DatabaseSync, { since, surveyIds }: Scope): void {
  const found = database.prepare("select name from main.sqlite_schema where type = 'table' and name = ?");
  for (const table of TABLES_OF_VIEWS) {
    const columns = Object.keys(STREAMS[table].columns).map((name) => `"${name}"`);
    if (!found.get(table)) database.exec(`create temp table ${table} (${columns.join(", ")})`);
  }
  if (since !== undefined || surveyIds.length > 0) {
    keepAllSurveys(database);
    database.exec("create temp table chosen_surveys (id text primary key)");
    const insert = database.prepare("insert or ignore into chosen_surveys values (?)");
    for (const id of surveyIds) insert.run(id);
    for (const table of ["survey_responses", "survey_answers"] as const)
      if (found.get(table))
        database.exec(
          `create temp view ${table} as select * from main.${table} where ${conditions(since, surveyIds)}`,
        );
  }
  for (const [name, select] of Object.entries(VIEWS))
    if (!KEPT.includes(name)) database.exec(`create temp view ${name} as ${select}`);
  for (const name of KEPT) {
    database.exec(`create temp table ${name} as ${VIEWS[name]}`);
    if (name === "repeated_answers") database.exec(INDEX);
  }
}

/** The table `all_surveys` is the view `responses_by_survey` without the scope: what arrived is compared with all there is. */
function keepAllSurveys(database: DatabaseSync): void {
  database.exec(`create temp view survey_names as ${VIEWS.survey_names}`);
  database.exec(`create temp table all_surveys as ${VIEWS.responses_by_survey}`);
  database.exec("drop view temp.survey_names");
}

/**
 * A view has no parameters, so the time is written into it: it was checked to be one. Without its Z, which is greater than the
 * point before microseconds, it is less than each time that begins with it.
 */
function conditions(since: string | undefined, surveyIds: readonly string[]): string {
  const ofTime = since === undefined ? [] : [`collected_at >= '${since.replace(/[^\dT:.-]/g, "")}'`];
  const ofSurveys = surveyIds.length === 0 ? [] : ["survey_id in (select id from chosen_surveys)"];
  return [...ofTime, ...ofSurveys].join(" and ");
}
