import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FIELDS } from "@survey-export/core";
import { loadOutputSchema } from "n8n-core";
import type { IDataObject, INodeParameters } from "n8n-workflow";
import { describe, expect, test } from "vitest";
import * as setUp from "../../../support/set-up.ts";

const PERSON = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";

/** All nine shapes of the service, and a null. */
const ALL_SHAPES = [
  { question_id: 1001, question_type: "single", answer: { id: 7, content: "Good value", comment: "so far" } },
  {
    question_id: 1002,
    question_type: "multiple",
    answers: [
      { id: 1, content: "Price", comment: null },
      { id: 2, content: "Design", comment: "the new one" },
    ],
  },
  { question_id: 1003, question_type: "csat", answer: { id: 3, content: "Great", rating: 5 } },
  {
    question_id: 1004,
    question_type: "single",
    fields: [
      { type: "email", content: "ada@example.com" },
      { type: "phone", content: "" },
    ],
  },
  { question_id: 1005, question_type: "single", answer: "as it was written" },
  { question_id: 1006, question_type: "numerical_scale", answer: { content: "0", tag: "detractor" } },
  {
    question_id: 1007,
    question_type: "single",
    answers: [
      { id: 1, content: "Price", score: "Good" },
      { id: 2, content: "Support", score: "Bad" },
    ],
  },
  {
    question_id: 1008,
    question_type: "ranking",
    answers: [
      { id: 1, content: "Price", rank: 2 },
      { id: 2, content: "Support", rank: 1 },
    ],
  },
  { question_id: 1009, question_type: "single", action_performed: true },
  null,
];

const { sandbox, engine } = await setUp.startEngine({
  surveys: [{ id: "7", type: "WidgetSurvey", name: "Pricing page", responses: [] }],
  respondents: [
    {
      uuid: PERSON,
      attributes: [
        { name: "plan", value: "pro" },
        { name: "company size", value: "10" },
      ],
    },
    { uuid: OTHER, attributes: [{ name: "部署", value: "営業" }] },
  ],
});
sandbox.service.collect("7", [
  {
    collected_at: "2026-07-01T00:00:00.000000Z",
    uuid: "a",
    respondent_uuid: PERSON,
    fields: { answers: ALL_SHAPES },
  },
  {
    collected_at: "2026-07-01T00:00:01.000000Z",
    uuid: "b",
    respondent_uuid: OTHER,
    fields: {
      answers: [{ question_id: 1003, question_type: "csat", answer: { content: "Poor", rating: 1 } }],
    },
  },
]);

const ofSurvey = (parameters: INodeParameters = {}) => setUp.ofSurvey({ surveyId: "7", ...parameters });
async function run(parameters: INodeParameters): Promise<IDataObject[]> {
  const { outputs, error } = await engine.run(parameters);
  if (error) throw error;
  return outputs[0]!.map(({ json }) => json);
}
const isPrimitive = (value: unknown) => value === null || typeof value !== "object";
const FIXED_COLUMNS = [...FIELDS, "operating_system", "platform", "survey_type", "answers", "attributes"];

describe("Simplified", () => {
  test("has typed columns for each question, and the same ones in every item", async () => {
    const [newer, older] = await run(ofSurvey());
    expect(older).toMatchObject({
      response_uuid: "a",
      survey_id: "7",
      survey_name: "Pricing page",
      respondent_uuid: PERSON,
      answer_1001: "Good value",
      answer_1001_comment: "so far",
      answer_1002: "Price; Design",
      answer_1002_comment: "the new one",
      answer_1003: "Great",
      answer_1003_score: 5,
      answer_1004: "email: ada@example.com",
      answer_1005: "as it was written",
      answer_1006: "0",
      answer_1006_score: 0,
      answer_1006_tag: "detractor",
      answer_1007: "Price: Good; Support: Bad",
      answer_1008: "1. Support; 2. Price",
      answer_1009: "Yes",
    });
    expect(newer).toMatchObject({ answer_1003: "Poor", answer_1003_score: 1, answer_1001: null });
    expect(Object.keys(newer!)).toEqual(Object.keys(older!));
    // n8n's filters take null for the number 0.
    expect([newer!.answer_1006_score, newer!.answer_1006]).toEqual([undefined, null]);
    expect([newer, older].every((item) => Object.values(item!).every(isPrimitive))).toBe(true);
    const names = Object.keys(older!);
    expect(names.filter((name) => !/^[a-z][a-z0-9_]{0,62}$/.test(name))).toEqual([]);
    expect(names).not.toContain("id");
  });

  test("has a column for each attribute, with a name that a database takes", async () => {
    const [newer, older] = await run(ofSurvey({ options: { respondentAttributes: true } }));
    const columns = Object.keys(older!).filter((name) => name.startsWith("attribute_"));
    expect(columns.slice(0, 2)).toEqual(["attribute_company_size", "attribute_plan"]);
    expect(columns[2]).toMatch(/^attribute_[0-9a-f]{8}$/);
    expect(older).toMatchObject({ attribute_plan: "pro", attribute_company_size: "10" });
    expect(newer).toMatchObject({ attribute_plan: undefined, [columns[2]!]: "営業" });
  });
});

test("One Item per Answer has the columns of the stream survey_answers", async () => {
  const rows = await run(ofSurvey({ output: "answers" }));
  expect(Object.keys(rows[0]!)).toEqual([
    "response_uuid",
    "collected_at",
    "survey_id",
    "survey_name",
    "respondent_uuid",
    "question_id",
    "question_type",
    "position",
    "answer_type",
    "answer_id",
    "label",
    "value_text",
    "value_number",
    "value_boolean",
    "comment",
    "nps_tag",
    "additional_fields",
  ]);
  expect(rows.filter(({ response_uuid }) => response_uuid === "a")).toHaveLength(13);
  expect(rows.find(({ question_id }) => question_id === 1006)).toMatchObject({
    answer_type: "nps",
    value_number: 0,
    nps_tag: "detractor",
  });
  const { outputs } = await engine.run(ofSurvey({ output: "answers" }));
  expect(outputs[0]!.every(({ pairedItem }) => (pairedItem as { item: number }).item === 0)).toBe(true);
});

test("One Item per Answer writes what no other column holds as JSON text, for tables that take no objects", async () => {
  const answers = [{ question_id: 1001, question_type: "single", surprise: { of: [1] } }];
  sandbox.service.addFaults({
    on: "survey_responses",
    reply: { kind: "items", which: "every", set: { answers } },
  });
  const [row] = await run(ofSurvey({ output: "answers" }));
  expect(JSON.parse(row!.additional_fields as string)).toEqual({ surprise: { of: [1] } });
});

test("Raw has all fields as the service gives them", async () => {
  const [, older] = await run(ofSurvey({ output: "raw" }));
  expect(older).toMatchObject({ uuid: "a", answers: ALL_SHAPES.filter((answer) => answer !== null) });
  expect(older).toHaveProperty("operating_system");
});

test("Selected Fields has these and no others", async () => {
  const fields = ["response_uuid", "platform"];
  const some = await run(ofSurvey({ output: "selected", fields }));
  expect(some.map((item) => Object.keys(item).sort())).toEqual([fields.toSorted(), fields.toSorted()]);
  const [withAnswers] = await run(ofSurvey({ output: "selected", fields: ["response_uuid", "answers"] }));
  expect(withAnswers).toHaveProperty("answer_1003_score", 1);
});

test("Selected Fields are read for each item; the columns are those of the run", async () => {
  const parameters = ofSurvey({ limit: 1, output: "selected", fields: "={{ $json.fields }}" });
  const input = [{ fields: ["response_uuid"] }, { fields: ["response_uuid", "survey_id"] }];
  const { outputs } = await engine.run(parameters, { input });
  expect(outputs[0]!.map(({ json }) => json)).toEqual([
    { response_uuid: "b", survey_id: null },
    { response_uuid: "b", survey_id: "7" },
  ]);
});

describe("the list of columns to choose from, before the first run", () => {
  const listed = async (...asked: Parameters<typeof engine.options>) =>
    (await engine.options(...asked)).map(({ value }) => value);

  test("has those of the newest responses, with the attributes that the node asks for", async () => {
    const all = await listed("surveyExport", "getColumns", {
      surveyId: "7",
      options: { respondentAttributes: true },
    });
    const [item] = await run(ofSurvey({ options: { respondentAttributes: true } }));
    expect(new Set(all)).toEqual(new Set([...FIXED_COLUMNS, ...Object.keys(item!)]));
    const selected = await run(ofSurvey({ output: "selected", fields: ["answer_1003", "response_uuid"] }));
    expect(selected).toEqual([
      { answer_1003: "Poor", response_uuid: "b" },
      { answer_1003: "Great", response_uuid: "a" },
    ]);
  });

  test("is the same for the trigger, and follows the person of a person's responses", async () => {
    const survey = await listed("surveyExport", "getColumns", { surveyId: "7" });
    expect(survey).toContain("answer_1003_score");
    expect(await listed("surveyExportTrigger", "getColumns", { surveyIds: " 7, 7" })).toEqual(survey);
    const ofOther = { resource: "respondentResponse", respondentId: OTHER };
    expect((await listed("surveyExport", "getColumns", ofOther)).slice(FIXED_COLUMNS.length)).toEqual([
      "answer_1003",
      "answer_1003_score",
    ]);
  });

  test("asks nothing for an ID that an expression gives, and says what is wrong with another", async () => {
    const before = sandbox.service.stats.requests;
    const byExpression = {
      surveyIds: "={{ [$json.one, $json.other] }}",
      options: { attributeNames: "={{ $json.names }}", respondentAttributes: "={{ $json.all }}" },
    };
    expect(await listed("surveyExport", "getColumns", byExpression)).toEqual(FIXED_COLUMNS);
    expect(sandbox.service.stats.requests).toBe(before);
    await expect(engine.options("surveyExport", "getColumns", { surveyId: "9" })).rejects.toThrow(
      `"9" was not found`,
    );
    await expect(engine.options("surveyExport", "getColumns", { surveyId: "a/b" })).rejects.toThrow(
      `"Survey ID" is not an ID`,
    );
  });
});

describe("a person's attributes", () => {
  const ofPerson = (parameters: INodeParameters = {}) =>
    setUp.ofPerson("respondentAttribute", PERSON, parameters);

  test("come one by one, and leave the name id to a Data Table", async () => {
    const items = await run(ofPerson());
    expect(items.map((item) => Object.keys(item))).toEqual(
      items.map(() => ["respondent_uuid", "attribute_id", "name", "value"]),
    );
    expect(items.map(({ name }) => name)).toEqual(["company size", "plan"]);
  });

  test("come as columns of one item for each person", async () => {
    const { outputs } = await engine.run(
      ofPerson({ output: "person", respondentId: "={{ $json.person }}" }),
      { input: [{ person: PERSON }, { person: OTHER }] },
    );
    const [one, other] = outputs[0]!.map(({ json }) => json);
    expect(one).toMatchObject({ respondent_uuid: PERSON, attribute_plan: "pro" });
    expect(Object.keys(other!)).toEqual(Object.keys(one!));
    expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
  });

  test("can be added to their responses", async () => {
    const options = { respondentAttributes: true };
    const [response] = await run(setUp.ofPerson("respondentResponse", PERSON, { options }));
    expect(response).toMatchObject({ response_uuid: "a", attribute_plan: "pro" });
  });
});

test("a null among answers and attributes fails nothing", async () => {
  sandbox.service.addFaults({
    on: "survey_responses",
    reply: { kind: "items", which: "every", set: { answers: [null], attributes: [null] } },
  });
  const items = await run(ofSurvey());
  expect(items).toHaveLength(2);
});

test("n8n finds the schema, and its fields are in the items", async () => {
  const nodeDir = join(import.meta.dirname, "../../../../../n8n-node/nodes/SurveyExport");
  const schemaOf = (resource: string) =>
    loadOutputSchema({ nodeDir, version: 1, resource, operation: "getAll" });
  const items = {
    surveyResponse: await run(ofSurvey()),
    respondentResponse: await run(setUp.ofPerson("respondentResponse", PERSON)),
    respondentAttribute: await run(setUp.ofPerson("respondentAttribute", PERSON)),
  };
  for (const [resource, [item]] of Object.entries(items)) {
    const fields = Object.keys(schemaOf(resource)!.properties as object);
    expect(Object.keys(item!)).toEqual(expect.arrayContaining(fields));
  }
  const trigger = { surveyIds: "7", event: "surveyResponse" };
  const { items: example } = await engine.poll(trigger, {}, { mode: "manual" });
  const path = join(nodeDir, "__schema__", "v1.0.0.json");
  const fields = Object.keys(JSON.parse(readFileSync(path, "utf8")).properties);
  expect(Object.keys(example![0]!.json)).toEqual(expect.arrayContaining(fields));
});

test("the trigger gives the same outputs", async () => {
  const fields = "answer_1003_score, response_uuid, attribute_plan, answer_1001";
  for (const output of ["simplified", "answers", "raw", "text", "selected"]) {
    const { items } = await engine.poll(
      { surveyIds: "7", event: "surveyResponse", output, fields },
      {},
      { mode: "manual" },
    );
    const [newest] = await run(ofSurvey({ limit: 1, output, fields }));
    expect(items![0]!.json).toEqual(newest);
  }
});
