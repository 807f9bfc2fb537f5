import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { STREAMS } from "@survey-export/core";
import { beforeEach, describe, expect, test } from "vitest";
import { exampleSurveys, type Sandbox } from "../../../sandbox/index.ts";
import { BIN, catalog } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { addUnstorableText, configOf, sandboxForTest } from "../../support/sandbox.ts";
import { pythonWith } from "../../support/virtual-environment.ts";

const EXAMPLES = join(import.meta.dirname, "../../../examples");
/** The examples have no tables for the snapshots. */
const streams = Object.values(STREAMS).filter(({ cursor }) => cursor === "collected_at");

let sandbox: Sandbox;
let folder: string;
const postgres = await testPostgres();

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

/** psql, in a database for each folder. */
async function psql(words: readonly string[], input?: string): Promise<string[]> {
  const server = `postgresql://survey@127.0.0.1:${postgres.port}`;
  const database = basename(folder);
  const isThere = `select from pg_database where datname = '${database}'`;
  const create = `select 'create database "${database}"' where not exists (${isThere}) \\gexec`;
  await run("psql", [`${server}/postgres`, "-X", "-q"], create);
  return run("psql", [`${server}/${database}`, "-X", ...words], input);
}

/** A program that loads: its file in `examples/load/`, and how it runs statements and commands of the shell. */
const LOADERS = {
  DuckDB: {
    file: "duckdb.sql",
    run: (statements: string) => duckdb([], statements),
    ask: (query: string) => duckdb(["-list", "-noheader", "-c", query]),
    shell: ".shell",
  },
  Postgres: {
    file: "postgres.sql",
    run: (statements: string) => psql(["-f", "-"], statements),
    ask: (query: string) => psql(["-At", "-c", query]),
    shell: "\\!",
  },
};

describe.each(Object.entries(LOADERS))("the loader of %s", (_, { file, run, ask, shell }) => {
  const statements = readFileSync(join(EXAMPLES, "load", file), "utf8");
  const load = () => run(statements);

  test("stores each record once, with all its columns, over two syncs with young records that come again", async () => {
    const surveys = sandbox.service.truth.surveyIds();
    for (const id of surveys) sandbox.service.collect(id, { count: 9, now: true });
    await sync();
    await load();
    for (const id of surveys) sandbox.service.collect(id, { count: 9 });
    await sync();
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
  });

  const surveys = () => ask("select id || ' ' || name from surveys order by id");
  const loadedFiles = () => ask("select file from _survey_export_loaded order by file");

  test("reads each file once, until somebody deletes the list of loaded files", async () => {
    write("1.jsonl", { a: "first" });
    await load();
    write("1.jsonl", "{ damaged\n", { a: "first, damaged" });
    write("2.jsonl", { b: "second" });
    write("3.jsonl.part", { c: "of a sync that runs" });
    await load();
    expect(await surveys()).toEqual(["a first", "b second"]);
    expect(await loadedFiles()).toEqual(["1.jsonl", "2.jsonl"]);
    write("1.jsonl", { a: "again" });
    await ask("delete from _survey_export_loaded");
    await load();
    expect(await surveys()).toEqual(["a again", "b second"]);
  });

  test("keeps the newest record if an older file comes late", async () => {
    write("1.jsonl", { a: "1" });
    write("3.jsonl", { a: "3", b: "3" });
    await load();
    write("2.jsonl", { a: "2", b: "2", c: "2" });
    await load();
    expect(await surveys()).toEqual(["a 3", "b 3", "c 2"]);
  });

  test("stores nothing if it is killed or a file is damaged, and everything the next time", async () => {
    write("1.jsonl", { a: "1" });
    await load();
    write("2.jsonl", { a: "2", b: "2" });
    const killed = statements.replace(/^commit;$/m, `${shell} kill -9 $PPID`);
    await expect(run(killed)).rejects.toThrow();
    expect([await surveys(), await loadedFiles()]).toEqual([["a 1"], ["1.jsonl"]]);
    write("3.jsonl", '{"type":"RECORD",\n');
    await expect(load()).rejects.toThrow();
    expect([await surveys(), await loadedFiles()]).toEqual([["a 1"], ["1.jsonl"]]);
    write("3.jsonl", { c: "3" });
    await load();
    expect(await surveys()).toEqual(["a 2", "b 2", "c 3"]);
    expect(await loadedFiles()).toEqual(["1.jsonl", "2.jsonl", "3.jsonl"]);
  });

  test("prints nothing, also without new messages, and refuses one that is no sync's", async () => {
    await expect(load()).rejects.toThrow("messages");
    write("1.jsonl", "");
    expect(await load()).toEqual([]);
    expect(await loadedFiles()).toEqual(["1.jsonl"]);
    expect(await load()).toEqual([]);
    rmSync(join(folder, "messages/1.jsonl"));
    writeFileSync(join(folder, "state.jsonl"), "");
    expect(await load()).toEqual([]);
    expect(await surveys()).toEqual([]);
  });
});

/** Writes a file of messages: lines as they are, and the names of surveys by their ids. */
function write(file: string, ...content: readonly (string | Record<string, string>)[]) {
  const emitted_at = Number.parseInt(file, 10);
  const lines = content.map((part) => {
    if (typeof part === "string") return part;
    const records = Object.entries(part).map(([id, name]) => ({
      type: "RECORD",
      record: { stream: "surveys", data: { id, name }, emitted_at },
    }));
    return records.map((record) => `${JSON.stringify(record)}\n`).join("");
  });
  mkdirSync(join(folder, "messages"), { recursive: true });
  writeFileSync(join(folder, "messages", file), lines.join(""));
}

test("the loaders are in the npm package", async () => {
  const root = join(EXAMPLES, "..");
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts", root];
  const [{ files }] = JSON.parse((await run("npm", pack)).join(""));
  const paths = files.map(({ path }: { path: string }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(Object.values(LOADERS).map(({ file }) => `examples/load/${file}`)),
  );
});

test("the SQL of the first sync shows the NPS of each question", async () => {
  await sync();
  const target = join(folder, "surveys.sqlite");
  await run(process.execPath, [BIN, "sync", target]);
  const [, statement = ""] = /^```sql\n(.*?)```$/ms.exec(readFileSync(join(EXAMPLES, "README.md"), "utf8"))!;
  using database = new DatabaseSync(target);
  const shown = database
    .prepare(statement)
    .all()
    .map((row) => Object.values(row).join("|"));
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
    return `${question}|${answers.length}|${nps}`;
  });
  expect(shown.toSorted()).toEqual(expected.toSorted());
});
