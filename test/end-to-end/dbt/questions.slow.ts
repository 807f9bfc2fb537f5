import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { exampleCompany, type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { npsByMonthChart } from "../../../tools/generate/charts.ts";
import build from "../../support/build.ts";
import { ANALYSES, compileAnalyses } from "./support/analyses.ts";
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
import { trueAnswers } from "./support/truth.ts";

/**
 * The analyses of the dbt package, and `docs/questions.md`, against the sandbox. To write the result and the chart of the
 * page again after a change, run this with -u and look at what changed.
 */
// dbt alone takes a minute on a machine that is busy.
vi.setConfig({ testTimeout: 1_800_000 });

const bin = path("../../../../dist/source-survey-export.js");
const PAGE = path("../../../../docs/questions.md");
const SHOWN_ROWS = 5;
const VARIABLES = { survey_export_loaded_at: "" };

/** Of the made-up company: a question for a choice, a ranking and a matrix. */
const [EASE, PRIORITIES, GRADES] = [1002, 2004, 2003];

/**
 * German respondents read other texts of the same answer ids. Korean ones choose answers with ids of their own, which
 * the seed answer_labels gives the label of the English ones.
 */
const TRANSLATIONS = `
  create table raw.languages as select uuid, language from raw.survey_responses;
  update raw.survey_answers set label = 'Tempo' where label = 'Speed'
    and response_uuid in (select uuid from raw.languages where language = 'de');
  update raw.survey_answers set value_text = 'Einfach' where value_text = 'Easy'
    and response_uuid in (select uuid from raw.languages where language = 'de');
  update raw.survey_answers set answer_id = answer_id + 50, label = '가격' where label = 'Price'
    and response_uuid in (select uuid from raw.languages where language = 'ko');
  update raw.survey_answers set answer_id = answer_id + 50, value_text = '어려움' where value_text = 'Hard'
    and response_uuid in (select uuid from raw.languages where language = 'ko');
  select count(distinct coalesce(label, value_text)) as texts from raw.survey_answers where question_id in (${EASE}, ${GRADES}, ${PRIORITIES});
`;
const ANSWER_LABELS = [
  "survey_id,question_id,answer_id,label",
  ...[100202, 100252].map((id) => `1001,${EASE},${id},Hard`),
  ...[200302, 200352].map((id) => `1002,${GRADES},${id},Price`),
  ...[200402, 200452].map((id) => `1002,${PRIORITIES},${id},Price`),
  "",
];

const page = readFileSync(PAGE, "utf8");

let folder: string;
let sandbox: Sandbox;
let output: Output;
let project: string;
let results: ReadonlyMap<string, readonly Row[]>;

beforeAll(async () => {
  build();
  folder = mkdtempSync(join(tmpdir(), "questions-"));
  output = { type: "duckdb", path: join(folder, "survey.duckdb"), schema: "analytics", threads: 2 };
  sandbox = await startSandbox(exampleCompany());
  const streams = await load();
  expect(streams).toBeGreaterThan(3);
  expect(query(folder, output, TRANSLATIONS)).toEqual([{ texts: 3 + 4 + 2 + 2 }]);
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

test("dbt builds the models on tables of a plain loader, and compiles every analysis", () => {
  ({ project } = createProject(folder, "questions"));
  copyFileSync(path("questions/question_labels.csv"), join(project, "seeds/question_labels.csv"));
  writeFileSync(join(project, "seeds/answer_labels.csv"), ANSWER_LABELS.join("\n"));
  const variables = ["--vars", JSON.stringify(VARIABLES)];
  dbt(project, output, "deps");
  expect(dbt(project, output, "build", ...variables)).toMatch(/Done\. PASS=\d+ WARN=0 ERROR=0 SKIP=0/);
  const analyses = compileAnalyses(project, output, VARIABLES);
  results = new Map([...analyses].map(([name, sql]) => [name, query(folder, output, sql)]));
});

test("a model that is disabled takes only the analyses along that need it", () => {
  const variables = {
    ...VARIABLES,
    survey_export_using_url_parameters: false,
    survey_export_using_respondent_attributes: false,
  };
  const args = ["ls", "--resource-type", "analysis", "--output", "name", "--vars", JSON.stringify(variables)];
  const left = dbt(project, output, "--quiet", ...args)
    .trim()
    .split("\n");
  const disabled = [...ANALYSES.keys()].filter((name) => !left.includes(name));
  expect(left.length).toBe(8);
  expect(disabled).toEqual(["satisfaction_by_plan", "unhappy_tickets"]);
});

describe("each analysis", () => {
  test.each([...ANALYSES])(
    "%s begins with its question and what to know, and leaves the limit to dbt",
    (_, sql) => {
      expect(sql).toMatch(/^-- [A-Z].+\?\n-- [A-Za-z].+\.\n(?!--)/);
      expect(sql).not.toMatch(/\blimit\b/);
    },
  );

  test.each([...ANALYSES.keys()])("%s has an answer", (name) => {
    expect(results.get(name)!.length).toBeGreaterThan(2);
  });
});

test("the NPS of each month is the truth", async () => {
  const score = new Map<string, number[]>();
  for (const { survey_id, question_id, collected_at, tag } of await trueScores()) {
    const key = `${survey_id} ${question_id} ${collected_at.slice(0, 7)}`;
    score.set(key, [...(score.get(key) ?? []), tag === "promoter" ? 100 : tag === "detractor" ? -100 : 0]);
  }
  const average = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
  const found = results.get("nps_by_month")!;
  expect(found.length).toBe(score.size);
  for (const [place, key] of [...score.keys()].toSorted().entries()) {
    expect(Math.abs(Number(found[place]!.nps) - average(score.get(key)!)), key).toBeLessThanOrEqual(0.5);
    expect(Number(found[place]!.answers), key).toBe(score.get(key)!.length);
  }
});

test("those who changed are those of the truth", async () => {
  const changed: string[] = [];
  const last = new Map<string, { readonly tag: string; readonly score: number }>();
  for (const { respondent, question_id, collected_at, tag, score } of await trueScores()) {
    const key = `${respondent} ${question_id}`;
    const before = last.get(key);
    if (before?.tag === "detractor" && tag === "promoter") {
      changed.push(`${respondent} ${collected_at.slice(0, 10)} ${before.score} ${score}`);
    }
    last.set(key, { tag, score });
  }
  const found = results.get("detractors_to_promoters")!;
  expect(found.length).toBeGreaterThan(20);
  expect(
    found
      .map(
        ({ respondent_uuid, day, previous_score, score }) =>
          `${respondent_uuid} ${day} ${previous_score} ${score}`,
      )
      .toSorted(),
  ).toEqual(changed.toSorted());
});

describe("translations of an answer are one row, by their id or by their label in the seed", () => {
  test.each([
    { name: "answers_by_device", column: "choice", count: "responses", question: EASE, rows: 3 * 3 },
    { name: "rankings", column: "item", count: "times_ranked", question: PRIORITIES, rows: 4 },
    { name: "matrix_grades", column: "part", count: "answers", question: GRADES, rows: 12 },
  ])("in $name", async ({ name, column, count, question, rows }) => {
    const truth = new Map<string, number>();
    for (const { elements } of await trueAnswers(sandbox.service)) {
      for (const { answer, answers } of elements.filter(({ question_id }) => question_id === question)) {
        for (const { content } of [answers ?? answer].flat() as readonly { readonly content: string }[]) {
          truth.set(content, (truth.get(content) ?? 0) + 1);
        }
      }
    }
    const found = new Map<string, number>();
    for (const row of results.get(name)!) {
      const shown = String(row[column]);
      const text = { Tempo: "Speed", Einfach: "Easy" }[shown] ?? shown; // any of the texts without a label
      found.set(text, (found.get(text) ?? 0) + Number(row[count]));
    }
    expect(found).toEqual(truth);
    expect(results.get(name)).toHaveLength(rows);
  });
});

describe("the page", () => {
  test("links each analysis, and names it by its question", () => {
    const linked = page.matchAll(/^\| (.+) \| \[(\w+)\]\(\.\.\/dbt\/analyses\/(\w+)\.sql\) \|$/gm);
    const links = [...linked].map(([, question, name, file]) => [file, `${name}: ${question}`]);
    const questions = [...ANALYSES].map(([name, sql]) => [name, `${name}: ${sql.split("\n")[0]!.slice(3)}`]);
    expect(links.toSorted()).toEqual(questions.toSorted());
  });

  test("has a command that shows an analysis of the package", () => {
    const command = /^dbt (show .+)$/m.exec(page)![1]!.split(" ");
    const shown = dbt(project, output, ...command, "--vars", JSON.stringify(VARIABLES));
    expect(shown.match(/^\| .* \| 2026-/gm)).toHaveLength(results.get("nps_by_month")!.length);
  });

  test("has the result of its example", async () => {
    const filled = page.replace(/(<!-- result: (\w+) -->\n).*?(<!-- end -->)/gs, (_, start, name, end) => {
      return `${start}\n${table(results.get(name) ?? [])}\n${end}`;
    });
    expect(filled).toContain("| Onboarding |");
    await expect(filled).toMatchFileSnapshot(PAGE);
  });

  test("has the chart of its example", async () => {
    const chart = await npsByMonthChart(results.get("nps_by_month") ?? []);
    await expect(chart).toMatchFileSnapshot(path("../../../../docs/questions/nps_by_month.svg"));
  });
});

test("two connections with the same tables have each row of each analysis twice", () => {
  const tables = query(folder, output, "select table_name from duckdb_tables() where schema_name = 'raw'");
  const copies = tables.map(
    ({ table_name: name }) => `create table raw_two.${name} as select * from raw.${name};`,
  );
  query(folder, output, `create schema raw_two; ${copies.join("\n")} select 1;`);
  const variables = { ...VARIABLES, survey_export_schema: ["raw", "raw_two"] };
  dbt(project, output, "build", "--exclude-resource-type", "test", "--vars", JSON.stringify(variables));
  const twice = compileAnalyses(project, output, variables);
  const sorted = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).toSorted();
  for (const [name, rows] of results) {
    expect(sorted(query(folder, output, twice.get(name)!)), name).toEqual(sorted([...rows, ...rows]));
  }
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
