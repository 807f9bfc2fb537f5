import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { namedStreams } from "../../../connector/airbyte/catalog.ts";
import { runBin } from "../../support/bin.ts";
import { type Folder, folderForTest } from "../../support/folder.ts";
import { sandboxForTest, surveyOf } from "../../support/sandbox.ts";

/* Mistakes that new users make: what the program says is enough to correct each of them. */

const SURVEYS = [
  { ...surveyOf("0000000000abc001", 12), name: "Churn" },
  { ...surveyOf("0000000000abc00a", 12), name: "VIP NPS" },
];

interface Setting {
  readonly folder: Folder;
  readonly env: Record<string, string>;
  /** Of every service that was asked: how many requests came. */
  readonly requests: () => number;
}

async function setting(): Promise<Setting> {
  const sandbox = await sandboxForTest({ surveys: SURVEYS, limits: false });
  const env = { SURVEY_EXPORT_API_KEY: sandbox.apiKey, SURVEY_EXPORT_BASE_URL: sandbox.url };
  return { folder: folderForTest(), env, requests: () => sandbox.service.stats.requests };
}

/** Runs a command in which TARGET and CONFIG are paths. Times are omitted from what it says. */
async function run({ folder, env }: Setting, typed: string) {
  const words = typed
    .split(" ")
    .map((word) =>
      word.replace("TARGET", folder.path("surveys.sqlite")).replace("CONFIG", folder.path("config.json")),
    );
  const { code, stdout, stderr } = await runBin(words, { env });
  return { code, stdout, stderr: stderr.replaceAll(/^\S+Z /gm, "") };
}

const errorsIn = (shown: string): string[] => shown.split("\n").filter((line) => line.startsWith("ERROR"));

describe("a file of settings", () => {
  const KEY = '{"api_key":"k3y-f0r-tests",}';
  const UTF16 = [
    ["with its mark", Buffer.from(`\uFEFF${KEY}`, "utf16le")],
    ["without a mark", Buffer.from(KEY, "utf16le")],
    ["with the other order of bytes", Buffer.from(KEY, "utf16le").swap16()],
  ] as const;

  it("with a comma too many: its path, line and column", async () => {
    const place = await setting();
    const path = await place.folder.file("config.json", '{\n  "survey_ids": [\n    "a",\n  ]\n}\n');
    const { code, stderr } = await run(place, "sync TARGET");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `ERROR The configuration (--config) is not valid JSON at line 3, column 8: a comma stands before a closing bracket ("${path}"). Correct the file. [invalid_configuration]\n`,
    });
  });

  it.each(UTF16)("in UTF-16 %s: the encoding, and how to write another one", async (_, content) => {
    const place = await setting();
    const path = await place.folder.file("config.json", content);
    expect((await run(place, "sync TARGET --dry-run")).stderr).toBe(
      `ERROR The configuration (--config) is in UTF-16, and not in UTF-8 ("${path}"). Save it as UTF-8: in Notepad, choose UTF-8 as the encoding; in PowerShell, write it with Set-Content -Encoding utf8, and not with >. [invalid_configuration]\n`,
    );
  });
});

describe("survey_ids", () => {
  it("with a wrong id next to a right one: one error", async () => {
    const place = await setting();
    await place.folder.file("config.json", { survey_ids: ["0000000000abc001", "nope"] });
    const { code, stderr } = await run(place, "sync TARGET --streams survey_responses,survey_answers");
    expect(code).toBe(1);
    expect(errorsIn(stderr)).toEqual([
      'ERROR Survey "nope" was not found (status 404). Remove it from survey_ids or correct the id. This does not affect the other surveys. [not_found]',
    ]);
  });

  it("with the name of a survey: its id, once, in each run", async () => {
    const place = await setting();
    await place.folder.file("config.json", { survey_ids: ["VIP NPS"] });
    // The stream surveys reads the list in any case, and this one only for the name.
    for (const _ of ["the first sync", "the second sync, which has a state"]) {
      const { code, stderr } = await run(place, "sync TARGET --streams survey_responses");
      expect(code).toBe(1);
      expect(errorsIn(stderr)).toEqual([
        'ERROR survey_responses: Survey "VIP NPS" was not found (status 404). "VIP NPS" is the name of survey "0000000000abc00a". Write the id into survey_ids. [not_found]',
      ]);
    }
    const { stdout } = await run(place, "check --config CONFIG");
    expect(JSON.parse(stdout).connectionStatus).toEqual({
      status: "FAILED",
      message:
        'The service answered, but found none of the ids that were tried ("VIP NPS"). "VIP NPS" is the name of survey "0000000000abc00a". Write the ids of surveys into survey_ids.',
    });
  });
});

it("report with the key in the place of its file: nothing that has the key", async () => {
  const place = await setting();
  const { code, stdout, stderr } = await run(place, "report k3y-f0r-tests");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^ERROR There is no file to report on \(its path leads to ".+" and no further\)\./);
  expect(stderr).not.toContain("k3y");
});

it("excluded_survey_ids that match nothing are named in check, dry run and sync", async () => {
  const place = await setting();
  await place.folder.file("config.json", { excluded_survey_ids: ["Churn", "1*"] });
  const warning =
    'These entries of excluded_survey_ids exclude nothing, since the service lists no survey with these ids: "Churn" (the name of survey "0000000000abc001"), "1*". Write the whole id of each survey that is not to be read.';
  const { stdout } = await run(place, "check --config CONFIG");
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1)!).connectionStatus).toEqual({
    status: "SUCCEEDED",
    message: warning,
  });
  for (const typed of ["sync TARGET --dry-run", "sync TARGET"]) {
    const { code, stderr } = await run(place, typed);
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => line.startsWith("WARN"))).toEqual([
      `WARN ${warning} [nothing_excluded]`,
    ]);
  }
});

it.each(["sync TARGET", "read --config CONFIG --streams respondent_attributes,surveys,survey_responses"])(
  "%s with omitted identifiers: before anything is read, which stream cannot be, and which can",
  async (typed) => {
    const place = await setting();
    await place.folder.file("config.json", { personal_data: { respondent_identifiers: "omit" } });
    const { code, stdout, stderr } = await run(place, typed);
    expect(code).toBe(1);
    const others = typed.startsWith("sync")
      ? namedStreams()
          .filter((name) => name !== "respondent_attributes")
          .join(",")
      : "survey_responses,surveys";
    expect(stdout + stderr).toContain(
      `Stream respondent_attributes cannot be read if personal_data omits respondent_identifiers: its primary key holds the respondent's UUID. Nothing was read. Set respondent_identifiers to hash or keep, or read the other streams (--streams ${others}).`,
    );
    expect(place.requests()).toBe(0);
  },
);

it.each([
  [
    "sync TARGET --streams survey_responses, survey_answers",
    "sync: a space ended the list of --streams. Write it without spaces: --streams NAME,NAME",
  ],
  [
    "read --config CONFIG --catalog c.json --streams surveys",
    "read: --catalog and --streams both say which streams to read. Give one of the two.",
  ],
])("%s: one sentence", async (typed, sentence) => {
  const place = await setting();
  const { code, stderr } = await run(place, typed);
  expect({ code, first: stderr.split("\n")[0] }).toEqual({
    code: 2,
    first: `source-survey-export: ${sentence}`,
  });
  expect(existsSync(place.folder.path("surveys.sqlite"))).toBe(false);
});
