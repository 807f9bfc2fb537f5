import { execFile, execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
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

let folder: string;
let sandbox: Sandbox;
beforeEach(async () => {
  folder = folderForTest().path();
  sandbox = await sandboxWithWilma(sandboxForTest);
});

const configure = (config: object): void =>
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));

const file = () => join(folder, "surveys.sqlite");
/** Runs the program. */
const run = (...words: readonly string[]) => promisify(execFile)(process.execPath, [BIN, ...words]);
/** One sync of all streams. */
const sync = (name = "surveys.sqlite") =>
  run("sync", join(folder, name), "--streams", Object.keys(STREAMS).join(","));

/** Runs a command of the pages in the folder. */
const shell = (command: string): string => {
  const program = `"${process.execPath}" "${BIN}"`;
  const options = { cwd: folder, encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync("/bin/sh", ["-ec", command.replaceAll("source-survey-export", program)], options);
};

/** Whether a file of the sync, or its page, has a trace of the person. */
const hasTrace = (name: string): boolean => {
  const names = readdirSync(folder).filter((one) => one.startsWith(name));
  expect(names).not.toEqual([]);
  return names.some((one) => TRACE.test(readFileSync(join(folder, one), "latin1")));
};
/** The rows of every stream in the file, each as text. The snapshots have numbers of keys, which change. */
const rows = (): string[] => {
  using database = new DatabaseSync(file());
  const streams = Object.keys(STREAMS).filter((stream) => stream !== "response_key_snapshots");
  return streams.flatMap((stream) =>
    database
      .prepare(`select * from ${stream}`)
      .all()
      .map((row) => JSON.stringify([stream, row])),
  );
};

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

test("the steps erase the person and nobody else from the file of a sync, and from the page, also from their bytes", async () => {
  configure(configuration(sandbox));
  await sync();
  configure(configuration(sandbox, "hash"));
  collectFromWilma(sandbox, "1001", "2026-10-01T00:00:00.000000Z");
  await sync();
  await run("report", file(), "--texts");
  const others = rows().filter((row) => !TRACE.test(row));
  expect(others.length).toBeGreaterThan(500);
  expect([hasTrace("surveys.sqlite"), hasTrace("surveys.html")]).toEqual([true, true]);

  {
    using database = new DatabaseSync(":memory:");
    database.exec(documented("sqlite").replace("surveys.sqlite", file()));
    database.exec(documented("erased"));
    database.exec(documented("snapshots"));
    database.exec(documented("erasure"));
    database.exec(documented("sqlite_vacuum"));
  }
  shell(`${documented("page").trimEnd()} --texts`);
  expect([hasTrace("surveys.sqlite"), hasTrace("surveys.html")]).toEqual([false, false]);
  expect(rows()).toEqual(others);

  sandbox.service.remove({ respondents: [UUID], andTheirResponses: true });
  configure(configuration(sandbox));
  await sync();
  expect(hasTrace("surveys.sqlite")).toBe(false);
});

test("the window shows the response that was deleted in it, in files of a sync", async () => {
  configure(configuration(sandbox));
  await sync();
  const isWithin = (at: string) => at >= "2026-08-01" && at < "2026-10-29";
  const deleted = [...sandbox.service.truth.responses("1001")].find((one) =>
    isWithin(one.collected_at),
  )!.uuid;
  sandbox.service.remove({ responses: [deleted] });
  configure({ ...configuration(sandbox), start_date: "2026-08-01T00:00:00Z" });
  await sync("recent.sqlite");
  using database = new DatabaseSync(":memory:");
  database.exec(`attach '${file()}' as raw; attach '${join(folder, "recent.sqlite")}' as recent;`);
  expect(
    database
      .prepare(documented("window"))
      .all()
      .map((row) => row.uuid),
  ).toEqual([deleted]);
});

test("no state in the file names a respondent whom the configuration names, whatever an older version wrote", async () => {
  configure({ ...configuration(sandbox), respondent_uuids: [UUID] });
  const states = (): string => {
    using database = new DatabaseSync(file());
    return JSON.stringify(database.prepare("select state from _survey_export_state").all());
  };
  await sync();
  expect(states()).not.toMatch(TRACE);
  using database = new DatabaseSync(file());
  database.exec(
    `update _survey_export_state set state = json_set(state, '$.respondents', json_object('${UUID}', 'anything'))`,
  );
  database.close();
  expect(states()).toMatch(TRACE);
  await sync();
  expect(states()).not.toMatch(TRACE);
});
