import { expect, test } from "vitest";
import type { KeptSync, Tables } from "../../support/tables.ts";
import { pageOf, SYNC } from "./support/page-of.ts";

const LISTED = { collected_at: "2026-09-29T09:00:00.000000Z", responses: 0 };

const response = (uuid: string, collected_at = "2026-09-07T10:00:00.000000Z") => ({
  uuid,
  collected_at,
  survey_id: "s1",
  survey_name: "Old",
});

/** What is said of a survey's number of responses. */
const said = (name: string, tables: Tables, sync: KeptSync = {}, states = {}): string => {
  const html = pageOf(tables, { syncs: [{ ...SYNC, ...sync }], states });
  return new RegExp(`<tr><td dir="auto">${name}</td><td>(.*?)</td></tr>`)
    .exec(html)![1]!
    .replace("</td><td>", ": ");
};
const counting = (counted: number | null, fields: object = {}): Tables => ({
  survey_responses: [response("a"), response("b", "2026-09-29T09:00:30.000000Z")],
  surveys: [
    { ...LISTED, id: "s1", name: "Survey s1", responses: counted, ...fields },
    { ...LISTED, id: "s2" },
  ],
});

test.each<[counted: number | null, words: RegExp, sync?: KeptSync, states?: object]>([
  [2, /^2 of 2: Everything arrived/],
  [1, /^2 of 1: 1 came after the list of surveys was read/],
  [0, /^2 of 0: Some were deleted at the service since/],
  [null, /^2: The service does not say/],
  [3, /^2 of 3: Not all was read yet\. Sync again/, { outcome: "stopped" }],
  [3, /^2 of 3: Not all was read yet/, {}, { survey_responses: { version: 1, surveys: { s1: [1, 2] } } }],
  [
    3,
    /^2 of 3: The service counts all\. Read were those from 2026-01-01/,
    { start_date: "2026-01-01T00:00:00Z" },
  ],
  [3, /^2 of 3: Some may appear late \(10 minutes are read again\)/],
])("of 2 responses and a count of %s, the page says %s", (counted, words, sync, states) => {
  expect(said("Survey s1", counting(counted), sync, states)).toMatch(words);
});

test("a survey that is not listed any more says so, and so does a database without the list", () => {
  const gone = { collected_at: "2026-09-01T00:00:00.000000Z" };
  expect(said("Survey s1", counting(2, gone))).toContain("Not listed any more");
  const { survey_responses } = counting(2);
  expect(said("Old", { survey_responses: survey_responses! })).toContain("Sync the stream surveys, too");
});

test.each<[syncs: KeptSync[], words: string]>([
  [[], "No sync has begun yet."],
  [[SYNC], "The last sync ended 2026-09-29 09:01 UTC. It is complete."],
  [[{ ...SYNC, outcome: "stopped" }], "It is stopped. Sync again: it resumes."],
  [
    [SYNC, { began_at: "2026-09-30T00:00:00Z" }],
    "running, or was killed. The last sync ended 2026-09-29 09:01",
  ],
])("after %j, the page says %s", (syncs, words) => {
  expect(pageOf({ survey_responses: [] }, { syncs })).toContain(words);
});
