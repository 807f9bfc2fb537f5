import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { expectedKeys, type Sandbox, surveyKeys } from "../../../sandbox/index.ts";
import { keysIn } from "../../../scripts/table-keys.ts";
import { BIN, runBin } from "../../support/bin.ts";
import { type Folder, folderForTest } from "../../support/folder.ts";
import { sandboxForTest, surveyOf } from "../../support/sandbox.ts";

let folder: Folder;
let target: string;
let sandbox: Sandbox;
let env: Record<string, string>;
beforeEach(async () => {
  folder = folderForTest();
  target = join(folder.path(), "surveys.sqlite");
  const surveys = [surveyOf("a", 1500, { respondents: 60 }), surveyOf("b", 120, { respondents: 60 })];
  sandbox = await sandboxForTest({ surveys, limits: false });
  env = { SURVEY_EXPORT_API_KEY: sandbox.apiKey, SURVEY_EXPORT_BASE_URL: sandbox.url };
});

const sync = (...options: string[]) => runBin(["sync", target, ...options], { env });
const truth = () => new Map([...expectedKeys(sandbox.service.truth), ...surveyKeys(sandbox.service.truth)]);
const expectWhole = () => {
  const [found, there] = [keysIn(target), truth()];
  expect([...found.keys()].toSorted()).toEqual([...there.keys()].toSorted());
  for (const [stream, keys] of there) expect(found.get(stream), stream).toEqual(keys);
};
const withoutTimes = (shown: string): string => shown.replaceAll(/^\S+Z /gm, "");
const linesOf = (shown: string): string[] => withoutTimes(shown).trimEnd().split("\n");
const lastLine = (shown: string): string => linesOf(shown).at(-1)!;
const namesIn = (path: string): string[] => readdirSync(path).toSorted();

/** The program, as it runs: what standard error showed, and how it ended. */
function start(options: SpawnOptions = {}, before: readonly string[] = []) {
  const [program = "", ...words] = [...before, process.execPath, BIN, "sync", target];
  const child: ChildProcess = spawn(program, words, {
    stdio: ["ignore", "ignore", "pipe"],
    ...options,
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const run = { child, shown: "", ended: once(child, "close") };
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    run.shown += text;
  });
  return run;
}

/** Waits until the program has shown this, or has ended. */
async function untilShown(run: ReturnType<typeof start>, words: string): Promise<void> {
  while (!run.shown.includes(words) && run.child.exitCode === null && run.child.signalCode === null)
    await sleep(5);
  expect(run.shown).toContain(words);
}

/** Another program that has the file open. */
function otherProgram(): DatabaseSync {
  const database = new DatabaseSync(target, { timeout: 10_000 });
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  return database;
}

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
/** In place of root, who may do everything, a user who does not own the file. */
const nobody = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
/** The folders above the program may be closed to others. */
const canRunAsNobody = spawnSync(process.execPath, [BIN, "--version"], nobody).status === 0;

/** Waits until a run has committed a state. */
async function firstState(): Promise<void> {
  for (;;) {
    await sleep(5);
    if (!existsSync(target)) continue;
    const database = new DatabaseSync(target, { readOnly: true });
    try {
      if (database.prepare("select 1 from _survey_export_state").get()) return;
    } catch {
      // the tables are not there yet
    } finally {
      database.close();
    }
  }
}

/** A sync that hangs in its middle, since the service falls silent. */
async function startAndHang() {
  sandbox.service.addFaults({
    on: "survey_responses",
    nth: [8, 9, 10, 11, 12, 13, 14, 15],
    reply: "silence",
  });
  const run = start();
  await firstState();
  return run;
}

describe("sync with a SQLite file", () => {
  it("needs a key and nothing else, and brings every row, then what is new", async () => {
    const first = await sync();
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toBe("");
    expect(linesOf(first.stderr).slice(-2)).toEqual([
      expect.stringMatching(
        /^INFO Read in [\d.]+ s: survey_responses 1,620, survey_answers [\d,]+, .* requests · in "\S+\/surveys\.sqlite"$/,
      ),
      `sync: to see it as a page of charts, run the same program with: report ${target}`,
    ]);
    const files = readdirSync(folder.path()).toSorted();
    expect(files).toEqual(["surveys.sqlite", "surveys.sqlite-lock"]);
    for (const name of files) expect(statSync(join(folder.path(), name)).mode & 0o777).toBe(0o600);
    expectWhole();

    const before = sandbox.service.stats.requests;
    sandbox.service.collect("a", { count: 3 });
    expect((await sync()).code).toBe(0);
    expectWhole();
    expect(sandbox.service.stats.requests - before).toBeLessThan(15);
  });

  it("loses nothing in kills, and can be read meanwhile", async () => {
    await folder.file("config.json", { items_per_page: 10, max_concurrent_requests: 2 });
    for (const rows of [1, 300, 700, 1100]) {
      const child = spawn(process.execPath, [BIN, "sync", target], {
        env: { ...process.env, ...env },
        stdio: "ignore",
      });
      const ended = once(child, "close");
      await firstState();
      while (child.exitCode === null && (keysIn(target).get("survey_responses")?.size ?? 0) < rows)
        await sleep(2);
      child.kill("SIGKILL");
      await ended;
    }
    const last = await sync();
    expect(last.code, last.stderr).toBe(0);
    expectWhole();
  });

  it("refuses a second process, and by SIGTERM ends with its last state", async () => {
    const { child, ended } = await startAndHang();
    const other = await sync();
    expect(other.code).toBe(75);
    expect(withoutTimes(other.stderr)).toBe(
      `sync: another sync is writing to ${target}. Try again when it has ended.\n`,
    );
    child.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    const database = new DatabaseSync(target);
    expect(database.prepare("select outcome from _survey_export_syncs").all()).toEqual([
      { outcome: "stopped" },
    ]);
    database.close();
    sandbox.service.clearFaults();
    expect((await sync()).code).toBe(0);
    expectWhole();
  });

  it("loses nothing on a full disk, and says so", async () => {
    const full = start({}, ["/bin/sh", "-c", 'ulimit -f 1024; exec "$0" "$@"']);
    const [code] = await full.ended;
    expect(code, full.shown).toBe(1);
    const said = linesOf(full.shown).filter((line) => line.startsWith("ERROR"));
    expect(said).toEqual([
      `ERROR "${target}" cannot be written: the disk is full, or has failed. Make room there, and run again: nothing is lost. [invalid_configuration]`,
    ]);
    const rows = [...keysIn(target).values()].reduce((sum, { size }) => sum + size, 0);
    const delivered = rows === 0 ? "Nothing was" : `${rows.toLocaleString("en")} records were`;
    expect(lastLine(full.shown)).toMatch(new RegExp(`^INFO Failed after .*\\. ${delivered} delivered\\.`));
    const next = await sync();
    expect(next.code, next.stderr).toBe(0);
    expectWhole();
  });

  it("reads the named streams, with the configuration next to it", async () => {
    await folder.file("config.json", { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ["b"] });
    env = {};
    const { code, stderr } = await sync("--streams", "survey_responses,surveys");
    expect(code, stderr).toBe(0);
    const found = keysIn(target);
    expect([...found].map(([name, { size }]) => [name, size])).toEqual([
      ["survey_responses", 120],
      ["surveys", 1],
    ]);
    const wrong = await sync("--streams", "survey_respones");
    expect(wrong.code).toBe(1);
    expect(lastLine(wrong.stderr)).toMatch(
      /^ERROR --streams names .* Did you mean survey_responses\? The streams are: survey_responses, survey_answers, .* \[invalid_configuration\]$/,
    );
  });

  it("needs a file's name; a folder and another ending are refused", async () => {
    for (const name of ["", "surveys.csv"]) {
      const { code, stderr } = await runBin(["sync", folder.path(name)], { env });
      expect([code, lastLine(stderr)]).toEqual([
        2,
        expect.stringMatching(/^sync: .* ends? in \.sqlite, \.sqlite3 or \.db[.,]/),
      ]);
    }
    expect(namesIn(folder.path())).toEqual([]);
  });
});

describe("a database of another program stays as it is, byte for byte:", () => {
  /** One that somebody is writing to, copied with its `-wal`. */
  function inWalMode(): void {
    const open = folder.path("open.db");
    using database = new DatabaseSync(open);
    database.exec("pragma journal_mode = wal; create table notes (text); insert into notes values ('mine')");
    for (const end of ["", "-wal"]) copyFileSync(open + end, target + end);
  }
  const withTables = (sql: string) => () => {
    using database = new DatabaseSync(target);
    database.exec(sql);
  };
  it.each([
    [
      "its own table surveys",
      withTables("create table surveys (id primary key, name); insert into surveys values (1, 'mine')"),
    ],
    ["unrelated tables", withTables("create table notes (text); insert into notes values ('mine')")],
    ["a -wal that nobody has open", inWalMode],
  ])("%s", async (_, create) => {
    create();
    const bytes = () =>
      namesIn(folder.path()).map((name) => [name, readFileSync(folder.path(name), "latin1")]);
    const before = bytes();
    const { code, stderr } = await sync();
    expect([code, linesOf(stderr)]).toEqual([
      2,
      [
        `sync: "${target}" is a database that "sync" did not make. Nothing was written into it. Give the name of a file that does not exist yet.`,
      ],
    ]);
    expect(bytes()).toEqual(before);
  });
});

describe("between two syncs the file is one, which", () => {
  it.runIf(canRunAsNobody)("a user reads who may not write it, or its folder", async () => {
    expect((await sync("--streams", "survey_responses")).code).toBe(0);
    chmodSync(target, 0o444);
    chmodSync(folder.path(), 0o555);
    const count =
      "const { DatabaseSync } = require('node:sqlite'); const file = new DatabaseSync(process.argv[1], { readOnly: true });" +
      "console.log(file.prepare('select count(*) as n from survey_responses').get().n)";
    const child = spawn(process.execPath, ["-e", count, target], {
      ...nobody,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let shown = "";
    child.stdout!.setEncoding("utf8").on("data", (text: string) => {
      shown += text;
    });
    await once(child, "close");
    chmodSync(folder.path(), 0o755);
    chmodSync(target, 0o600);
    expect(Number(shown)).toBe(keysIn(target).get("survey_responses")!.size);
    expect((await sync("--streams", "survey_responses")).code, "and the next sync works").toBe(0);
  });

  it.runIf(isRoot && canRunAsNobody)(
    "but a -wal of another user is told as one, and loses nothing",
    async () => {
      expect((await sync("--streams", "survey_responses")).code).toBe(0);
      const wal = `${target}-wal`;
      writeFileSync(wal, "", { mode: 0o644 });
      for (const path of [folder.path(), target, `${target}-lock`]) chownSync(path, NOBODY, NOBODY);
      const refused = start(nobody);
      expect((await refused.ended)[0]).toBe(2);
      expect(linesOf(refused.shown)).toEqual([
        `sync: "${wal}" belongs to the user with uid 0, and this user (uid ${NOBODY}, gid ${NOBODY}) may not write it. Change its owner (chown) or its rights, or run as its owner (docker run --user).`,
      ]);
      chownSync(wal, NOBODY, NOBODY);
      const next = start(nobody);
      expect((await next.ended)[0], next.shown).toBe(0);
      expect(namesIn(folder.path())).toEqual(["surveys.sqlite", "surveys.sqlite-lock"]);
    },
  );
});

describe("while another program locks the file", () => {
  const locked = (): string =>
    `sync: another program has locked ${target}. Waiting for it, for 60 s at most.`;

  it("a sync waits for a long read, says so, and then works", async () => {
    expect((await sync("--streams", "surveys")).code).toBe(0);
    const reader = otherProgram();
    reader.exec("begin");
    reader.prepare("select * from surveys").all();
    const run = start();
    await untilShown(run, locked());
    reader.close();
    expect((await run.ended)[0], run.shown).toBe(0);
    expectWhole();
  });

  it.each(["before it reads", "while it reads"])("SIGTERM ends the wait: %s", async (when) => {
    await folder.file("config.json", { items_per_page: 10, max_concurrent_requests: 1 });
    let run: ReturnType<typeof start> | undefined;
    if (when === "before it reads") await sync("--streams", "surveys");
    else {
      run = start();
      await firstState();
    }
    const writer = otherProgram();
    writer.exec("begin immediate");
    run ??= start();
    await untilShown(run, locked());
    run.child.kill("SIGTERM");
    expect(await run.ended).toEqual([null, "SIGTERM"]);
    expect(run.shown).not.toMatch(/ERROR|defect|no good answer/);
    if (when === "while it reads") expect(lastLine(run.shown)).toMatch(/^INFO Stopped before the end, /);
    writer.exec("rollback");
    const next = await sync();
    expect(next.code, next.stderr).toBe(0);
    expectWhole();
  });
});

describe("report", () => {
  it("writes a page next to the file, for the owner alone, and replaces only such a page", async () => {
    await sync("--streams", "survey_responses,survey_answers,surveys");
    const page = join(folder.path(), "surveys.html");
    const first = await runBin(["report", target]);
    expect(first).toMatchObject({ code: 0, stdout: `${pathToFileURL(page).href}\n`, stderr: "" });
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path()).toSorted()).toEqual([
      "surveys.html",
      "surveys.sqlite",
      "surveys.sqlite-lock",
    ]);
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<td>1,500</td>\n<td>1,500</td><td>Everything arrived.</td>");
    expect(html).not.toContain("<blockquote>");
    expect((await runBin(["report", target, "--texts"])).code).toBe(0);
    expect(readFileSync(page, "utf8")).toContain("<blockquote>");

    writeFileSync(page, "somebody's page");
    const refused = await runBin(["report", target]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      `ERROR The page cannot be written: "${page}" is not a page of an earlier report. Move it away, and run again. [invalid_configuration]\n`,
    );
    expect(readFileSync(page, "utf8")).toBe("somebody's page");
  });
});
