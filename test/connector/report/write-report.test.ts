import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import { whyUnreadable } from "../../../connector/report/report.ts";
import { writeReport } from "../../../connector/report/write-report.ts";
import { BIN } from "../../support/bin.ts";
import { folderForTest } from "../../support/folder.ts";
import { writeTables } from "../../support/tables.ts";
import { SYNC } from "./support/page-of.ts";

const EVERYTHING = { hasTexts: false, surveyIds: [] };
const RESPONSE = { uuid: "a", survey_id: "s1", collected_at: "2026-09-07T10:00:00.000000Z" };

let folder: string;
let file: string;
let page: string;
beforeEach(() => {
  folder = folderForTest().path();
  file = join(folder, "surveys.sqlite");
  page = join(folder, "surveys.html");
  writeTables(file, { survey_responses: [RESPONSE] }, [SYNC]);
});

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error("nothing was refused");
};

test("the page is for the owner alone, and replaces an earlier one", () => {
  expect(writeReport(file, EVERYTHING)).toBe(pathToFileURL(page).href);
  expect(statSync(page).mode & 0o777).toBe(0o600);
  writeReport(file, { ...EVERYTHING, hasTexts: true });
  expect(readFileSync(page, "utf8")).toContain("with people's own words");
  expect(readdirSync(folder).filter((name) => name.includes("html"))).toEqual(["surveys.html"]);
});

test("a survey that is not in the file is named", () => {
  expect(refusal(() => writeReport(file, { ...EVERYTHING, surveyIds: ["s1", "nope"] }))).toBe(
    `"${file}" has no survey "nope". Give the id that the page without --survey, or the view responses_by_survey, shows.`,
  );
});

describe("a file that no sync has written is refused:", () => {
  test.each<[name: string, make: (path: string) => void, sentence: RegExp]>([
    [
      "none",
      () => {},
      /^There is no file to report on \(its path leads to ".+" and no further\)\. Name the file that sync has written\.$/,
    ],
    ["folder", (path) => mkdirSync(path), /" is a folder\. Name the file in it/],
    ["fifo", (path) => execFileSync("mkfifo", [path]), /" is not a regular file\. Name the file/],
    [
      "text",
      (path) => writeFileSync(path, "no database ".repeat(99)),
      /" cannot be read: it is not a SQLite database\. Name/,
    ],
    [
      "other",
      (path) => new DatabaseSync(path).exec("create table x (y)"),
      /" is a database, but no sync has written it\. Name/,
    ],
    [
      "unread",
      (path) => writeTables(path, { surveys: [] }, []),
      /" has no responses: the stream survey_responses was not synced into it\. Run sync/,
    ],
  ])("%s", (name, make, sentence) => {
    make(join(folder, name));
    expect(refusal(() => writeReport(join(folder, name), EVERYTHING))).toMatch(sentence);
  });
});

describe("an error of SQLite is a sentence:", () => {
  const said = (errcode: number): string => {
    const thrown = whyUnreadable(file, Object.assign(new Error("unable to open database file"), { errcode }));
    return (thrown as Error).message;
  };
  const user = `this user (uid ${process.getuid!()}, gid ${process.getgid!()})`;

  test("of a user who may not read it", () => {
    expect(said(14)).toBe(
      `"${file}" cannot be read: ${user} may not read it, or not enter its folder. Change its rights, or run as its owner.`,
    );
  });

  test("of a sync that was killed, next to which this user may not write", () => {
    writeFileSync(`${file}-wal`, "");
    for (const errcode of [14, 8])
      expect(said(errcode)).toBe(
        `"${file}" cannot be read: a sync is writing to it, or was killed, and ${user} may not write next to it. Let its owner sync again, or copy it with its -wal into a folder of your own.`,
      );
  });

  test("of a disk without room", () => {
    expect(said(10)).toContain("the disk is full, or has failed. Make room, and run this again.");
  });
});

describe("what is in the place of the page stays as it is:", () => {
  test.each<[what: string, make: () => void]>([
    ["is a folder", () => mkdirSync(page)],
    ["is a link, or not a regular file", () => symlinkSync(join(folder, "elsewhere"), page)],
    ["is a link, or not a regular file", () => execFileSync("mkfifo", [page])],
    ["is not a page of an earlier report", () => writeFileSync(page, "<p>somebody's page")],
  ])("%s", (what, make) => {
    make();
    const { ino } = lstatSync(page);
    expect(refusal(() => writeReport(file, EVERYTHING))).toBe(
      `The page cannot be written: "${page}" ${what}. Move it away, and run again.`,
    );
    expect(lstatSync(page).ino).toBe(ino);
    expect(existsSync(join(folder, "elsewhere"))).toBe(false);
  });

  test("a file next to it that ends in .new", () => {
    writeFileSync(`${page}.new`, "mine");
    writeReport(file, EVERYTHING);
    expect(readFileSync(`${page}.new`, "utf8")).toBe("mine");
  });
});

test("without room, the earlier page stays, and the sentence says so", () => {
  writeReport(file, EVERYTHING);
  const before = readFileSync(page, "utf8");
  const limited = ["-c", 'ulimit -f 1; exec "$0" "$@" 2>&1', process.execPath, BIN, "report", file];
  const { stdout } = catchOutput(() => execFileSync("/bin/sh", limited, { encoding: "utf8" }));
  expect(stdout).toBe(
    `ERROR The page "${page}" cannot be written: the disk is full. Make room, and run again. [invalid_configuration]\n`,
  );
  expect(readFileSync(page, "utf8")).toBe(before);
  expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
});

function catchOutput(run: () => unknown): { stdout: string } {
  try {
    run();
  } catch (thrown) {
    return thrown as { stdout: string };
  }
  throw new Error("nothing failed");
}
