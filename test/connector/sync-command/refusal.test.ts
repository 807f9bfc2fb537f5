import { SurveyExportError } from "@survey-export/core";
import { expect, it } from "vitest";
import { refusalOf } from "../../../connector/sync-command/refusal.ts";
import { sqliteError } from "./support/lock-wait.ts";

const user = `this user (uid ${process.geteuid!()}, gid ${process.getegid!()})`;
const noLocks =
  "its file system has no locks, and a database needs them. Put it on a disk of this machine, or mount the file system with locks.";
const noRoom = "the disk is full, or has failed. Make room there, and run again: nothing is lost.";

it.each([
  [5, "another program has locked it for 60 s. End that program's transaction, and run again."],
  [8, `${user} may only read it, or its folder. Make both writable, and run again.`],
  [14, `${user} may not open it, or create a file next to it. Make its folder writable, and run again.`],
  [10, noRoom],
  [13, noRoom],
  [778, noRoom],
  [3850, noLocks],
  [5386, noLocks],
  [15, noLocks],
  [26, "it is not a SQLite database, or is damaged. Move it away, and run again."],
  [1, '"no such table". Correct this, and run again.'],
])("SQLite's error %d says what to do", (code, why) => {
  const refusal = refusalOf(sqliteError(code, "no such table"), "/a/surveys.sqlite");
  expect(refusal).toBeInstanceOf(SurveyExportError);
  expect(refusal).toMatchObject({
    kind: "config",
    code: "invalid_configuration",
    message: `"/a/surveys.sqlite" cannot be written: ${why}`,
  });
});

it("what does not come from SQLite is itself", () => {
  const thrown = new TypeError("x is not a function");
  expect(refusalOf(thrown, "/a/surveys.sqlite")).toBe(thrown);
});
