import type { DatabaseSync } from "node:sqlite";
import type { StreamName } from "@survey-export/core";
import { VIEWS } from "./texts.ts";

/** The tables that the views read. */
export const TABLES_OF_VIEWS = [
  "surveys",
  "survey_questions",
  "survey_responses",
  "survey_answers",
] as const satisfies readonly StreamName[];

/** In each view of ours, so that one of somebody else is left alone. */
const MARK = "-- Made by Survey Export. Each sync makes it again.";

/**
 * Makes the views of a database, as this version of the program has them, if the tables that they read are all there. Else it
 * removes them: a view that fails would stop DuckDB and dbt, which look at all views before they read anything. A view or a table
 * of somebody else keeps its name.
 * @throws an error of SQLite
 */
export function createViews(database: DatabaseSync): void {
  const existing = database.prepare("select name, type, sql from sqlite_schema");
  const found = new Map(
    existing.all().map(({ name, type, sql }) => [String(name), { type, sql: String(sql) }]),
  );
  const areTablesThere = TABLES_OF_VIEWS.every((table) => found.get(table)?.type === "table");
  for (const [name, select] of Object.entries(VIEWS)) {
    const sql = areTablesThere ? `CREATE VIEW ${name} as\n${MARK}\n${select}` : undefined;
    const old = found.get(name);
    if (old?.sql === sql || (old && !old.sql.includes(MARK))) continue;
    if (old) database.exec(`drop view ${name}`);
    if (sql !== undefined) database.exec(sql);
  }
}
