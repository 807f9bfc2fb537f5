import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import { requireOwnFile } from "../../../connector/sync-command/own-file.ts";
import { Tables } from "../../../connector/sync-command/tables.ts";
import { folderForTest } from "../../support/folder.ts";
import { lockWaitForTest } from "./support/lock-wait.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = folderForTest().path();
  path = join(folder, "surveys.sqlite");
});

/** Writes an empty database of ours. */
async function writeOurs(): Promise<void> {
  const tables = await Tables.open(path, lockWaitForTest().wait);
  await tables.close("complete");
}

function sql(text: string): void {
  using database = new DatabaseSync(path);
  database.exec(text);
}

const notMade = (): string =>
  `"${path}" is a database that "sync" did not make. Nothing was written into it. Give the name of a file that does not exist yet.`;

describe("a sync may write", () => {
  async function withOtherTables(): Promise<void> {
    await writeOurs();
    sql("create table t (c)");
  }
  it.each([
    ["no file", () => {}],
    ["an empty file", () => writeFileSync(path, "")],
    ["a database without anything in it", () => sql("create table t (c); drop table t")],
    ["the same in WAL mode", () => sql("pragma journal_mode = wal")],
    ["a file that an earlier sync wrote", writeOurs],
    ["the same, after somebody added tables", withOtherTables],
  ])("to %s", async (_, create) => {
    await create();
    expect(() => requireOwnFile(path)).not.toThrow();
    const tables = await Tables.open(path, lockWaitForTest().wait);
    // As it would be found after a kill.
    copyFileSync(path, `${path}.killed`);
    copyFileSync(`${path}-wal`, `${path}.killed-wal`);
    await tables.close("complete");
    expect(() => requireOwnFile(`${path}.killed`)).not.toThrow();
  });
});

describe("a sync may not write", () => {
  const damaged =
    "cannot be written: it is not a SQLite database, or is damaged. Move it away, and run again.";
  it.each<[string, () => unknown, string | undefined]>([
    ["a database with tables", () => sql("create table surveys (id)"), undefined],
    ["the same, with a link as its -wal", withLinkedWal, undefined],
    ["a database with the mark of another program", () => sql("pragma application_id = 7"), undefined],
    ["a database that nobody has marked, with a -wal", openedInWalMode, undefined],
    [
      "a database of our first days, which has no mark",
      () => sql("create table _survey_export_state (s)"),
      undefined,
    ],
    ["a text", () => writeFileSync(path, "somebody's text, which stays"), damaged],
    ["the start of a database", () => writeFileSync(path, "SQLite format 3\0"), damaged],
  ])("to %s", async (_, create, reason) => {
    await create();
    const names = readdirSync(folder);
    const said = reason === undefined ? notMade() : `"${path}" ${reason}`;
    expect(() => requireOwnFile(path)).toThrow(said);
    await expect(Tables.open(path, lockWaitForTest().wait)).rejects.toThrow(said);
    expect(readdirSync(folder)).toEqual(names);
  });

  function withLinkedWal(): void {
    sql("create table surveys (id)");
    symlinkSync("mine", `${path}-wal`);
  }

  /** Its tables are in the `-wal` alone. */
  function openedInWalMode(): void {
    sql("pragma journal_mode = wal");
    writeFileSync(`${path}-wal`, "pages");
  }
});

describe("nothing is written through", () => {
  /** A file of somebody. */
  function mine(): string {
    writeFileSync(join(folder, "mine"), "");
    return join(folder, "mine");
  }
  const kinds: readonly [string, (path: string) => unknown][] = [
    ["a link to a file", (at) => symlinkSync(mine(), at)],
    ["a link to nothing", (at) => symlinkSync("nothing", at)],
    ["a second name of a file", (at) => linkSync(mine(), at)],
    ["a folder", (at) => mkdirSync(at)],
    ["a FIFO", (at) => execFileSync("mkfifo", [at])],
  ];
  const places = ["", "-wal", "-shm", "-journal"];
  it.each(
    places.flatMap((end) => kinds.map(([name, create]) => [name, `surveys.sqlite${end}`, create] as const)),
  )("%s at %s", async (_, name, create) => {
    if (name !== "surveys.sqlite") await writeOurs();
    create(join(folder, name));
    const said = `"${join(folder, name)}" is a link, or not a regular file. Move it away, and run again.`;
    expect(() => requireOwnFile(path)).toThrow(said);
    await expect(Tables.open(path, lockWaitForTest().wait)).rejects.toThrow(said);
    expect(existsSync(join(folder, "nothing"))).toBe(false);
  });
});

/** Runs as a user who is not root. Root may do everything. */
function asNobody(run: () => void): void {
  const isRoot = process.geteuid!() === 0;
  if (isRoot) process.seteuid!(NOBODY);
  try {
    run();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}
const NOBODY = 65_534;

describe("a file that this user may not write is told with its owner:", () => {
  it.each(["", "-wal", "-journal"])("surveys.sqlite%s", async (end) => {
    await writeOurs();
    chmodSync(folder, 0o777);
    chmodSync(path, 0o666);
    writeFileSync(`${path}${end}`, "", { flag: "a" });
    chmodSync(`${path}${end}`, 0o444);
    const me = process.geteuid!() === 0 ? NOBODY : process.geteuid!();
    const said = `"${path}${end}" belongs to the user with uid ${process.geteuid!()}, and this user (uid ${me}, gid ${process.getegid!()}) may not write it. Change its owner (chown) or its rights, or run as its owner (docker run --user).`;
    asNobody(() => expect(() => requireOwnFile(path)).toThrow(said));
  });

  it.runIf(process.geteuid?.() === 0)("and root may write all of them", async () => {
    await writeOurs();
    chownSync(path, NOBODY, NOBODY);
    expect(() => requireOwnFile(path)).not.toThrow();
  });
});
