import { execFile, execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { STREAMS } from "@survey-export/core";
import { beforeEach, expect, test } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import {
  collectFromWilma,
  configuration,
  documented,
  documentedNames,
  HASH,
  pages,
  sandboxWithWilma,
  TRACE,
  UUID,
} from "../end-to-end/deletions/support/erasure.ts";
import { BIN } from "../support/bin.ts";
import { folderForTest } from "../support/folder.ts";
import { sandboxForTest } from "../support/sandbox.ts";

const PERSON = `/respondents/${UUID}/attributes`;

let folder: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = folderForTest().path();
  sandbox = await sandboxWithWilma(sandboxForTest);
});

const configure = (config: object): void =>
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));

/** One run of `sync`; how it failed does not matter here. */
const sync = (streams: readonly string[] = Object.keys(STREAMS)) =>
  promisify(execFile)(process.execPath, [BIN, "sync", folder, "--streams", streams.join(",")]).catch(
    () => {},
  );

const shell = (...commands: readonly string[]): string =>
  execFileSync("/bin/sh", ["-ec", commands.join("\n")], { cwd: folder, encoding: "utf8" });

const lines = (): string[] =>
  readdirSync(join(folder, "messages"))
    .toSorted()
    .flatMap((name) =>
      readFileSync(join(folder, "messages", name), "utf8")
        .trimEnd()
        .split("\n"),
    );

test("every statement and command of the pages is run by a test", () => {
  const tests = [
    "repository/erasure.test.ts",
    "end-to-end/deletions/tables.slow.ts",
    "end-to-end/n8n/examples.slow.ts",
  ]
    .map((file) => readFileSync(`test/${file}`, "utf8"))
    .join("\n");
  const names = documentedNames();
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(tests).toContain(`documented("${name}")`);
  expect(names.length).toBe(pages.match(/^ *```(?!json)\w/gm)?.length);
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.runIf(hasOpenssl)("the command for the hash gives the one that the source writes", () => {
  expect(shell(documented("hash"))).toBe(`${UUID}|${HASH}\n`);
});

test.runIf(hasOpenssl)(
  "the command for messages erases the person and nobody else, and the next sync brings nothing back",
  async () => {
    configure(configuration(sandbox));
    await sync();
    configure(configuration(sandbox, "hash"));
    collectFromWilma(sandbox, "1001", "2026-10-01T00:00:00.000000Z");
    await sync();
    configure({ ...configuration(sandbox), respondent_uuids: [UUID] });
    sandbox.service.addFaults({ on: PERSON, reply: { kind: "status", status: 422 } });
    await sync();

    const before = lines();
    const namesUuid = (line: string) => line.includes(UUID);
    const log = before.filter((line) => namesUuid(line) && !line.startsWith('{"type":"RECORD"'));
    expect(log.length).toBeGreaterThan(0);
    expect(before.filter((line) => line.includes(HASH)).length).toBeGreaterThan(5);
    shell(documented("hash"), documented("messages"));
    const others = before.filter((line) => !TRACE.test(line));
    expect(lines()).toEqual(others);
    expect(others.length).toBeGreaterThan(500);

    sandbox.service.clearFaults();
    sandbox.service.remove({ respondents: [UUID], andTheirResponses: true });
    configure(configuration(sandbox));
    await sync();
    expect(lines().length).toBeGreaterThan(others.length);
    expect(lines().filter((line) => TRACE.test(line))).toEqual([]);
    expect(TRACE.test(readFileSync(join(folder, "state.jsonl"), "utf8"))).toBe(false);
  },
);

test("the statements erase the person and nobody else from a SQLite file, also from its bytes", async () => {
  const file = join(folder, "surveys.sqlite");
  const bytes = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith("surveys.sqlite"))
      .map((name) => readFileSync(join(folder, name), "latin1"))
      .join("");
  configure(configuration(sandbox));
  const streams = ["--streams", Object.keys(STREAMS).join(",")];
  await promisify(execFile)(process.execPath, [BIN, "sync", file, ...streams]);
  const count = () => {
    using database = new DatabaseSync(file);
    return Number(database.prepare("select count(*) as rows from survey_answers").get()!.rows);
  };
  const before = count();
  expect(bytes()).toMatch(TRACE);
  {
    using database = new DatabaseSync(":memory:");
    database.exec(documented("sqlite").replace("surveys.sqlite", file));
    database.exec(documented("erased"));
    database.exec(documented("snapshots"));
    database.exec(documented("erasure"));
    database.exec(documented("sqlite_vacuum"));
  }
  expect(bytes()).not.toMatch(TRACE);
  expect(count()).toBeLessThan(before);
  expect(count()).toBeGreaterThan(100);
});

test("the command for retention deletes old runs, and the next sync resumes", async () => {
  configure(configuration(sandbox));
  const syncResponses = () => sync(["survey_responses"]);
  await syncResponses();
  const first = readdirSync(join(folder, "messages"));
  const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
  for (const name of first) utimesSync(join(folder, "messages", name), longAgo, longAgo);
  collectFromWilma(sandbox, "1001", "2026-10-01T00:00:00.000000Z");
  await syncResponses();
  shell(documented("retention"));
  const left = readdirSync(join(folder, "messages"));
  expect(left).toHaveLength(1);
  expect(first).not.toContain(left[0]);
  await syncResponses();
  const records = lines().filter((line) => line.startsWith('{"type":"RECORD"'));
  expect(records.length).toBeGreaterThan(0);
  expect(records.length).toBeLessThan(20);
});
