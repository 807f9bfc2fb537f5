import { expect, test } from "vitest";
import type { KeptSync, Tables } from "../../support/tables.ts";
import { pageOf, SYNC, textOf } from "./support/page-of.ts";

const LISTED = { collected_at: "2026-09-29T09:00:00.000000Z", responses: 0 };

const response = (uuid: string, collected_at = "2026-09-07T10:00:00.000000Z") => ({
  uuid,
  collected_at,
  survey_id: "s1",
  survey_name: "Old",
});

/** The table that compares what arrived with what the service counts. */
function arrivalOf(tables: Tables, sync: KeptSync = {}, states = {}): string {
  const page = pageOf(tables, { syncs: [{ ...SYNC, ...sync }], states });
  return textOf(/<h2>Did everything arrive.*?<\/section>/s.exec(page)![0]);
}
const counting = (counted: number | null, fields: object = {}): Tables => ({
  survey_responses: [response("a"), response("b", "2026-09-29T09:00:30.000000Z")],
  surveys: [
    { ...LISTED, id: "s1", name: "Survey s1", responses: counted, ...fields },
    { ...LISTED, id: "s2" },
  ],
});

test.each<[counted: number | null, words: string, sync?: KeptSync, states?: object]>([
  [2, "2|2|Everything arrived."],
  [2, "2|2|As many are here as the service counts, but not all was read yet.", { outcome: "stopped" }],
  [1, "2|1|1 more are here than were counted. Some came after the list of surveys was read."],
  [0, "2|0|2 more are here than were counted."],
  [null, "2|–|The service does not say how many there are."],
  [3, "2|3|Not all was read yet. Sync again: it resumes.", { outcome: "stopped" }],
  [3, "2|3|Not all was read yet.", {}, { survey_responses: { version: 1, surveys: { s1: [1, 2] } } }],
  [
    3,
    "2|3|The service counts all. Read were those from 2026-01-01 to now.",
    { start_date: "2026-01-01T00:00:00Z" },
  ],
  [3, "2|3|Some may appear late (10 minutes are read again), or were never finished. Sync again tomorrow."],
])("of 2 responses and a count of %s, the page says %s", (counted, words, sync, states) => {
  expect(arrivalOf(counting(counted), sync, states)).toContain(`|Survey s1|${words}`);
});

test("a survey of which the service counts responses and shows none is not told to be read again and again", () => {
  const unfinished = {
    survey_responses: [],
    surveys: [{ ...LISTED, id: "s1", name: "Survey s1", responses: 3 }],
  };
  // As a complete sync leaves the state of a list without a response.
  const states = { survey_responses: { version: 1, surveys: { s1: [] } } };
  const page = arrivalOf(unfinished, {}, states);
  expect(page).toContain(
    "|Survey s1|0|3|Some may appear late (10 minutes are read again), or were never finished.",
  );
});

const EARLIER = { collected_at: "2026-09-01T00:00:00.000000Z" };

test.each<[name: string, words: string, sync: KeptSync]>([
  ["is not listed any more", "The service does not list it any more: it was deleted or hidden.", {}],
  ["is excluded", "Excluded by the configuration.", { excluded_survey_ids: '["s1"]' }],
  ["is not named any more", "The configuration does not name it any more.", { survey_ids: '["s2"]' }],
])("a survey that %s is told as that", (_, words, sync) => {
  expect(arrivalOf(counting(2, EARLIER), sync)).toContain(`|Survey s1|2|2|${words}`);
});

test("without the list of surveys there is nothing to compare with", () => {
  const { survey_responses } = counting(2);
  expect(arrivalOf({ survey_responses: survey_responses! })).toContain(
    "|Old|2|–|There is nothing to compare with",
  );
});

test("surveys without a response are one line", () => {
  const { survey_responses, surveys } = counting(2);
  const drafts = ["d1", "d2"].map((id) => ({ ...LISTED, id, name: `Draft ${id}` }));
  expect(arrivalOf({ survey_responses: survey_responses!, surveys: [surveys![0]!, ...drafts] })).toContain(
    "|2 surveys without a response: Draft d1 , Draft d2 .|",
  );
});

test("the table has a head", () => {
  expect(arrivalOf(counting(2))).toContain("|Survey|Responses here|The service counts|What that means|");
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

test("nothing but nulls is a page, too", () => {
  const empty = { uuid: "a", collected_at: "2026-09-07T10:00:00.000000Z" };
  const row = { response_uuid: "a", collected_at: empty.collected_at, question_id: 1, position: 1 };
  const kinds = [
    "nps",
    "rating",
    "matrix",
    "ranking",
    "text",
    "contact_form",
    "single_choice",
    "action",
    "other",
  ];
  const survey_answers = kinds.map((answer_type, at) => ({ ...row, question_id: at, answer_type }));
  const nulls = {
    survey_responses: [empty],
    survey_answers,
    surveys: [{ id: "s", collected_at: empty.collected_at }],
  };
  for (const hasTexts of [false, true]) expect(pageOf(nulls, { hasTexts })).toContain("1 of 2");
});
