import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { exampleCompany, type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { QUESTION_CHARTS } from "../../../tools/generate/charts.ts";
import build from "../../support/build.ts";
import {
  createProject,
  dbt,
  dbtPython,
  type Output,
  path,
  query,
  type Row,
  run,
} from "./support/dbt-runner.ts";
import { PAGE, questionsOf, readPage } from "./support/questions-page.ts";
import { trueAnswers } from "./support/truth.ts";

/**
 * `docs/questions.md`, its results and its charts, against the sandbox. To write them again after a change, run this
 * with -u and look at what changed.
 */
// dbt alone takes a minute on a machine that is busy.
vi.setConfig({ testTimeout: 1_800_000 });

const bin = path("../../../../dist/source-survey-export.js");
const SHOWN_ROWS = 9;

const page = readPage();
const questions = questionsOf(page);

let folder: string;
let sandbox: Sandbox;
let output: Output;
const results = new Map<string, readonly Row[]>();

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), "questions-"));
  output = { type: "duckdb", path: join(folder, "survey.duckdb"), schema: "analytics", threads: 2 };
  sandbox = await startSandbox(exampleCompany());
  const streams = await load();
  expect(streams).toBeGreaterThan(3);
});

afterAll(async () => {
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Reads everything with the bin and loads it without Airbyte; returns the number of streams. */
async function load(): Promise<number> {
  const source = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args], { maxBuffer: 1 << 30 });
    return stdout;
  };
  const keep = (name: string, content: unknown) => {
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
    return join(folder, name);
  };
  const config = keep("config.json", {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: sandbox.service.truth.surveyIds(),
  });
  const discovered = (await source("discover", "--config", config)).trim().split("\n");
  const { streams } = discovered.map((line) => JSON.parse(line)).find(({ catalog }) => catalog).catalog;
  const configured = streams.map((stream: object) => ({
    stream,
    sync_mode: "full_refresh",
    destination_sync_mode: "overwrite",
  }));
  const catalog = keep("catalog.json", { streams: configured });
  const lines = keep("lines.jsonl", await source("read", "--config", config, "--catalog", catalog));
  const given = JSON.stringify({ lines, streams, duckdb: join(folder, "survey.duckdb") });
  expect(run(dbtPython(), [path("load_lines.py"), given], folder)).toBe("");
  return streams.length;
}

test("dbt builds the models on tables of a plain loader", () => {
  const { project } = createProject(folder, "questions");
  copyFileSync(path("questions/question_labels.csv"), join(project, "seeds/question_labels.csv"));
  const variables = JSON.stringify({ survey_export_loaded_at: "", survey_export_attributes: ["plan"] });
  dbt(project, output, "deps");
  expect(dbt(project, output, "build", "--vars", variables)).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
});

describe("the page answers", () => {
  test("at least eight questions", () => {
    expect(questions.length).toBeGreaterThanOrEqual(8);
    expect(questions.length).toBe(page.match(/```sql/g)?.length);
  });

  test.each(questions)("$title", ({ sql, name }) => {
    const rows = query(folder, output, sql);
    expect(rows.length).toBeGreaterThan(2);
    results.set(name, rows);
  });

  test("the NPS of each month with the truth of each question", async () => {
    const score = new Map<string, number[]>();
    for (const { survey_id, question_id, collected_at, tag } of await trueScores()) {
      const key = `${survey_id} ${question_id} ${collected_at.slice(0, 7)}`;
      score.set(key, [...(score.get(key) ?? []), tag === "promoter" ? 100 : tag === "detractor" ? -100 : 0]);
    }
    const average = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
    const found = results.get("nps_by_month")!.map(({ nps }) => Number(nps));
    expect(found.length).toBe(score.size);
    for (const [place, key] of [...score.keys()].toSorted().entries()) {
      expect(Math.abs(found[place]! - average(score.get(key)!)), key).toBeLessThanOrEqual(0.5);
    }
  });

  test("who changed with the truth of each question", async () => {
    const changed: string[] = [];
    const last = new Map<string, { readonly tag: string; readonly score: number }>();
    for (const { respondent, question_id, collected_at, tag, score } of await trueScores()) {
      const key = `${respondent} ${question_id}`;
      const before = last.get(key);
      if (before?.tag === "detractor" && tag === "promoter") {
        changed.push(`${respondent.slice(-4)} ${collected_at.slice(0, 10)} ${before.score} ${score}`);
      }
      last.set(key, { tag, score });
    }
    const { sql } = questions.find(({ name }) => name === "changed")!;
    const all = query(folder, output, sql.replace(/limit \d+/, ""));
    expect(all.length).toBeGreaterThan(20);
    expect(
      all
        .map(({ person, day, previous_score, score }) => `${person} ${day} ${previous_score} ${score}`)
        .toSorted(),
    ).toEqual(changed.toSorted());
  });

  test("with these results", async () => {
    const filled = page.replace(/(<!-- result: (\w+) -->\n).*?(<!-- end -->)/gs, (_, start, name, end) => {
      return `${start}\n${table(results.get(name) ?? [])}\n${end}`;
    });
    await expect(filled).toMatchFileSnapshot(PAGE);
  });

  test.each(Object.keys(QUESTION_CHARTS))("and with the chart %s", async (name) => {
    const chart = await QUESTION_CHARTS[name]!(results.get(name) ?? []);
    await expect(chart).toMatchFileSnapshot(path(`../../../../docs/questions/${name}.svg`));
  });
});

/** Every score that somebody gave, in the order of time. */
async function trueScores() {
  const responses = (await trueAnswers(sandbox.service)).toSorted((one, other) =>
    one.collected_at < other.collected_at ? -1 : 1,
  );
  return responses.flatMap(({ elements, ...response }) =>
    elements.flatMap(({ question_id, answer }) => {
      const { tag, content } = (answer ?? {}) as { readonly tag?: string; readonly content?: string };
      return tag === undefined ? [] : [{ ...response, question_id, tag, score: Number(content) }];
    }),
  );
}

/** The first rows as a table in Markdown, and how many more there are. */
function table(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const line = (cells: readonly unknown[]) => `| ${cells.map((cell) => String(cell ?? "")).join(" | ")} |`;
  const shown = rows.slice(0, SHOWN_ROWS).map((row) => line(names.map((name) => row[name])));
  const more = rows.length > SHOWN_ROWS ? [`\n… and ${rows.length - SHOWN_ROWS} more rows.`] : [];
  return `${[line(names), line(names.map(() => "---")), ...shown, ...more].join("\n")}\n`;
}
