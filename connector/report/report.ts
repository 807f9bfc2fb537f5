import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { fixed, given, type Message, outside, STREAMS, SurveyExportError, say } from "@survey-export/core";
import { openDatabase, sqliteCode } from "../node/sqlite.ts";
import { chart, day, own, plural } from "./html.ts";
import { questionsOf } from "./questions.ts";
import { STYLE } from "./style.ts";
import { outcomeOf, type Row, SURVEYS, verdictOf, WEEKS } from "./surveys.ts";

/** In each page, so that a later one replaces no other file. */
export const GENERATOR = '<meta name="generator" content="source-survey-export">';

/**
 * The page about a database of `sync`, at one moment. It runs no script, asks for nothing, and without `hasTexts`
 * shows nothing that respondents may have written themselves.
 * @throws SurveyExportError `invalid_configuration` if it is no such database, or has no responses
 */
export function report(path: string, { hasTexts }: { readonly hasTexts: boolean }): string {
  if (!existsSync(path)) throw unusable(say`The file ${given(path)} does not exist.`);
  let database: DatabaseSync | undefined;
  try {
    // Not read-only: then SQLite would leave its two files of an open database behind.
    database = openDatabase(path, { timeout: 10_000 });
    database.exec("BEGIN");
    const found = database.prepare("SELECT name FROM sqlite_schema WHERE name = ?");
    for (const needed of ["_survey_export_syncs", "_survey_export_state", "survey_responses"])
      if (!found.get(needed)) throw unusable(say`${given(path)} has no table ${fixed(needed)}.`);
    for (const stream of ["survey_answers", "survey_questions", "surveys"] as const)
      if (!found.get(stream))
        database.exec(`CREATE TEMP TABLE ${stream} ("${Object.keys(STREAMS[stream].columns).join('", "')}")`);
    return page(database, basename(path), hasTexts);
  } catch (thrown) {
    if (sqliteCode(thrown) === undefined) throw thrown;
    const reason = outside((thrown as Error).message);
    throw unusable(say`${given(path)} cannot be read as a database of "sync": ${reason}.`);
  } finally {
    database?.close();
  }
}

const unusable = (facts: Message): SurveyExportError =>
  new SurveyExportError(
    "config",
    "invalid_configuration",
    say`${facts} Sync survey_responses into it first.`,
  );

function page(database: DatabaseSync, file: string, hasTexts: boolean): string {
  const all = (sql: string): Row[] => database.prepare(sql).all();
  const [surveys, syncs] = [all(SURVEYS), all("SELECT * FROM _survey_export_syncs ORDER BY rowid DESC")];
  const questions = questionsOf(database, hasTexts);
  const weeks = new Map(all(WEEKS).map((row) => [row.id, row]));
  const columns = ({ shapes = "", from = "", to = "no responses in these weeks" }: Row = {}): string =>
    chart("Responses by week", 520, shapes, from, to);
  const { total = "0", answered = 0, latest } = surveys[0] ?? {};
  const section = (survey: Row, at: number): string => `<details${at < 12 ? " open" : ""}><summary>
${own("h2", survey.name)}<span>${plural(survey.n, "response")} · newest ${day(survey.newest)}</span></summary>
${columns(weeks.get(survey.id))}<div class="grid">${questions.get(survey.id) ?? ""}</div></details>`;
  const row = (survey: Row): string =>
    `<tr>${own("td", survey.name)}<td>${survey.arrived}</td><td>${verdictOf(survey, syncs[0])}</td></tr>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>What people said</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">${GENERATOR}
<style>${STYLE}</style></head><body><h1>What people said</h1>${own("p", file)}${own("p", outcomeOf(syncs))}
<div class="tiles"><p><strong>${total}</strong>responses</p><p><strong>${day(latest)}</strong>newest response</p>
<p><strong>${answered} of ${surveys.length}</strong>surveys have responses</p></div>
<section><h2>Responses by week</h2>${columns(weeks.get(null))}</section>
${surveys.slice(0, Number(answered)).map(section).join("")}<section><h2>Did everything arrive?</h2>
<table>${surveys.map(row).join("")}</table></section><footer><p>This file loads nothing and runs no script.
${hasTexts ? "" : "What people wrote themselves is not in it."}</p></footer></body></html>`;
}
