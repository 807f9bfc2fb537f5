import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import type { StreamName } from "../../../connector/core/index.ts";
import { sync } from "../../../connector/sync-command/sync.ts";
import { type Folder, folderForTest } from "../../support/folder.ts";

let folder: Folder;
/** What standard error showed. */
let shown: string[];
beforeEach(async () => {
  folder = folderForTest();
  await folder.file("config.json", {});
  shown = [];
});

interface Changes {
  readonly env?: NodeJS.ProcessEnv;
  readonly at?: string;
  readonly isComplete?: boolean;
  /** A table that the read leaves. */
  readonly stream?: StreamName;
}

/** A sync in this process whose read writes no record. */
function run({
  env = {},
  at = folder.path("surveys.sqlite"),
  isComplete = true,
  stream = "survey_responses",
}: Changes = {}): Promise<number> {
  const stop = { signal: new AbortController().signal, exitCode: undefined, now() {}, finish() {} };
  const screen = { print: (line: string) => shown.push(line), draw() {}, hasLiveLine: false };
  const call = { target: at, files: {}, streams: undefined, flags: new Set<string>() };
  return sync(call, { env, stop, screen, print: async () => {} }, async (tables) => {
    await tables.records(stream, [], { surveyId: undefined, responses: [] });
    await tables.commit();
    return isComplete;
  });
}

describe("the file's name", () => {
  it.each(["surveys.sqlite", "surveys.sqlite3", "surveys.db", "SURVEYS.SQLITE"])(
    "may be %s",
    async (name) => {
      expect(await run({ at: folder.path(name) })).toBe(0);
      expect(readdirSync(folder.path()).toSorted()).toEqual([name, `${name}-lock`, "config.json"].toSorted());
    },
  );
});

describe("a sync ends with the next step", () => {
  const step = (path: string) =>
    `sync: to see it as a page of charts, run the same program with: report ${path}`;

  it("until there is a page", async () => {
    await run();
    expect(shown).toEqual([step(folder.path("surveys.sqlite"))]);
    await folder.file("surveys.html", "");
    await run();
    expect(shown).toHaveLength(1);
  });

  it("in words that a shell takes", async () => {
    await run({ at: folder.path("Anna's surveys.db") });
    expect(shown).toEqual([step(`'${folder.path("Anna'\\''s surveys.db")}'`)]);
  });

  it.each<[string, Changes]>([
    ["it failed", { isComplete: false }],
    ["it has read no responses", { stream: "surveys" }],
  ])("but not if %s", async (_, changes) => {
    await run(changes);
    expect(shown).toEqual([]);
  });
});

describe("a sync cannot start", () => {
  const user = `this user (uid ${process.getuid!()}, gid ${process.getgid!()})`;
  const missing = (path: string) =>
    `does not exist, or ${user} may not see it: its path leads to "${path}" and no further.`;
  const noFolder = (path: string) => `This folder ${missing(path)} Create it.`;
  const noKey =
    'There is no key. Set SURVEY_EXPORT_API_KEY, write config.json into "FOLDER", or name another file with --config.';
  const notRegular = "is a link, or not a regular file. Move it away, and run again.";
  const notOurs =
    '"FILE" is a database that "sync" did not make. Nothing was written into it. Give the name of a file that does not exist yet.';
  const KEY = "PLANTED-k3y";
  const somebodys = () => {
    using database = new DatabaseSync(folder.path("surveys.sqlite"));
    database.exec("create table surveys (id)");
  };
  const secondName = () => {
    writeFileSync(folder.path("mine"), "");
    linkSync(folder.path("mine"), folder.path("surveys.sqlite-lock"));
  };
  it.each<[string, () => unknown, Changes, string]>([
    [
      "into a folder",
      () => {},
      { at: "." },
      '"FOLDER" is a folder, and "sync" writes a file. Name a file in it that ends in .sqlite, .sqlite3 or .db.',
    ],
    [
      "into a file with another ending, which is not shown: it may be the key",
      () => {},
      { at: `${KEY}.csv` },
      'The name of the file must end in .sqlite, .sqlite3 or .db, since "sync" writes a SQLite file. Name one such as surveys.sqlite.',
    ],
    ["next to no folder", () => {}, { at: "no/a.db" }, noFolder("FOLDER")],
    ["with the key as its folder", () => {}, { at: `/${KEY.repeat(100)}/a.db` }, noFolder("/")],
    ["without a configuration", () => execFileSync("rm", [folder.path("config.json")]), {}, noKey],
    ["into the database of another program", somebodys, {}, notOurs],
    [
      "into the same, with the key in the environment",
      somebodys,
      { env: { SURVEY_EXPORT_API_KEY: KEY } },
      notOurs,
    ],
    [
      "into a folder with the right name",
      () => mkdirSync(folder.path("surveys.sqlite")),
      {},
      `"FILE" ${notRegular}`,
    ],
    ["without a lock", () => mkdirSync(folder.path("surveys.sqlite-lock")), {}, `"FILE-lock" ${notRegular}`],
    [
      "with a FIFO as its lock",
      () => execFileSync("mkfifo", [folder.path("surveys.sqlite-lock")]),
      {},
      `"FILE-lock" ${notRegular}`,
    ],
    [
      "with a link as its lock",
      () => symlinkSync("/dev/zero", folder.path("surveys.sqlite-lock")),
      {},
      `"FILE-lock" ${notRegular}`,
    ],
    ["with a second name of a file as its lock", secondName, {}, `"FILE-lock" ${notRegular}`],
    [
      "with the content of somebody in its lock",
      () => folder.file("surveys.sqlite-lock", "mine"),
      {},
      '"FILE-lock" is larger than 0 bytes. Move it away, and run again.',
    ],
    [
      "with the key as the path of a configuration, which is not shown",
      () => {},
      { env: { SURVEY_EXPORT_CONFIG: `{"api_key":"${KEY}"}` } },
      `The file of SURVEY_EXPORT_CONFIG ${missing(process.cwd())}`,
    ],
  ])("%s: it says which, and ends with 2", async (_, spoil, changes, words) => {
    await spoil();
    const names = readdirSync(folder.path());
    const path = resolve(folder.path(), changes.at ?? "surveys.sqlite");
    expect(await run({ ...changes, at: path })).toBe(2);
    const said = words.replace("FOLDER", join(folder.path())).replace("FILE", folder.path("surveys.sqlite"));
    expect(shown).toEqual([`sync: ${said}`]);
    expect(readdirSync(folder.path()), "nothing was created").toEqual(names);
  });

  it.runIf(process.getuid!() !== 0)("into a folder that it may not write", async () => {
    chmodSync(folder.path(), 0o555);
    expect(await run()).toBe(2);
    chmodSync(folder.path(), 0o755);
    expect(shown).toEqual([
      `sync: The folder must be readable and writable for ${user}: "${folder.path()}". Change its owner or its rights, or run as its owner (docker run --user).`,
    ]);
  });

  it("but an empty variable names no file", async () => {
    expect(await run({ env: { SURVEY_EXPORT_CONFIG: "" } })).toBe(0);
  });

  it("with a link to nothing as its lock, and creates no file there", async () => {
    symlinkSync("nothing", folder.path("surveys.sqlite-lock"));
    expect(await run()).toBe(2);
    expect(existsSync(folder.path("nothing"))).toBe(false);
  });
});
