import type { IDataObject, INodeParameters, NodeApiError } from "n8n-workflow";
import { describe, expect, test } from "vitest";
import { PERSONAL_DATA } from "../../../../../sandbox/index.ts";
import { surveyOf } from "../../../../support/sandbox.ts";
import * as setUp from "../../../support/set-up.ts";

const KINDS = [
  "contact_fields",
  "free_text",
  "answer_labels",
  "attribute_values",
  "url_query",
  "url",
  "respondent_identifiers",
];
const ATTRIBUTES = { attributeNames: "contact email, contact name, contact phone, notes" };
const PLANTED = PERSONAL_DATA.find(({ kind }) => kind === "email")!;
const BODY = `"${PLANTED.value}" is locked. Run "${PLANTED.value}", or ask ${PLANTED.value}.`;
const quoting = { on: "/surveys/", reply: { kind: "status", status: 400, body: BODY } } as const;
const shownOf = ({ message, description, messages }: NodeApiError) => [message, description, messages];

const { sandbox, engine } = await setUp.startEngine({
  personalData: true,
  surveys: [surveyOf("1001", 20, { seed: 11, respondents: 5 }), { id: "1002", responses: [] }],
});
const log = setUp.spyOnLog(engine);
const anna = [...sandbox.service.truth.respondents("1001")][0]!;

/** What of the planted data, and of the respondents' identifiers, a text holds. */
function foundIn(value: unknown): string[] {
  const text = JSON.stringify(value) ?? "";
  const planted = PERSONAL_DATA.filter(({ spellings }) => spellings.some((each) => text.includes(each)));
  const respondents = [...sandbox.service.truth.respondents("1001")].filter((uuid) => text.includes(uuid));
  return [...planted.map(({ place }) => place), ...respondents];
}

const surveyResponses = (options: IDataObject, more: INodeParameters = {}): INodeParameters =>
  setUp.ofSurvey({ returnAll: true, options, ...more } as never);
const ofAnna = (resource: "respondentResponse" | "respondentAttribute", options: IDataObject, more = {}) =>
  setUp.ofPerson(resource, anna, { returnAll: true, options, ...more } as never);

/* What belongs to each kind, and every way in which it could show, is tested in the core. */
describe("if all kinds are left out, no personal data is in", () => {
  const options = { omitPersonalData: KINDS, ...ATTRIBUTES };

  test.each(["simplified", "answers", "raw", "selected"])("responses, as %s", async (output) => {
    const parameters = surveyResponses({ ...options, respondentAttributes: true }, { output });
    const { outputs, error } = await engine.run(parameters);
    expect(error).toBeUndefined();
    expect(outputs[0]!.length).toBeGreaterThanOrEqual(20);
    expect(foundIn(outputs)).toEqual([]);
  });

  test("responses and attributes of a person", async () => {
    for (const resource of ["respondentResponse", "respondentAttribute"] as const) {
      const { outputs } = await engine.run(ofAnna(resource, { omitPersonalData: KINDS }));
      expect(outputs[0]!.length).toBeGreaterThan(0);
      expect(foundIn(outputs)).toEqual([]);
    }
  });

  test("what the trigger hands over, remembers and reports", async () => {
    const memory: IDataObject = {};
    const poll = (mode: "trigger" | "manual") =>
      engine.poll({ event: "surveyResponse", surveyIds: "1001", options } as never, memory, { mode });
    await poll("trigger");
    sandbox.service.collect("1001", 3);
    for (const mode of ["trigger", "manual"] as const) {
      const { items } = await poll(mode);
      expect(items!.length).toBeGreaterThan(0);
      expect(foundIn([items, memory])).toEqual([]);
    }
    sandbox.service.addFaults(quoting);
    const { reported } = await poll("trigger");
    expect(reported).toHaveLength(1);
    expect(foundIn([shownOf(reported[0] as NodeApiError), memory, log()])).toEqual([]);
  });

  test("messages and descriptions of errors", async () => {
    sandbox.service.addFaults(quoting);
    const { error } = await engine.run(surveyResponses(options));
    expect(error?.message).toBeTruthy();
    expect(foundIn(shownOf(error!))).toEqual([]);
  });
});

test("the list of columns quotes no personal data, though the node keeps it", async () => {
  sandbox.service.addFaults(quoting);
  const error = await setUp.errorOf(engine.options("surveyExport", "getColumns", { surveyId: "1001" }));
  expect(foundIn([shownOf(error), log()])).toEqual([]);
});

test("without the options everything is there", async () => {
  const { outputs } = await engine.run(surveyResponses(ATTRIBUTES, { output: "raw" }));
  expect(foundIn(outputs).length).toBeGreaterThanOrEqual(PERSONAL_DATA.length);
  sandbox.service.addFaults(quoting);
  const { error } = await engine.run(surveyResponses({}));
  expect(error?.description).toContain(PLANTED.value);
});

test("a kind that is not known is an error, since its data would leave", async () => {
  const { error } = await engine.run(surveyResponses({ omitPersonalData: ["free-text"] }));
  expect(error?.message).toBe('"Omit Personal Data" holds a kind that is not known');
});

test("each incoming item has its own options, also for messages", async () => {
  const options = { omitPersonalData: "={{ $json.omit }}" };
  const input = [{ omit: [] }, { omit: ["respondent_identifiers"] }];
  const parameters = { ...surveyResponses({}), returnAll: false, limit: 1, options };
  const { outputs } = await engine.run(parameters, { input });
  const [open, treated] = outputs[0]!.map(({ json }) => json.respondent_uuid);
  expect([typeof open, treated]).toEqual(["string", null]);

  sandbox.service.addFaults({ on: "/respondents/", reply: { kind: "status", status: 404 } });
  const ofNobody = { ...ofAnna("respondentResponse", {}), options };
  const failed = await engine.run(ofNobody, { input, onError: "continueRegularOutput" });
  const messages = failed.outputs[0]!.map(({ json }) => String(json.error));
  expect(messages.map((message) => message.includes(anna))).toEqual([true, false]);
});

test("an expression that gives no kinds at all is an error, since the data would leave", async () => {
  const { error } = await engine.run(surveyResponses({ omitPersonalData: "={{ $json.missing }}" }));
  expect(error?.message).toBe('"Omit Personal Data" has no value');
});
