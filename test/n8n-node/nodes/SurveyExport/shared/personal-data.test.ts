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
/** The first one is cut. Sentence ends and quotation marks are where parsing a message goes wrong. */
const BODIES = [
  PERSONAL_DATA.map(({ value }) => value).join(" "),
  `Wilhelmina (${PLANTED.value}) locked. Please try again.`,
  `"${PLANTED.value}" is locked. Run "${PLANTED.value}", or \\"ask\\" ${PLANTED.value}. "`,
  JSON.stringify({ error: `Sorry. ${PLANTED.value} is "locked". Check "it"` }),
  JSON.stringify({ user: PLANTED.value, error: "An unexpected error stopped the request: timeout" }),
];

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

describe("if all kinds are left out, no personal data is in", () => {
  const omitted = { omitPersonalData: KINDS };
  const options = { ...omitted, ...ATTRIBUTES };

  test.each(["simplified", "answers", "raw", "selected"])("responses, as %s", async (output) => {
    for (const respondentAttributes of [false, true]) {
      const parameters = surveyResponses({ ...options, respondentAttributes }, { output });
      const { outputs, error } = await engine.run(parameters);
      expect(error).toBeUndefined();
      expect(outputs[0]!.length).toBeGreaterThanOrEqual(20);
      expect(foundIn(outputs)).toEqual([]);
    }
  });

  test("responses and attributes of a person", async () => {
    for (const [resource, more] of [
      ["respondentResponse", {}],
      ["respondentAttribute", { output: "attribute" }],
      ["respondentAttribute", { output: "person" }],
    ] as const) {
      const { outputs, error } = await engine.run(ofAnna(resource, omitted, more));
      expect(error).toBeUndefined();
      expect(outputs[0]!.length).toBeGreaterThan(0);
      expect(foundIn(outputs)).toEqual([]);
    }
  });

  test("what the trigger hands over, nor in its memory", async () => {
    const memory: IDataObject = {};
    const poll = async (mode: "trigger" | "manual") =>
      await engine.poll({ event: "surveyResponse", surveyIds: "1001", options } as never, memory, { mode });
    await poll("trigger");
    sandbox.service.collect("1001", 3);
    for (const mode of ["trigger", "manual"] as const) {
      const { items } = await poll(mode);
      expect(items!.length).toBeGreaterThan(0);
      expect(foundIn([items, memory])).toEqual([]);
    }
  });

  test("messages and descriptions of errors", async () => {
    const asked = BODIES.flatMap((body, index) => {
      const respondentId = `0000000${index}-0000-4000-8000-000000000000`;
      const ofPerson = { ...ofAnna("respondentResponse", omitted), respondentId };
      return [
        { body, on: `/surveys/x${index}/`, parameters: surveyResponses(options, { surveyId: `x${index}` }) },
        { body, on: `/respondents/${respondentId}/`, parameters: ofPerson },
      ];
    });
    for (const status of [200, 400, 404, 418]) {
      sandbox.service.clearFaults();
      for (const { on, body } of asked) {
        sandbox.service.addFaults({ on, reply: { kind: "status", status, body } });
      }
      const ran = await Promise.all(asked.map(({ parameters }) => engine.run(parameters)));
      for (const { error, hints } of ran) {
        expect(error?.message).toBeTruthy();
        const { message, description, messages } = error!;
        expect(foundIn([message, description, messages, hints])).toEqual([]);
      }
    }
  });

  test.each([...BODIES.entries()])(
    "reports and errors of the trigger, with body %i",
    async (_index, body) => {
      const memory: IDataObject = {};
      const reported: Error[] = [];
      const poll = async (surveyIds: string, mode: "trigger" | "manual" = "trigger") => {
        const parameters = { event: "surveyResponse", surveyIds, options } as never;
        await engine.poll(parameters, memory, { reported, mode }).catch((error) => reported.push(error));
      };
      await poll("1001, 1002");
      for (const [status, surveyIds] of [
        [200, "1001"],
        [400, "1001, 1002"],
        [403, "1001, 1002"],
      ] as const) {
        sandbox.service.clearFaults();
        sandbox.service.addFaults({ on: "/surveys/1001", reply: { kind: "status", status, body } });
        await Promise.all([poll(surveyIds), poll(surveyIds, "manual")]);
      }
      const shown = reported.map((error) => [error.message, (error as NodeApiError).description]);
      expect(shown).toHaveLength(6);
      expect(foundIn([shown, memory, log()])).toEqual([]);
    },
  );

  test("what the trigger remembers of a response that cannot be read", async () => {
    const memory: IDataObject = {};
    const parameters = { event: "surveyResponse", surveyIds: "1001", options } as never;
    await engine.poll(parameters, memory);
    sandbox.service.collect("1001", 1);
    const set = { uuid: PLANTED.value, collected_at: 5 };
    sandbox.service.addFaults({ on: "/surveys/1001", reply: { kind: "items", set } });
    const [first, second] = [await engine.poll(parameters, memory), await engine.poll(parameters, memory)];
    expect(first.reported.map(({ message }) => message)).toEqual([
      "The service sent something that cannot be read",
    ]);
    expect(second.reported).toEqual([]);
    expect(foundIn(memory)).toEqual([]);
  });
});

test.each([...BODIES.entries()])(
  "the list of columns shows no personal data, though the node keeps it, with body %i",
  async (_index, body) => {
    for (const status of [200, 400, 401, 403, 422]) {
      sandbox.service.clearFaults();
      sandbox.service.addFaults({ on: "/surveys/", reply: { kind: "status", status, body } });
      const asked = engine.options("surveyExport", "getColumns", { surveyId: "1001", options: {} });
      const error = await setUp.errorOf(asked);
      expect(error.message).toMatch(/^The service/);
      expect(foundIn([error.message, error.description, error.messages, log()])).toEqual([]);
    }
  },
);

test("without the options everything is there", async () => {
  const { outputs } = await engine.run(surveyResponses(ATTRIBUTES, { output: "raw" }));
  expect(foundIn(outputs).length).toBeGreaterThanOrEqual(PERSONAL_DATA.length);
  sandbox.service.addFaults({ on: "/surveys/", reply: { kind: "status", status: 400, body: BODIES[1]! } });
  const { error } = await engine.run(surveyResponses({}));
  expect(error?.description).toContain(BODIES[1]!);
});

test("values of other types than documented leave only if every kind is kept", async () => {
  const word = PLANTED.value;
  const answers = [
    { question_id: 1, answer: { id: 1, content: [word], comment: { name: word } } },
    ...[{ answer: [word] }, { answers: word }, { fields: [word] }, { action_performed: word }].map(
      (shape, at) => ({
        question_id: 2 + at,
        ...shape,
      }),
    ),
  ];
  const set = {
    url: { href: word },
    platform: [word],
    answers,
    attributes: [{ name: "plan", value: [word] }],
  };
  sandbox.service.addFaults({ on: "/surveys/", reply: { kind: "items", which: "every", set } });
  for (const output of ["simplified", "answers", "raw"]) {
    const found = async (options: IDataObject) => {
      const { outputs, error } = await engine.run(surveyResponses(options, { output }));
      expect(error).toBeUndefined();
      return JSON.stringify(outputs).includes(word);
    };
    expect([output, await found({})]).toEqual([output, true]);
    for (const kind of KINDS)
      expect([output, kind, await found({ omitPersonalData: [kind] })]).toContain(false);
  }
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
