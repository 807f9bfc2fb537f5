import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { STREAMS } from "@survey-export/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Sandbox } from "../../../sandbox/index.ts";
import { documented, documentedNames, pages } from "../../end-to-end/deletions/support/page.ts";
import {
  collectFromWilma,
  configuration,
  HASH,
  startSandboxWithWilma,
  TRACE,
  UUID,
} from "../../end-to-end/deletions/support/wilma.ts";
import { BIN } from "../../support/bin.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const PERSON = `/respondents/${UUID}/attributes`;

let folder: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "erasure-"));
  sandbox = await startSandboxWithWilma();
});
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

function configure(config: object, streams: readonly string[] = Object.keys(STREAMS)): void {
  const configured = streams.map((name) => ({
    stream: { name, json_schema: {}, supported_sync_modes: ["full_refresh", "incremental"] },
    sync_mode: "incremental",
    destination_sync_mode: "append",
  }));
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  writeFileSync(join(folder, "catalog.json"), JSON.stringify({ streams: configured }));
}

/** One run of `sync`; how it failed does not matter here. */
const sync = () => promisify(execFile)(process.execPath, [BIN, "sync", folder]).catch(() => {});

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
    "deletions.test.ts",
    "../../end-to-end/deletions/tables.slow.ts",
    "../../end-to-end/n8n/erasure.slow.ts",
  ].map((file) => readFileSync(path(file), "utf8"));
  const names = documentedNames();
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) expect(tests.join("\n")).toContain(`documented("${name}")`);
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

test("the command for retention deletes old runs, and the next sync goes on as before", async () => {
  configure(configuration(sandbox), ["survey_responses"]);
  await sync();
  const first = readdirSync(join(folder, "messages"));
  const longAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
  for (const name of first) utimesSync(join(folder, "messages", name), longAgo, longAgo);
  collectFromWilma(sandbox, "1001", "2026-10-01T00:00:00.000000Z");
  await sync();
  shell(documented("retention"));
  const left = readdirSync(join(folder, "messages"));
  expect(left).toHaveLength(1);
  expect(first).not.toContain(left[0]);
  await sync();
  const records = lines().filter((line) => line.startsWith('{"type":"RECORD"'));
  expect(records.length).toBeGreaterThan(0);
  expect(records.length).toBeLessThan(20);
});

test("a full read takes as many requests as the page says", async () => {
  const counts = ["1001", "1002"].map((id) => sandbox.service.truth.count(id));
  const pages = counts.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / 100)), 0);
  const people = new Set(["1001", "1002"].flatMap((id) => [...sandbox.service.truth.respondents(id)])).size;
  for (const [streams, more] of [
    [["survey_responses", "survey_answers"], 0],
    [["survey_responses", "respondent_responses"], people],
    [["survey_responses", "respondent_responses", "respondent_attributes"], 2 * people],
  ] as const) {
    sandbox.service.resetStats();
    rmSync(join(folder, "state.jsonl"), { force: true });
    configure(configuration(sandbox), streams);
    await sync();
    const { requests } = sandbox.service.stats;
    expect(requests, streams.join()).toBeGreaterThanOrEqual(pages + more);
    expect(requests, streams.join()).toBeLessThanOrEqual(pages + more + 5 * counts.length);
  }
});
