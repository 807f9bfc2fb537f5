import { createHash } from "node:crypto";
import {
  createRecordTreatment,
  type Handling,
  KEEP_ALL,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  type RecordTreatment,
  type StreamRecord,
  type SurveyResponse,
} from "@survey-export/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { formOf, type OutputName } from "../../../connector/core/flat/form.ts";
import { surveyAnswers } from "../../../connector/core/streams/survey-answers.ts";
import { surveyResponses } from "../../../connector/core/streams/survey-responses.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");

const text = fc.oneof(fc.string(), fc.constantFrom("Wilma@Mail.Example", "442079460123", "7", " 9", "4.5"));
const value = fc.oneof(text, fc.integer(), fc.double(), fc.constant(null), fc.boolean());
const choice = { id: fc.oneof(fc.integer(), text), content: value, comment: value, x: value };
const some = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const list = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.array(some(fields), { maxLength: 3 });
/** The nine shapes of the service, with other values than it documents too. */
const shape = fc.oneof(
  fc.record({ answer: some(choice) }),
  fc.record({ answers: list(choice) }),
  fc.record({ answer: some({ ...choice, rating: value }) }),
  fc.record({ fields: list({ type: fc.constantFrom("email", "phone"), content: value, x: value }) }),
  fc.record({ answer: value }),
  fc.record({ answer: some({ content: value, tag: fc.constantFrom("promoter", "passive", null) }) }),
  fc.record({ answers: list({ ...choice, score: value }) }),
  fc.record({ answers: list({ ...choice, rank: value }) }),
  fc.record({ action_performed: fc.boolean(), x: value }),
);
const element = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom("single", "multiple", null), shape)
  .map(([question_id, question_type, answered]) => ({ question_id, question_type, ...answered }));

const setting = fc.oneof(
  fc
    .constantFrom<Handling>("keep", "hash", "omit")
    .map((how): PersonalDataSetting => Object.fromEntries(PERSONAL_DATA_KINDS.map((kind) => [kind, how]))),
  fc.record(
    Object.fromEntries(
      PERSONAL_DATA_KINDS.map((kind) => [kind, fc.constantFrom<Handling>("keep", "hash", "omit")]),
    ),
  ),
);

function fromAirbyte(item: ReturnType<typeof itemOf>, treatment: RecordTreatment): StreamRecord[] {
  const rows = surveyAnswers.records(item, { unknown: { fields: new Set(), answers: new Map() } });
  return rows.map((row) => treatment.record(row, surveyAnswers.columns));
}

function fromN8n(item: ReturnType<typeof itemOf>, treatment: RecordTreatment): unknown[] {
  const [response] = surveyResponses.records(item, { unknown: { fields: new Set(), answers: new Map() } });
  const form = formOf("answers", [], (message) => expect.fail(message));
  return form.finish(form.itemsOf(response as SurveyResponse, treatment));
}

function itemOf(answers: readonly unknown[]) {
  const response = {
    uuid: "r1",
    collected_at: "2026-01-01T00:00:00.000000Z",
    url: "https://shop.example/?mail=w@mail.example",
    answers,
    attributes: [],
    respondent: { uuid: "00000000-0000-4000-8000-00000000000A" },
  };
  const survey = { id: "7", name: "Pricing" };
  const timestamp = response.collected_at as never;
  return { uuid: response.uuid, timestamp, response, survey, raw: { survey, response } };
}

/** n8n's tables take no objects, and its filters take a null for the number 0. */
const flat = (record: StreamRecord): unknown => {
  const { additional_fields: more, answer_id, value_number, value_boolean, ...row } = record;
  const present = Object.entries({ answer_id, value_number, value_boolean }).filter(
    ([, value]) => value !== null,
  );
  return { ...row, ...Object.fromEntries(present), additional_fields: more && JSON.stringify(more) };
};

test("One Item per Answer gives the records of the Airbyte stream survey_answers, whatever is treated", () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 5 }), setting, (answers, chosen) => {
      const treatment = createRecordTreatment(chosen, sha);
      const item = itemOf(answers);
      expect(fromN8n(item, treatment)).toEqual(fromAirbyte(item, treatment).map(flat));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["a number", { answer: 7 }, { answer_1: "7", answer_1_score: 7 }],
  ["a boolean", { answer: true }, { answer_1: "Yes" }],
  ["a list", { answer: ["Price", "Help"] }, { answer_1: "Price; Help", answer_1_comment: null }],
  [
    "an entry that is not an object",
    { answers: ["Price", 2] },
    { answer_1: "Price; 2", answer_1_comment: null },
  ],
  ["a text for an action", { action_performed: "later" }, { answer_1: "later" }],
  ["an object without a known field", { answer: { emoji: 1 } }, { answer_1: '{"answer":{"emoji":1}}' }],
])("simplified shows %s that the service does not document", (_, answered, columns) => {
  const item = itemOf([{ question_id: 1, question_type: "single", ...answered }]);
  const [response] = surveyResponses.records(item, { unknown: { fields: new Set(), answers: new Map() } });
  const form = formOf("selected", ["answers"], (message) => expect.fail(message));
  expect(form.finish(form.itemsOf(response as SurveyResponse, KEEP_ALL))).toEqual([columns]);
});

test.each(["hash", "omit"] as const)("with %s an answer keeps its type and its columns", (how) => {
  const treatment = createRecordTreatment({ free_text: how, answer_labels: how }, sha);
  const item = itemOf([
    { question_id: 1, question_type: "single", answer: "in their own words" },
    { question_id: 2, question_type: "multiple", answers: [{ id: 1, content: "Price", score: "Fine" }] },
    { question_id: 3, question_type: "ranking", answers: [{ id: 1, content: "Price", rank: 1 }] },
  ]);
  const types = fromN8n(item, treatment).map((row) => (row as { answer_type: string }).answer_type);
  expect(types).toEqual(["text", "matrix", "ranking"]);
  const [response] = surveyResponses.records(item, { unknown: { fields: new Set(), answers: new Map() } });
  for (const output of ["simplified", "selected"] as const) {
    const form = formOf(output, ["answers"], (message) => expect.fail(message));
    const [one] = form.finish(form.itemsOf(response as SurveyResponse, treatment));
    const columns = Object.keys(one!).filter((name) => name.startsWith("answer_"));
    expect(columns).toEqual(["answer_1", "answer_2", "answer_3"]);
  }
});

const response = (answers: readonly unknown[], attributes: Readonly<Record<string, unknown>> = {}) => {
  const [record] = surveyResponses.records(itemOf(answers), {
    unknown: { fields: new Set(), answers: new Map() },
  });
  const pairs = Object.entries(attributes).map(([name, value]) => ({ name, value }));
  return { ...record, attributes: pairs } as unknown as SurveyResponse;
};
const tableOf = (output: OutputName, columns: readonly string[], ...responses: readonly SurveyResponse[]) => {
  const form = formOf(output, columns, (message) => expect.fail(message));
  return form.finish(responses.flatMap((one) => form.itemsOf(one, KEEP_ALL)));
};
const RATED = { question_id: 1, question_type: "csat", answer: { id: 1, content: "Great", rating: 5 } };
const SAID = { question_id: 2, question_type: "single", answer: "in their own words" };

test("a number or an attribute that is missing is undefined, a text that is missing is null", () => {
  const [one, other] = tableOf(
    "simplified",
    [],
    response([RATED], { plan: "pro", size: null }),
    response([SAID]),
  );
  expect(one).toMatchObject({ answer_1_score: 5, answer_2: null, attribute_plan: "pro" });
  expect(other).toMatchObject({ answer_1: null, answer_2: "in their own words" });
  const keys = ["answer_1_score", "attribute_plan", "attribute_size"];
  for (const key of keys) expect([key in other!, other![key]]).toEqual([true, undefined]);
  expect([one!.attribute_size, Object.keys(other!)]).toEqual([undefined, Object.keys(one!)]);
  const [answer] = tableOf("answers", [], response([SAID]));
  expect(answer).toMatchObject({ label: null, nps_tag: null });
  for (const key of ["answer_id", "value_number", "value_boolean"])
    expect([key in answer!, answer![key]]).toEqual([true, undefined]);
});

test("chosen columns come in their order, always these and never others", () => {
  const columns = [
    "answer_1_score",
    "attribute_first_name",
    "response_uuid",
    "answer_9",
    "answer_1",
    "platform",
  ];
  const named = response([RATED, SAID], { "first name": "Ada", first_name: "Grace", plan: "pro" });
  for (const one of [named, response([SAID]), response([])]) {
    const [row] = tableOf("selected", columns, one);
    expect(Object.keys(row!)).toEqual(columns);
  }
  expect(tableOf("selected", columns, response([]), named)[1]).toEqual({
    answer_1_score: 5,
    attribute_first_name: "Grace",
    response_uuid: "r1",
    answer_9: null,
    answer_1: "Great",
    platform: null,
  });
});

test("chosen columns are there also if all answers and all attributes are asked for", () => {
  const [row] = tableOf(
    "selected",
    ["attributes", "response_uuid", "answers"],
    response([RATED], { plan: "pro" }),
  );
  expect(Object.keys(row!)).toEqual(["attribute_plan", "response_uuid", ...["answer_1", "answer_1_score"]]);
});

test("Raw as JSON Text has the columns of the stream survey_responses, and no objects", () => {
  const rows = tableOf("text", [], response([RATED], { plan: "pro" }), response([]));
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(Object.keys(surveyResponses.columns));
    expect(Object.values(row).filter((cell) => typeof cell === "object" && cell !== null)).toEqual([]);
  }
  expect(JSON.parse(rows[0]!.answers as string)).toEqual([RATED]);
});

test("a ranking whose labels are omitted is nothing", () => {
  const ranking = [1, 2].map((rank) => ({ id: rank, content: "Price", rank }));
  const treatment = createRecordTreatment({ answer_labels: "omit" }, sha);
  const form = formOf("simplified", [], (message) => expect.fail(message));
  const items = form.itemsOf(
    response([{ question_id: 3, question_type: "ranking", answers: ranking }]),
    treatment,
  );
  expect(form.finish(items)[0]).toHaveProperty("answer_3", null);
});
