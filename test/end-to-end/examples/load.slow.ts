import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { STREAMS } from "@survey-export/core";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { exampleSurveys, type Sandbox } from "../../../sandbox/index.ts";
import { BIN, catalog } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { startPostgres } from "../../support/postgres.ts";
import { addUnstorableText, configOf, sandboxForTest } from "../../support/sandbox.ts";
import { pythonWith } from "../../support/virtual-environment.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");
/** The examples have no tables for the snapshots. */
const streams = Object.values(STREAMS).filter(({ cursor }) => cursor === "collected_at");

let sandbox: Sandbox;
let folder: string;

beforeEach(async () => {
  sandbox = await sandboxForTest({ surveys: exampleSurveys(300, 7, 3) });
  addUnstorableText(sandbox.service);
  const files = folderForTest();
  folder = files.path();
  await files.file("config.json", configOf(sandbox));
  await files.file("catalog.json", catalog(...streams.map(({ name }) => name)));
});

/** Runs a program in the folder. @returns the lines that it prints */
async function run(program: string, words: readonly string[], input = ""): Promise<string[]> {
  const running = promisify(execFile)(program, words, { cwd: folder, maxBuffer: 1 << 28 });
  running.child.stdin!.end(input);
  return (await running).stdout.split("\n").filter(Boolean);
}
const sync = () => run(process.execPath, [BIN, "sync", folder]);
const duckdb = (words: readonly string[], input?: string) =>
  run(
    join(dirname(pythonWith("duckdb", ["duckdb-cli==1.5.6"])), "duckdb"),
    ["surveys.duckdb", ...words],
    input,
  );

/** The records of a stream in `messages/`. */
function recordsOf(stream: string): Record<string, unknown>[] {
  const files = readdirSync(join(folder, "messages")).map((name) => join(folder, "messages", name));
  const lines = files.flatMap((file) => readFileSync(file, "utf8").split("\n"));
  const start = `{"type":"RECORD","record":{"stream":"${stream}"`;
  return lines.filter((line) => line.startsWith(start)).map((line) => JSON.parse(line).record.data);
}

/** Loads twice, with new responses in between and young ones that come again, and once more what is loaded already. */
async function loadTwice(load: () => Promise<unknown>, ask: (query: string) => Promise<string[]>) {
  const surveys = sandbox.service.truth.surveyIds();
  for (const id of surveys) sandbox.service.collect(id, { count: 9, now: true });
  await sync();
  await load();
  for (const id of surveys) sandbox.service.collect(id, { count: 9 });
  await sync();
  await load();
  await load();
  for (const { name, primaryKey, schema } of streams) {
    const keys = recordsOf(name).map((record) => primaryKey.map((field) => record[field]).join(" "));
    expect(keys.length).toBeGreaterThan(new Set(keys).size);
    const loaded = await ask(`select ${primaryKey.join(" || ' ' || ")} from ${name}`);
    expect(loaded.toSorted()).toEqual([...new Set(keys)].toSorted());
    const columns = await ask(
      `select column_name from information_schema.columns where table_name = '${name}'`,
    );
    expect(columns.toSorted()).toEqual(Object.keys(schema.properties).toSorted());
  }
}

test("DuckDB's own program loads the messages, and each record once", async () => {
  const sql = readFileSync(join(EXAMPLES, "load/duckdb.sql"), "utf8");
  await loadTwice(
    () => duckdb([], sql),
    (query) => duckdb(["-list", "-noheader", "-c", query]),
  );
});

test("PostgreSQL takes the messages by psql, and each record once", async () => {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const address = `postgresql://survey@127.0.0.1:${postgres.port}/postgres`;
  const psql = (...words: readonly string[]) => run("psql", [address, "-X", "-q", ...words]);
  await loadTwice(
    () => psql("-f", join(EXAMPLES, "load/postgres.sql")),
    (query) => psql("-At", "-c", query),
  );
});

test("the command of the first sync shows the NPS of each question", async () => {
  await sync();
  const readme = readFileSync(join(EXAMPLES, "README.md"), "utf8");
  const statement = /^duckdb -c "(.*?)"$/ms.exec(readme)![1]!;
  const query = statement.replace(".survey-export/first.jsonl", join(folder, "messages/*.jsonl"));
  const shown = await duckdb(["-list", "-noheader", "-c", query]);
  const tagged = recordsOf("survey_answers").filter(({ nps_tag }) => nps_tag !== null);
  const texts = new Map(recordsOf("survey_questions").map(({ id, question }) => [id, question]));
  const questions = Map.groupBy(
    tagged,
    ({ survey_name, question_id: id }) => `${survey_name}|${texts.get(id)}`,
  );
  expect(questions.size).toBeGreaterThan(1);
  const expected = [...questions].map(([question, answers]) => {
    const count = (tag: string) => answers.filter(({ nps_tag }) => nps_tag === tag).length;
    const nps = Math.round((100 * (count("promoter") - count("detractor"))) / answers.length);
    return `${question}|${answers.length}|${nps.toFixed(1)}`;
  });
  expect(shown.toSorted()).toEqual(expected.toSorted());
});
