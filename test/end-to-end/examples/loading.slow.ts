import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { STREAMS, type StreamName } from "@survey-export/core";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { VIEWS } from "../../../connector/views/texts.ts";
import { exampleSurveys, type Sandbox } from "../../../sandbox/index.ts";
import { BIN } from "../../support/bin.ts";
import { documentText, sqlBlocks } from "../../support/company-file.ts";
import { placeExtensions } from "../../support/duckdb-extensions.ts";
import { folderForTest, testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { addUnstorableText, configOf, sandboxForTest } from "../../support/sandbox.ts";
import { pythonWith } from "../../support/virtual-environment.ts";
import { columnsIn } from "../dbt/support/tables.ts";

/** The commands of `examples/README.md` that bring the file of a sync to another database. They are run as they stand there. */

const PAGE = readFileSync(join(import.meta.dirname, "../../../examples/README.md"), "utf8");
/** DuckDB's command, and its extensions, of the newest version of which PyPI has both. */
const DUCKDB = [
  "duckdb-cli==1.5.5",
  "duckdb-extension-postgres-scanner==1.5.5",
  "duckdb-extension-sqlite-scanner==1.5.5",
];
const LOADED = ["surveys", "survey_questions", "survey_responses", "survey_answers", "respondent_attributes"];

const home = testFolder().path();
const postgres = await testPostgres();
let path: string;

let sandbox: Sandbox;
let folder: string;

beforeAll(() => {
  const python = pythonWith("duckdb", DUCKDB);
  placeExtensions(python, home);
  path = [dirname(python), process.env.PATH].join(":");
});

beforeEach(async () => {
  sandbox = await sandboxForTest({ surveys: exampleSurveys(300, 7, 3) });
  addUnstorableText(sandbox.service);
  const files = folderForTest();
  folder = files.path();
  await files.file("config.json", configOf(sandbox));
  await files.file("surveys.sql", block("sql", "## Loading"));
});

/** The first block of code in a language after a heading of the page. */
function block(language: string, heading: string): string {
  const after = PAGE.split(`\n${heading}\n`)[1] ?? "";
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(after)?.[1];
  if (found === undefined) throw new Error(`The page has no ${language} after "${heading}".`);
  return found;
}

/** Runs a program in the folder. @returns the lines that it prints. @throws if it fails */
async function run(program: string, ...words: readonly string[]): Promise<string[]> {
  const env = { PATH: path, HOME: home, PGTZ: "UTC" };
  const { stdout } = await promisify(execFile)(program, words, { cwd: folder, env, maxBuffer: 1 << 28 });
  return stdout.split("\n").filter(Boolean);
}
const target = () => join(folder, "surveys.sqlite");
const sync = () => run(process.execPath, BIN, "sync", target());

/** Changes the file, as somebody does who erases rows or adds a column. */
function change(...statements: readonly string[]): void {
  using database = new DatabaseSync(target());
  for (const statement of statements) database.exec(statement);
}

/** A database for each folder. */
const addressOf = (database: string) => `postgresql://survey@127.0.0.1:${postgres.port}/${database}`;
const psql = (sql: string) => run("psql", addressOf(basename(folder)), "-XAtq", "-c", sql);

interface Destination {
  /** The heading of its command. */
  readonly heading: string;
  /** What it calls these types. */
  readonly types: Parameters<typeof columnsIn>[0];
  /** Makes what the command expects to be there. */
  prepare(): Promise<unknown>;
  /** A row of a stream a line, as a JSON object. */
  rows(stream: string): Promise<string[]>;
  /** A column a line, with its type. */
  columns(stream: string): Promise<string[]>;
}

const DESTINATIONS: readonly Destination[] = [
  {
    heading: "### Postgres",
    types: {
      text: "character varying",
      timestamp: "timestamp with time zone",
      boolean: "boolean",
      json: "json",
      integer: "bigint",
      number: "double precision",
    },
    prepare: () => run("psql", addressOf("postgres"), "-Xq", "-c", `create database "${basename(folder)}"`),
    rows: (stream) => psql(`select to_json(t) from ${stream} as t`),
    columns: (stream) =>
      psql(
        `select column_name || ' ' || data_type from information_schema.columns where table_name = '${stream}' order by ordinal_position`,
      ),
  },
  {
    heading: "### Parquet",
    types: {
      text: "VARCHAR",
      timestamp: "TIMESTAMP WITH TIME ZONE",
      boolean: "BOOLEAN",
      json: "JSON",
      integer: "BIGINT",
      number: "DOUBLE",
    },
    prepare: async () => {},
    rows: (stream) => duckdb(`select to_json(t) from 'parquet/${stream}.parquet' as t`),
    columns: (stream) =>
      duckdb(`select column_name || ' ' || column_type from (describe from 'parquet/${stream}.parquet')`),
  },
];
const duckdb = (sql: string) => run("duckdb", "-list", "-noheader", "-c", sql);

/** The command of the page, for this test's database. `edit` changes it. */
function load({ heading }: Destination, edit = (command: string) => command): Promise<string[]> {
  const command = block("sh", heading).replace("postgresql://…", addressOf(basename(folder)));
  return run("sh", "-ec", edit(command));
}

/** The kinds of a stream's columns by name: text, timestamp, json and so on. */
const kindsOf = (stream: string, types = KINDS): ReadonlyMap<string, string> => {
  const { _airbyte_extracted_at: _, ...columns } = columnsIn(types)[stream]!;
  return new Map(Object.entries(columns));
};
const KINDS = {
  text: "text",
  timestamp: "timestamp",
  boolean: "boolean",
  json: "json",
  integer: "integer",
  number: "number",
};

/** The rows of a stream in the file, each as JSON, with the values that its columns mean. */
function rowsInFile(stream: string): string[] {
  using database = new DatabaseSync(target());
  const kinds = kindsOf(stream);
  const rows = database.prepare(`select * from ${stream}`).all();
  const meant = (name: string, value: unknown): unknown => {
    if (value === null) return null;
    if (kinds.get(name) === "boolean") return value === 1;
    if (kinds.get(name) === "json") return JSON.parse(String(value));
    return kinds.get(name) === "timestamp" ? timeOf(value) : value;
  };
  return rows
    .map((row) => JSON.stringify(Object.entries(row).map(([name, value]) => [name, meant(name, value)])))
    .toSorted();
}
/** The same rows in a destination. */
async function rowsIn(destination: Destination, stream: string): Promise<string[]> {
  const kinds = kindsOf(stream);
  const rows = (await destination.rows(stream)).map((line) => Object.entries(JSON.parse(line)));
  const meant = (name: string, value: unknown) =>
    kinds.get(name) === "timestamp" && value !== null ? timeOf(value) : value;
  return rows.map((row) => JSON.stringify(row.map(([name, value]) => [name, meant(name, value)]))).toSorted();
}
/** A time in UTC as every program spells it: without its zone, and without zeros at its end. */
const timeOf = (value: unknown): string =>
  String(value)
    .replace(" ", "T")
    .replace(/(Z|\+00(:00)?)$/, "")
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

describe.each(DESTINATIONS)("the command after $heading", (destination) => {
  beforeEach(() => destination.prepare());

  const expectEqualToFile = async () => {
    for (const stream of LOADED) {
      const rows = new Set(rowsInFile(stream));
      const loaded = await rowsIn(destination, stream);
      expect(rows.size, stream).toBeGreaterThan(0);
      expect(loaded.find((row) => !rows.has(row))).toBeUndefined();
      expect(loaded, stream).toHaveLength(rows.size);
    }
  };

  test("makes the destination equal to the file, each time, and says nothing", async () => {
    await sync();
    expect(await load(destination)).toEqual([]);
    await expectEqualToFile();
    for (const id of sandbox.service.truth.surveyIds()) sandbox.service.collect(id, { count: 9 });
    await sync();
    change("delete from survey_answers where question_id = (select min(question_id) from survey_answers)");
    expect(await load(destination)).toEqual([]);
    await expectEqualToFile();
  });

  test("gives each column its type", async () => {
    await sync();
    await load(destination);
    for (const stream of LOADED) {
      const expected = [...kindsOf(stream, destination.types)].map((column) => column.join(" "));
      expect(await destination.columns(stream), stream).toEqual(expected);
    }
  });

  test("changes nothing if a stream cannot be read, or if it is killed", async () => {
    await sync();
    await load(destination);
    const before = await Promise.all(LOADED.map((stream) => rowsIn(destination, stream)));
    change("delete from surveys", "alter table respondent_attributes rename to renamed");
    await expect(load(destination)).rejects.toThrow("respondent_attributes");
    change("alter table renamed rename to respondent_attributes");
    const kill = (command: string) => command.replace(/\n\} \| duckdb/, "\necho '.shell kill -9 $PPID'$&");
    const isLast = (command: string) => kill(command.replace("  echo 'commit;'\n", ""));
    await expect(load(destination, isLast)).rejects.toThrow();
    expect(await Promise.all(LOADED.map((stream) => rowsIn(destination, stream)))).toEqual(before);
    await load(destination);
    expect(await destination.rows("surveys")).toEqual([]);
  });
});

const [inPostgres, inParquet] = DESTINATIONS as [Destination, Destination];

test("tables of Postgres keep the keys, types and views that somebody gives them", async () => {
  await inPostgres.prepare();
  await sync();
  await load(inPostgres);
  await psql("alter table surveys add primary key (id)");
  await psql("alter table survey_responses alter column answers type jsonb");
  await psql("create view listed as select id from surveys");
  const [survey = ""] = sandbox.service.truth.surveyIds();
  sandbox.service.collect(survey, { count: 9 });
  await sync();
  await load(inPostgres);
  expect(await rowsIn(inPostgres, "survey_responses")).toHaveLength(rowsInFile("survey_responses").length);
  expect(await psql("select id from listed")).toHaveLength(rowsInFile("surveys").length);
  expect(await inPostgres.columns("survey_responses")).toContain("answers jsonb");
});

test("a new column stops the command of Postgres and changes nothing, until the table has it", async () => {
  await inPostgres.prepare();
  await sync();
  await load(inPostgres);
  await psql("alter table survey_answers drop column comment");
  change("delete from surveys");
  await expect(load(inPostgres)).rejects.toThrow('does not have a column with name "comment"');
  expect((await inPostgres.rows("surveys")).length).toBeGreaterThan(0);
  await psql("alter table survey_answers add column comment varchar");
  await load(inPostgres);
  expect(await inPostgres.rows("surveys")).toEqual([]);
  expect((await psql("select comment from survey_answers where comment is not null")).length).toBeGreaterThan(
    0,
  );
});

test("the folder of Parquet has a file for each stream, and nothing else is left", async () => {
  await sync();
  await load(inParquet);
  await load(inParquet);
  expect(readdirSync(join(folder, "parquet")).toSorted()).toEqual(
    LOADED.map((stream) => `${stream}.parquet`).toSorted(),
  );
  expect(readdirSync(folder).filter((name) => name.startsWith("parquet"))).toEqual(["parquet"]);
});

test("surveys.sql has every default stream but the one that reads single respondents", () => {
  const named = Object.keys(STREAMS).filter((name) => STREAMS[name as StreamName].cursor === "collected_at");
  expect([...LOADED, "respondent_responses"].toSorted()).toEqual(named.toSorted());
});

/** A row as JSON, in which a number is the same in SQLite and DuckDB. */
const normal = (row: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(row, (_, value) => (typeof value === "number" ? Number(value.toPrecision(12)) : value));

test("DuckDB gives the rows of each view that SQLite gives, with numbers as numbers", async () => {
  await sync();
  using database = new DatabaseSync(target());
  expect(Object.keys(VIEWS).length).toBeGreaterThan(5);
  for (const view of Object.keys(VIEWS)) {
    const inSqlite = database.prepare(`select * from ${view}`).all().map(normal).toSorted();
    const lines = await duckdb(
      `attach 'surveys.sqlite' as surveys (type sqlite, read_only); select to_json(t) from surveys.${view} as t`,
    );
    const inDuckdb = lines.map((line) => normal(JSON.parse(line))).toSorted();
    expect(inDuckdb, view).toEqual(inSqlite);
  }
});

test("DuckDB opens the file as docs/file.md says, and gives the rows of its first queries that SQLite gives", async () => {
  await sync();
  const [open, ...queries] = sqlBlocks(documentText("docs/file.md"));
  expect((await duckdb(open!.sql)).length).toBeGreaterThan(5);
  expect(queries).toHaveLength(3);
  const [attach = "", use = ""] = open!.sql.split("\n");
  using database = new DatabaseSync(target());
  for (const { sql } of queries) {
    const inSqlite = database.prepare(sql).all().map(normal).toSorted();
    const query = sql.trimEnd().replace(/;$/, "");
    const lines = await duckdb(`${attach} ${use} select to_json(t) from (${query}) as t`);
    expect(lines.map((line) => normal(JSON.parse(line))).toSorted()).toEqual(inSqlite);
  }
});
