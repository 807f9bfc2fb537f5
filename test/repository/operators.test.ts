import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { lastStates, run } from "../support/bin.ts";
import { folderForTest } from "../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../support/sandbox.ts";

/** What `docs/operators.md` says of the file of a sync, by the real program. */

const PAGE = readFileSync(new URL("../../docs/operators.md", import.meta.url), "utf8");
const STREAMS = ["--streams", "survey_responses,survey_answers"];
/** The time in the page's statement. */
const SINCE = "2026-01-01T00:00:00.000000Z";
/** Far longer than the lookback, which reads a little again. */
const A_DAY_BEFORE = "2025-12-31T00:00:00.000000Z";

let folder: string;
let file: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = folderForTest().path();
  file = join(folder, "surveys.sqlite");
  sandbox = await sandboxForTest({ surveys: [surveyOf("a", 400)], limits: false });
});

/** One sync with the configuration next to the file. */
async function sync(target = file, settings: object = {}): Promise<void> {
  writeFileSync(join(dirname(target), "config.json"), JSON.stringify(configOf(sandbox, settings)));
  const { code, stderr } = await run(["sync", target, ...STREAMS]);
  expect(code, stderr).toBe(0);
}

function rows(target = file): { readonly uuid: string; readonly collected_at: string }[] {
  using database = new DatabaseSync(target);
  const found = database.prepare("select uuid, collected_at from survey_responses order by uuid").all();
  return found.map(({ uuid, collected_at }) => ({ uuid: String(uuid), collected_at: String(collected_at) }));
}
function change(statements: string): void {
  using database = new DatabaseSync(file);
  database.exec(statements);
}

const statement = (): string => /<!-- run: state -->\s+```sql\n(.*?)```/s.exec(PAGE)![1]!;
const vacuumInto = (): string => /`sqlite3 surveys\.sqlite "(vacuum into .+?)"`/.exec(PAGE)![1]!;
/** What the service has since a time, by UUID. */
const truth = (since: string): string[] =>
  [...sandbox.service.truth.responses("a")]
    .filter(({ collected_at }) => collected_at >= since)
    .map(({ uuid }) => uuid)
    .toSorted();

test("a time that somebody writes into the state counts as read up to there, and nothing before it comes", async () => {
  await sync(file, { start_date: "2026-11-01T00:00:00Z" });
  expect(rows()).toEqual([]);
  change(statement());
  await sync();
  const [uuids, times] = [rows().map(({ uuid }) => uuid), rows().map(({ collected_at }) => collected_at)];
  expect(uuids).toEqual(expect.arrayContaining(truth(SINCE)));
  expect(times.filter((time) => time < A_DAY_BEFORE)).toEqual([]);
  expect(uuids.length).toBeGreaterThan(50);
});

test("a state of Airbyte counts as read what it covers", async () => {
  const [config, catalog] = [join(folder, "airbyte.json"), ["--streams", "survey_responses"]];
  writeFileSync(config, JSON.stringify(configOf(sandbox)));
  const { messages } = await run(["read", "--config", config, ...catalog]);
  const [state] = lastStates(messages);
  const [uuid] = sandbox.service.collect("a", { count: 1 });
  await sync(file, { start_date: "2026-11-01T00:00:00Z" });
  const ofAirbyte = JSON.stringify(state.stream.stream_state).replaceAll("'", "''");
  change(statement().replace(/(?<='survey_responses', ').*(?='\))/, ofAirbyte));
  await sync();
  const uuids = rows().map((row) => row.uuid);
  expect(uuids).toContain(uuid);
  expect(uuids.length).toBeLessThan(20);
});

test("a start date brings what is newer, and an earlier one the rest", async () => {
  await sync(file, { start_date: SINCE });
  expect(rows().map(({ uuid }) => uuid)).toEqual(truth(SINCE));
  await sync();
  expect(rows().map(({ uuid }) => uuid)).toEqual(truth(""));
});

test.each([
  ["a copy of the file alone, made while no sync ran,", (copy: string) => copyFileSync(file, copy)],
  ["a copy that SQLite made", (copy: string) => change(vacuumInto().replace("copy.sqlite", copy))],
])("%s has all rows and goes on from there", async (_, copyTo) => {
  await sync();
  const copy = join(folderForTest().path(), "moved.sqlite");
  copyTo(copy);
  expect(rows(copy)).toEqual(rows());
  sandbox.service.collect("a", { count: 7 });
  sandbox.service.resetStats();
  await sync(copy);
  expect(rows(copy).map(({ uuid }) => uuid)).toEqual(truth(""));
  expect(sandbox.service.stats.requests).toBeLessThan(6);
});

test("others may read the file after chmod, also after the next sync", async () => {
  const rights = () => (statSync(file).mode & 0o777).toString(8);
  await sync();
  expect(rights()).toBe("600");
  chmodSync(file, 0o644);
  await sync();
  expect(rights()).toBe("644");
});
