import { existsSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { given, type Message, outside, STREAMS, SurveyExportError, say } from "@survey-export/core";
import { chart, counted, day, escaped, own, plural } from "./html.ts";
import { questionsOf } from "./questions.ts";
import { STYLE } from "./style.ts";
import { type Row, verdictOf } from "./verdict.ts";

const SURVEYS = `SELECT coalesce(r.id, s.id) AS id, coalesce(s.name, r.name, nullif('Survey ' || r.id, 'Survey '), 'No survey named')
    AS name, coalesce(n, 0) AS n, newest, late, s.responses AS counted, s.collected_at AS listed,
    (SELECT max(collected_at) FROM surveys) AS newest_list, (SELECT json_array_length(value) FROM _survey_export_state,
      json_each(state, '$.surveys') WHERE stream = 'survey_responses' AND key = s.id) AS parts
  FROM (SELECT coalesce(survey_id, '') AS id, survey_name AS name, count(*) AS n, max(collected_at) AS newest,
    total(collected_at > (SELECT collected_at FROM surveys WHERE id = survey_id)) AS late FROM survey_responses GROUP BY 1) AS r
  FULL JOIN surveys AS s ON s.id = r.id ORDER BY n DESC, newest DESC, name`;
const WEEKS = `SELECT coalesce(survey_id, '') AS id, count(*) AS n,
    (unixepoch(substr(collected_at, 1, 10)) - 345600) / 604800 AS week
  FROM survey_responses GROUP BY 1, 3`;
const SYNCS = "SELECT * FROM _survey_export_syncs ORDER BY rowid DESC";
const OPTIONAL = ["survey_answers", "survey_questions", "surveys"] as const;
const [OPEN_SURVEYS, MOST_WEEKS, FEWEST_WEEKS] = [12, 52, 12];

/** In each page, so that a later one replaces no other file. */
export const GENERATOR = '<meta name="generator" content="source-survey-export">';

/**
 * The page about a database that `sync` writes, also while it does: as it was at one moment. It runs no script and asks
 * for nothing. Without `hasTexts`, it shows nothing that a respondent may have written.
 * @throws SurveyExportError `invalid_configuration` if there is no such database, or it has no responses
 */
export function report(path: string, { hasTexts }: { readonly hasTexts: boolean }): string {
  if (!existsSync(path)) throw unusable(say`There is no file ${given(path)}.`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
    database.exec("BEGIN");
    const tables = database
      .prepare("SELECT name FROM sqlite_schema")
      .all()
      .map(({ name }) => name);
    if (!tables.includes("_survey_export_syncs"))
      throw unusable(say`${given(path)} is no database of "sync".`);
    if (!tables.includes("survey_responses"))
      throw unusable(say`${given(path)} has no table survey_responses, which the report is about.`);
    for (const stream of OPTIONAL)
      if (!tables.includes(stream))
        database.exec(`CREATE TEMP TABLE ${stream} ("${Object.keys(STREAMS[stream].columns).join('", "')}")`);
    return page(database, basename(path), hasTexts);
  } catch (thrown) {
    if (!String(Object(thrown).code).startsWith("ERR_SQLITE")) throw thrown;
    throw unusable(
      say`${given(path)} cannot be read as a database of "sync": ${outside(String(Object(thrown).message))}.`,
    );
  } finally {
    database?.close();
  }
}

const unusable = (facts: Message): SurveyExportError =>
  new SurveyExportError("config", "invalid_configuration", facts, {
    advice: say`Sync into it first, with the stream survey_responses.`,
  });

function page(database: DatabaseSync, file: string, hasTexts: boolean): string {
  const all = (sql: string): Row[] => database.prepare(sql).all();
  const [surveys, syncs, weeks] = [all(SURVEYS), all(SYNCS), Map.groupBy(all(WEEKS), ({ id }) => id)];
  const questions = questionsOf(database, hasTexts);
  const answered = surveys.filter(({ n }) => Number(n) > 0);
  const columns = columnsOf([...weeks.values()].flat(), syncs);
  const total = answered.reduce((sum, { n }) => sum + Number(n), 0);
  const newest = answered
    .map(({ newest }) => String(newest))
    .toSorted()
    .at(-1);
  const tiles = [
    [counted(total), "responses"],
    [`${answered.length} of ${surveys.length}`, "surveys have responses"],
    [newest === undefined ? "–" : day(newest), "newest response"],
  ];
  const parts = answered.map(({ id, name, n, newest }, at) => {
    const meta = `${plural(n, "response")} · newest ${day(newest)}`;
    return `<details${at < OPEN_SURVEYS ? " open" : ""}><summary>${own("h2", name)}<span>${meta}</span></summary>
${columns(weeks.get(id) ?? [], "Responses to this survey by week")}<div class="questions">${(questions.get(String(id)) ?? []).join("")}</div></details>`;
  });
  const rows = surveys.map((one) => {
    const of = one.counted === null ? counted(one.n) : `${counted(one.n)} of ${counted(one.counted)}`;
    return `<tr>${own("td", one.name)}<td>${of}</td><td>${verdictOf(one, syncs[0])}</td></tr>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${GENERATOR}
<title>What people said</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>What people said</h1>
<p>${own("span", file)} · ${syncOf(syncs)}</p>
<ul class="tiles">${tiles.map(([figure, what]) => `<li><strong>${figure}</strong><span>${what}</span></li>`).join("")}</ul>
<section class="total"><h2>Responses by week</h2>${columns([...weeks.values()].flat(), "Responses to all surveys by week")}</section>
<section>${parts.join("\n")}</section>
<section><h2>Did everything arrive?</h2>
<table><thead><tr><th>Survey</th><th>Arrived</th><th>What is missing</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></section>
<footer>This file loads nothing and runs no script.${hasTexts ? "" : " What people wrote themselves is not in it."}</footer>
</main>
</body>
</html>
`;
}

/** Draws weeks on the axis that all of them share, up to the last sync. */
function columnsOf(all: readonly Row[], [sync]: readonly Row[]) {
  const known = all.map(({ week }) => Number(week));
  const asked = String(sync?.end_date ?? sync?.ended_at ?? "");
  const last = Math.max(...known, Math.floor((Date.parse(asked) / 1000 - 345600) / 604800) || 0);
  const first = Math.max(last - MOST_WEEKS + 1, Math.min(last - FEWEST_WEEKS + 1, ...known));
  const nameOf = (week: number): string =>
    `week of ${new Date((week * 604800 + 345600) * 1000).toISOString().slice(0, 10)}`;
  return (rows: readonly Row[], label: string): string => {
    const counts = Array.from({ length: last - first + 1 }, () => 0);
    for (const { week, n } of rows) if (Number(week) >= first) counts[Number(week) - first] += Number(n);
    const most = Math.max(...counts);
    const shapes = counts.map((count, at) => {
      const height = Math.round((1000 * count) / most) / 10;
      return count === 0
        ? ""
        : `<path d="M${at * 10 + 1} 100v-${height}h8v${height}z"><title>${nameOf(first + at)}: ${counted(count)}</title></path>`;
    });
    return chart(label, counts.length * 10, shapes.join(""), [
      nameOf(first),
      `at most ${counted(most)} a week`,
      nameOf(last),
    ]);
  };
}

/** How the last sync ended. */
function syncOf([last, ...before]: readonly Row[]): string {
  const at = (time: unknown): string => `${escaped(time).slice(0, 16).replace("T", " ")} UTC`;
  if (last === undefined) return "no sync has begun yet";
  if (last.ended_at === null)
    return `a sync that began ${at(last.began_at)} is still running, or was killed. ${before.length > 0 ? `The one before: ${syncOf(before)}` : ""}`;
  const ends: Record<string, string> = {
    complete: "complete",
    incomplete: "but is incomplete. Sync again",
    stopped: "because it was stopped. Sync again: it resumes",
  };
  return `the last sync ended ${at(last.ended_at)}, ${ends[String(last.outcome)]}.`;
}
