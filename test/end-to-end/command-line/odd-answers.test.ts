import { Ajv } from "ajv";
import { afterEach, expect, it } from "vitest";
import { STREAMS } from "../../../connector/core/index.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/index.ts";
import { catalog, errors, records, runWarm, warnings } from "../../support/bin.ts";
import { testFolder } from "../../support/folder.ts";

const folder = testFolder();
let sandbox: Sandbox;
afterEach(() => sandbox.close());

/** JSON kinds that the service's document does not show as an answer. */
const ANSWERS = [
  { question_id: 1, answer: 7 },
  { question_id: 2, answer: true },
  { question_id: 3, answer: ["a", "b"] },
  { question_id: 4, answer: { colour: "red" } },
  { question_id: 5, answers: ["a", "b"] },
  { question_id: 6, action_performed: "yes" },
];

async function read(settings: object = {}) {
  sandbox = await startSandbox({
    surveys: [
      {
        id: "s",
        responses: [1, 2].map((at) => ({
          uuid: `00000000-0000-4000-8000-00000000000${at}`,
          collected_at: `2026-01-0${at}T00:00:00.000000Z`,
          respondent_uuid: "00000000-0000-4000-8000-00000000000a",
          fields: { answers: ANSWERS },
        })),
      },
    ],
  });
  const config = { base_url: sandbox.url, api_key: sandbox.apiKey, survey_ids: ["s"], ...settings };
  const streams = catalog(["survey_responses", "incremental"], ["survey_answers", "incremental"]);
  return runWarm(await folder.words("read", { config, catalog: streams }));
}

it("answers of kinds that the service does not document stand in their columns, with one counted warning", async () => {
  const { code, messages } = await read();
  expect([code, errors(messages)]).toEqual([0, []]);
  const rows = records(messages, "survey_answers").slice(0, 8);
  const shown = rows.map((data) => [
    ...[data.question_id, data.answer_type, data.value_text, data.value_number, data.value_boolean],
    data.additional_fields,
  ]);
  expect(shown).toEqual([
    [1, "rating", null, 7, null, null],
    [2, "action", null, null, true, null],
    [3, "multiple_choice", "a; b", null, null, null],
    [4, "other", null, null, null, { answer: { colour: "red" } }],
    [5, "multiple_choice", "a", null, null, null],
    [5, "multiple_choice", "b", null, null, null],
    [6, "action", "yes", null, null, null],
    [1, "rating", null, 7, null, null],
  ]);
  expect(warnings(messages)).toEqual([
    expect.stringMatching(
      /^The service sent answers in shapes that it does not document: .*a number as answer \(2 times\).* \[odd_answers\]$/,
    ),
  ]);
});

it.each([
  ["kept", {}],
  ["omitted", { free_text: "omit", answer_labels: "omit" }],
])("they fit the schemas of both streams, with personal data %s", async (_, personal_data) => {
  const { messages } = await read({ personal_data });
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ["survey_responses", "survey_answers"] as const) {
    const fits = ajv.compile(STREAMS[name].schema);
    const found = records(messages, name);
    expect(found.length).toBeGreaterThan(1);
    for (const data of found) expect([fits(data), fits.errors]).toEqual([true, null]);
  }
});
