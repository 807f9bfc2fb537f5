import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { PERSONAL_DATA_KINDS } from "@survey-export/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PERSONAL_DATA } from "../../../sandbox/index.ts";
import build from "../../support/build.ts";
import { surveyOf, testSandbox } from "../../support/sandbox.ts";
import { runPython } from "./support/pyairbyte.ts";

const TABLES = ["survey_responses", "survey_answers", "respondent_responses", "respondent_attributes"];
/** Joins over hashed values, and all rows as text. */
const QUERIES = {
  ...Object.fromEntries(TABLES.map((table) => [table, `select cast(t as varchar) from ${table} t`])),
  respondents:
    "select count(distinct r.respondent_uuid), count(distinct s.respondent_uuid), count(distinct a.respondent_uuid) from respondent_responses r join survey_responses s using (respondent_uuid) join respondent_attributes a using (respondent_uuid)",
  responses:
    "select count(*) from survey_responses s join respondent_responses r on s.uuid = r.uuid and s.respondent_uuid = r.respondent_uuid",
  emails:
    "select count(*) from survey_answers where answer_type = 'contact_form' and label = 'email' and length(value_text) = 64",
};

let folder: string;
const sandbox = await testSandbox({ personalData: true, surveys: [surveyOf("a", 60)] });
beforeAll(async () => {
  build();
  folder = await mkdtemp(join(tmpdir(), "personal-data-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** The content of a file, which PyAirbyte may have compressed. */
const unpacked = (bytes: Buffer): Buffer =>
  bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;

test("hashed values join in DuckDB, and no file that PyAirbyte writes holds anything planted", async () => {
  const config = {
    base_url: sandbox.url,
    api_key: sandbox.apiKey,
    survey_ids: ["a"],
    attributes: ["contact email", "contact name", "contact phone", "notes"],
    personal_data: {
      hash_salt: "0123456789abcdef0123456789abcdef",
      ...Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, "hash"])),
    },
  };
  const duckdb = join(folder, "survey.duckdb");
  const bin = join(import.meta.dirname, "../../../dist/source-survey-export.js");
  const given = JSON.stringify({ bin, config, duckdb, queries: QUERIES });
  const { stdout } = await runPython([join(import.meta.dirname, "support/personal_data.py"), given], folder);
  const { truth } = sandbox.service;
  const people = [...truth.respondents("a")];
  const rows = JSON.parse(stdout);
  expect(rows).toMatchObject({
    respondents: [[people.length, people.length, people.length]],
    responses: [[60]],
    emails: [[expect.any(Number)]],
  });
  expect(rows.emails[0][0]).toBeGreaterThanOrEqual(60);
  for (const table of TABLES) expect(rows[table].length).toBeGreaterThanOrEqual(60);
  const files = await filesBelow(folder);
  expect(files).toContain(duckdb);
  const contents = await Promise.all(
    files.map(async (file) => unpacked(await readFile(file)).toString("utf8")),
  );
  for (const text of [stdout, ...contents]) {
    expect(PERSONAL_DATA.filter(({ spellings }) => spellings.some((each) => text.includes(each)))).toEqual(
      [],
    );
    expect(people.filter((uuid) => text.includes(uuid))).toEqual([]);
  }
}, 1_200_000);
