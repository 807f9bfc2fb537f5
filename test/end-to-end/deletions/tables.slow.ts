import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { STREAMS } from "@survey-export/core";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { testFolder } from "../../support/folder.ts";
import { testPostgres } from "../../support/postgres.ts";
import { testSandbox } from "../../support/sandbox.ts";
import { createProject, databases, dbt, dbtPython, query } from "../dbt/support/dbt-runner.ts";
import { load } from "../pyairbyte/support/pyairbyte.ts";
import {
  collectFromWilma,
  configuration,
  documented,
  HASH,
  sandboxWithWilma,
  TRACE,
  UUID,
} from "./support/erasure.ts";

/**
 * The statements of `docs/deletions.md` and `docs/personal-data.md`, on tables that PyAirbyte loaded and on the models that dbt built of them. The
 * person is in these tables by UUID, by hash, and with one response that names nobody.
 */
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 1_800_000 });

type Target = "duckdb" | "postgres";
const TARGETS: readonly Target[] = ["duckdb", "postgres"];
const SNAPSHOT_STREAMS = ["response_keys", "response_key_snapshots"];
const REFRESH = { write_strategy: "replace", force_full_refresh: true };

const folder = testFolder().path();
const postgres = await testPostgres();
const sandbox = await sandboxWithWilma(testSandbox);
/** A response of the person that was loaded with the respondent omitted. */
let nameless: string;
/** Of a snapshot into each database, after the deletions. */
let requestsOfSnapshots: number;
/** Two responses of others that are deleted at the service: one within the window of the page, and one before it. */
let deleted: { readonly within: string; readonly before: string };

beforeAll(async () => {
  nameless = collectFromWilma(sandbox, "1001", "2026-09-29T00:00:00.000000Z");
  await load(folder, postgres, configuration(sandbox));
  collectFromWilma(sandbox, "1001", "2026-10-01T00:00:00.000000Z");
  await load(folder, postgres, configuration(sandbox, "hash"));

  const others = [...sandbox.service.truth.responses("1001")].filter((one) => one.respondent_uuid !== UUID);
  const isWithin = ({ collected_at }: { readonly collected_at: string }) => collected_at >= "2026-08-01";
  deleted = { within: others.find(isWithin)!.uuid, before: others.find((one) => !isWithin(one))!.uuid };
  expect(sandbox.service.remove({ responses: Object.values(deleted) })).toBe(2);
  sandbox.service.resetStats();
  await load(folder, postgres, configuration(sandbox), { streams: SNAPSHOT_STREAMS });
  requestsOfSnapshots = sandbox.service.stats.requests;
  const since = { ...configuration(sandbox), start_date: "2026-08-01T00:00:00Z" };
  await load(folder, postgres, since, { schema: "recent", streams: ["survey_responses"], how: REFRESH });
});

const outputOf = (target: Target) => databases(folder, postgres.port)[target];
const read = (target: Target, sql: string) => query(folder, outputOf(target), sql);
/** Runs statements in one session. */
const execute = (target: Target, ...statements: readonly string[]) =>
  read(target, `${statements.join(";\n")};\nselect 1 as done`);

/** Every row of every table, as text, by the table's name. */
function tables(target: Target): ReadonlyMap<string, readonly string[]> {
  const names = read(
    target,
    "select table_schema as s, table_name as t from information_schema.tables where table_schema not in ('information_schema', 'pg_catalog')",
  ).map(({ s, t }) => `${s}.${t}`);
  const each = names.map((name) => `select '${name}' as name, cast(t as varchar) as text from ${name} as t`);
  const rows = Map.groupBy(read(target, each.join(" union all ")), ({ name }) => name);
  return new Map(
    names.map((name) => [name, (rows.get(name) ?? []).map(({ text }) => String(text)).toSorted()]),
  );
}
const isTrace = (row: string) => TRACE.test(row) || row.includes(nameless);
const traced = (all: ReturnType<typeof tables>) =>
  [...all].flatMap(([table, rows]) => (rows.some(isTrace) ? [table] : []));
/** What the loader wrote of everybody else. */
const ofOthers = (all: ReturnType<typeof tables>) =>
  [...all].flatMap(([table, rows]) =>
    /^(?:raw|recent|airbyte_internal)\.(?!response_key_snapshots)/.test(table)
      ? [[table, rows.filter((row) => !isTrace(row))]]
      : [],
  );

/** The files below a folder that hold a trace of the person. */
const tracesBelow = (place: string): string[] =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(holdsTrace);
function holdsTrace(file: string): boolean {
  const bytes = readFileSync(file);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return TRACE.test((isPacked ? gunzipSync(bytes) : bytes).toString("latin1"));
}

/** Rows as other settings and loaders leave them: with the respondent omitted, with the UUID in upper case. */
const oddRows = () => [
  `update raw.survey_responses set respondent_uuid = null where uuid = '${nameless}'`,
  `update raw.survey_answers set respondent_uuid = null where response_uuid = '${nameless}'`,
  "update raw.survey_answers set respondent_uuid = upper(respondent_uuid) where survey_id = '1002'",
];
/** The tables in which Airbyte's destinations keep each record once more. */
const airbyteRawTables = () => [
  "create schema airbyte_internal",
  ...Object.keys(STREAMS).map(
    (stream) =>
      `create table airbyte_internal.raw_raw__stream_${stream} as
        select _airbyte_raw_id, _airbyte_extracted_at, to_json(t) as _airbyte_data from raw.${stream} as t`,
  ),
];

const projectOf = (target: Target) => join(folder, `project-${target}`);
function buildModels(target: Target): void {
  const [, ...words] = documented("dbt").trim().split(" ");
  const variables = JSON.stringify({ survey_export_using_response_keys: true });
  expect(dbt(projectOf(target), outputOf(target), ...words, "--vars", variables)).toMatch(
    /Done\. PASS=\d+ WARN=\d+ ERROR=0 SKIP=0/,
  );
}

describe.each(TARGETS)("on %s", (target) => {
  beforeAll(() => {
    execute(target, ...oddRows(), ...airbyteRawTables());
    createProject(folder, target);
    expect(dbt(projectOf(target), outputOf(target), "deps")).not.toContain("Error");
    buildModels(target);
  });

  test("the window shows the response that was deleted in it", () => {
    expect(read(target, documented("window"))).toEqual([{ uuid: deleted.within }]);
  });

  const isDeletedAlone = () => {
    const sql = "select response_uuid from analytics.survey_export__responses where is_deleted";
    const marked = read(target, sql).map((row) => row.response_uuid);
    expect(marked.toSorted()).toEqual(Object.values(deleted).toSorted());
  };
  test("a snapshot of keys marks the responses that were deleted, and no others", isDeletedAlone);

  test("the statements erase the person from every table and model, and nobody else", () => {
    const before = tables(target);
    const impersonal = ["response_key_snapshots", "surveys", "survey_questions"];
    const streams = Object.keys(STREAMS).filter((name) => !impersonal.includes(name));
    const models = ["answers", "responses", "respondents", "url_parameters"];
    expect(traced(before)).toEqual(
      expect.arrayContaining([
        ...streams.flatMap((name) => [`raw.${name}`, `airbyte_internal.raw_raw__stream_${name}`]),
        ...["recent.survey_responses", ...models.map((name) => `analytics.survey_export__${name}`)],
      ]),
    );
    const mentions = () => read(target, documented("search")).length;
    expect(mentions()).toBeGreaterThan(3);
    const erased = `${documented("erased")};insert into erased values ('${nameless}')`;
    expect(erased).toContain(HASH);
    const raw = documented("erasure");
    const recent = raw.split(";")[0]!.replace("raw.", "recent.");
    execute(target, erased, documented("snapshots"), raw, documented("erasure_raw_tables"), recent);
    buildModels(target);

    const after = tables(target);
    expect(traced(after)).toEqual([]);
    expect(mentions()).toBe(0);
    expect(ofOthers(after)).toEqual(ofOthers(before));
    isDeletedAlone();
    const others = before.get("analytics.survey_export__responses")!.filter((row) => !isTrace(row));
    expect(after.get("analytics.survey_export__responses")).toEqual(others);
    expect(others.length).toBeGreaterThan(190);
  });

  test("the person leaves the database's files", () => {
    if (target === "duckdb") {
      expect(holdsTrace(join(folder, "survey.duckdb"))).toBe(true);
      query(folder, { ...outputOf(target), path: ":memory:" }, `${documented("duckdb")}select 1 as done`);
      const before = tables(target);
      renameSync(join(folder, "survey-new.duckdb"), join(folder, "survey.duckdb"));
      expect(tables(target)).toEqual(before);
      expect(holdsTrace(join(folder, "survey.duckdb"))).toBe(false);
      return;
    }
    const data = join(String(read(target, "show data_directory")[0]!.data_directory), "base");
    const alone = `import psycopg2, sys
connection = psycopg2.connect(host="127.0.0.1", port=${postgres.port}, user="survey", dbname="postgres")
connection.autocommit = True
for statement in sys.argv[1:]: connection.cursor().execute(statement)`;
    const run = (...each: readonly string[]) => execFileSync(dbtPython(), ["-c", alone, ...each]);
    run("checkpoint");
    expect(tracesBelow(data).length).toBeGreaterThan(5);
    run(...documented("vacuum").trim().split("\n"), "checkpoint");
    expect(tracesBelow(data)).toEqual([]);
  });
});

test("a snapshot takes as many requests as the page says", () => {
  const { truth } = sandbox.service;
  const pages = truth.surveyIds().reduce((sum, id) => sum + Math.ceil(truth.count(id) / 100), 0);
  expect(requestsOfSnapshots).toBeGreaterThanOrEqual(2 * pages);
  expect(requestsOfSnapshots).toBeLessThanOrEqual(2 * (pages + 5 * truth.surveyIds().length));
});

test("the person leaves the files that PyAirbyte loaded from", () => {
  const files = join(folder, "files");
  expect(tracesBelow(files).length).toBeGreaterThan(10);
  execFileSync("/bin/sh", ["-ec", documented("cache").replace(".cache", files)]);
  expect(tracesBelow(files)).toEqual([]);
});

const responsesIn = (target: Target) =>
  read(target, "select distinct uuid from raw.survey_responses order by uuid").map(({ uuid }) => uuid);

test("after the person is erased at the service, a sync brings nothing back, and keeps what was deleted", async () => {
  sandbox.service.remove({ respondents: [UUID], andTheirResponses: true });
  await load(folder, postgres, configuration(sandbox));
  for (const target of TARGETS) {
    expect(traced(tables(target))).toEqual([]);
    expect(responsesIn(target)).toEqual(expect.arrayContaining(Object.values(deleted)));
  }
});

test("a refresh removes what was deleted, and every plain UUID of a person if hashing was switched on", async () => {
  await load(folder, postgres, configuration(sandbox, "hash"), { how: REFRESH });
  const { truth } = sandbox.service;
  const people = truth.surveyIds().flatMap((id) => [...truth.respondents(id)]);
  const plain = new RegExp(people.join("|"));
  const withPlainUuids = (target: Target) =>
    [...tables(target)].flatMap(([table, rows]) =>
      /^(raw|analytics)\./.test(table) && rows.some((row) => plain.test(row)) ? [table] : [],
    );
  const present = truth.surveyIds().flatMap((id) => [...truth.responses(id)].map(({ uuid }) => uuid));
  for (const target of TARGETS) {
    expect(responsesIn(target)).toEqual(present.toSorted());
    expect(traced(tables(target))).toEqual([]);
  }
  // dbt makes each model anew, on one database as on the other.
  expect(withPlainUuids("duckdb")).toContain("analytics.survey_export__texts");
  buildModels("duckdb");
  expect(withPlainUuids("duckdb")).toEqual([]);
});
