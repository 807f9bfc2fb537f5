import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { expectedKeys, surveyKeys } from "../../sandbox/index.ts";
import { keysIn } from "../../scripts/table-keys.ts";
import { BIN, runBin } from "../support/bin.ts";
import { folderForTest } from "../support/folder.ts";
import { configOf, sandboxForTest, surveyOf } from "../support/sandbox.ts";

const KILLS = 60;
/** Within its first two seconds a run starts, opens the file, reads, and commits several times. */
const LONGEST_MS = 2000;

test(`a SQLite file loses nothing in ${KILLS} kills at any moment, while people answer`, async () => {
  const folder = folderForTest();
  const target = join(folder.path(), "surveys.sqlite");
  const sandbox = await sandboxForTest({
    surveys: [surveyOf("a", 3000, { respondents: 40 }), surveyOf("b", 500, { respondents: 40 })],
    limits: false,
    latencyMs: 10,
  });
  await folder.file("config.json", { ...configOf(sandbox), survey_ids: [], items_per_page: 20 });
  let killed = 0;
  for (let round = 0; round < KILLS; round++) {
    const child = spawn(process.execPath, [BIN, "sync", target], { stdio: "ignore" });
    const ended = once(child, "close");
    await Promise.race([ended, sleep((LONGEST_MS * round) / KILLS)]);
    if (child.kill("SIGKILL")) killed++;
    const [code, signal] = await ended;
    expect(signal ?? code).toBe(signal === null ? 0 : "SIGKILL");
    sandbox.service.collect(round % 2 === 0 ? "a" : "b", { count: 2 });
  }
  expect(killed).toBeGreaterThan(KILLS / 2);
  const last = await runBin(["sync", target]);
  expect(last.code, last.stderr).toBe(0);
  expect(readdirSync(folder.path()).toSorted()).toEqual([
    "config.json",
    "surveys.sqlite",
    "surveys.sqlite-lock",
  ]);
  const { truth } = sandbox.service;
  const there = new Map<string, ReadonlySet<string>>([...expectedKeys(truth), ...surveyKeys(truth)]);
  const found = keysIn(target);
  for (const [stream, keys] of there) expect(found.get(stream), stream).toEqual(keys);
});
