import { existsSync, linkSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../connector/node/sqlite.ts";
import { lockFile } from "../../../connector/sync-command/lock-file.ts";
import { folderForTest } from "../../support/folder.ts";
import { sqliteError } from "./support/lock-wait.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = folderForTest().path();
  path = join(folder, "surveys.sqlite-lock");
});

/** What a lock fails with whose database throws this code. `isOnlyThis`: whether locks of other files are given. */
const failing = (errcode: number, isOnlyThis = false) =>
  lockFile(path, (opened) => {
    if (isOnlyThis && opened !== path) return openDatabase(opened);
    const exec = (): never => {
      throw sqliteError(errcode);
    };
    return { exec, close() {} };
  });

it("leaves one empty file", () => {
  lockFile(path)!();
  lockFile(path)!();
  expect(readdirSync(folder)).toEqual(["surveys.sqlite-lock"]);
});

describe("a file system without locks is told as one, and not as another sync:", () => {
  const without =
    '"PATH" cannot be written: its file system has no locks, and a database needs them. Put it on a disk of this machine, or mount the file system with locks.';
  it.each([
    ["fcntl fails", 3850],
    ["fcntl fails for the shared lock", 2314],
    ["the locking protocol fails", 15],
    ["each file counts as locked, as without a lock manager (ENOLCK)", 5],
  ])("%s", (_, errcode) => {
    expect(() => failing(errcode)).toThrow(without.replace("PATH", path));
    expect(readdirSync(folder)).toEqual(["surveys.sqlite-lock"]);
  });

  it("but one file that counts as locked is another sync's", () => {
    expect(failing(5, true)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["surveys.sqlite-lock"]);
  });

  it("and any other failure is itself", () => {
    expect(() => failing(10)).toThrow("database is locked");
  });
});

describe("is refused if it is somebody's, and nothing is written:", () => {
  const mine = () => join(folder, "mine");
  const notRegular = "is a link, or not a regular file. Move it away, and run again.";
  const secondName = () => {
    writeFileSync(mine(), "");
    linkSync(mine(), path);
  };
  it.each([
    ["a link", () => symlinkSync("mine", path), notRegular],
    ["a second name of a file", secondName, notRegular],
    ["a file with content", () => writeFileSync(path, "mine"), "is larger than 0 bytes."],
  ])("%s", (_, create, reason) => {
    create();
    expect(() => lockFile(path)).toThrow(`"${path}" ${reason}`);
  });

  it("a link to nothing, where no file comes into being", () => {
    symlinkSync("mine", path);
    expect(() => lockFile(path)).toThrow(notRegular);
    expect(existsSync(mine())).toBe(false);
  });
});
