import type { INodeParameters } from "n8n-workflow";
import { describe, expect, test } from "vitest";
import { testSandbox } from "../../../../support/sandbox.ts";
import { startEngine } from "../../../support/set-up.ts";

const IDS = Array.from({ length: 250 }, (_, number) => `s${number}`);
const question = (id: number, parts: object) => ({
  id,
  type: "single",
  question: `Question ${id}?`,
  introduction: null,
  answer_choices: [],
  ...parts,
});
const choices = ["Price", "Support; speed"].map((content, id) => ({ id, content }));
const { sandbox, engine, account, messageOf } = await startEngine({
  surveys: [
    ...IDS.map((id) => ({ id, name: `Survey ${id}`, responses: [] })),
    {
      id: "asked",
      name: "Asked",
      type: "WidgetSurvey",
      enabled: false,
      responses: [],
      created_at: "2027-01-01T08:30:00.123456Z",
      questions: [
        question(12, { answer_choices: choices, introduction: "Tell us" }),
        question(7, { type: "matrix", columns: ["Bad", "Good"] }),
        question(9, { type: "form", fields: [{ type: "email", label: "Your email" }] }),
      ],
    },
  ],
});
const withoutLists = await testSandbox({
  dialect: "without_lists",
  apiKey: sandbox.apiKey,
  surveys: [{ id: "asked", responses: [] }],
});

const surveys = (parameters: INodeParameters = {}): INodeParameters => ({
  resource: "survey",
  operation: "getAll",
  ...parameters,
});
const questions = (parameters: INodeParameters = {}): INodeParameters => ({
  resource: "surveyQuestion",
  operation: "getAll",
  surveyId: "asked",
  ...parameters,
});
const itemsOf = async (parameters: INodeParameters, tool = false) =>
  (await engine.run(parameters, { tool })).outputs[0]!.map(({ json }) => json);

describe("surveys", () => {
  test("come newest first, and a limit costs no more requests than its pages", async () => {
    const items = await itemsOf(surveys({ limit: 101 }));
    expect(items.map(({ id }) => id)).toEqual(["asked", ...IDS.toReversed()].slice(0, 101));
    expect(sandbox.service.stats.requests).toBe(2);
    expect(await itemsOf(surveys({ returnAll: true }))).toHaveLength(251);
    expect(await itemsOf(surveys())).toHaveLength(50);
  });

  test("of a name, or a part of it, in any letters", async () => {
    const named = await itemsOf(surveys({ limit: 1, filters: { name: " survey S24" } }));
    expect(named.map(({ id }) => id)).toEqual(["s249"]);
    const all = await itemsOf(surveys({ returnAll: true, filters: { name: "aSk" } }));
    expect(all.map(({ id }) => id)).toEqual(["asked"]);
    expect(await itemsOf(surveys({ returnAll: true, filters: { name: "" } }))).toHaveLength(251);
  });

  test("are flat, with the service's own count of responses", async () => {
    sandbox.service.collect("asked", 3);
    expect(await itemsOf(surveys({ limit: 1 }))).toEqual([
      {
        id: "asked",
        name: "Asked",
        type: "WidgetSurvey",
        created_at: "2027-01-01T08:30:00.123456Z",
        enabled: false,
        responses: 3,
      },
    ]);
  });

  test("have null for a missing text, and nothing for a missing number", async () => {
    const reply = { kind: "items", drop: ["name", "enabled", "responses"] } as const;
    sandbox.service.addFaults({ on: "survey_list", reply });
    const items = await itemsOf(surveys({ returnAll: true }));
    const item = JSON.parse(JSON.stringify(items.find(({ name }) => name === null)));
    expect(Object.keys(item)).toEqual(["id", "name", "type", "created_at"]);
  });

  test("that a page hides are an error, not a shorter list", async () => {
    sandbox.service.addFaults({ on: "survey_list", nth: 2, reply: { kind: "status", status: 404 } });
    expect(await messageOf(surveys({ returnAll: true }))).toEqual([
      "The list of surveys was not found",
      expect.stringMatching(/^Check the ID/),
    ]);
  });
});

describe("the questions of a survey", () => {
  test("are flat, in the order of the survey", async () => {
    const nothing = { introduction: null, choices: null, columns: null, fields: null };
    const of = (id: number, position: number, type: string, parts: object) => ({
      survey_id: "asked",
      id,
      position,
      type,
      question: `Question ${id}?`,
      ...nothing,
      ...parts,
    });
    expect(await itemsOf(questions())).toEqual([
      of(12, 1, "single", { introduction: "Tell us", choices: "Price; Support; speed" }),
      of(7, 2, "matrix", { columns: "Bad; Good" }),
      of(9, 3, "form", { fields: "Your email" }),
    ]);
    expect(sandbox.service.stats.requests).toBe(1);
    expect(await itemsOf(questions({ limit: 2 }))).toHaveLength(2);
  });

  test("of a survey that is not there: it was not found", async () => {
    const [message, description] = await messageOf(questions({ surveyId: "nowhere" }));
    expect(message).toBe('Survey "nowhere" was not found');
    expect(description).toMatch(/^Check the ID, and that the API key belongs/);
  });

  test("that cannot be read to their end are an error", async () => {
    const reply = { kind: "link", to: "/surveys/elsewhere" } as const;
    sandbox.service.addFaults({ on: "survey_questions", reply });
    const { error, outputs } = await engine.run(questions({ returnAll: true }));
    expect([error?.message, outputs]).toEqual([
      'Survey "asked": The service sent a link that was not followed',
      [],
    ]);
  });
});

describe("a service without these lists", () => {
  test.each([
    [
      surveys(),
      "The service has no list of surveys at this address",
      "Check that the credential's Base URL is the service's address up to and including /v2. If the service does not list its surveys, give them by their IDs.",
    ],
    [
      questions(),
      "The service does not list the questions of this survey",
      "They can be seen in the service's web panel.",
    ],
    [questions({ surveyId: "nowhere" }), 'Survey "nowhere" was not found', expect.any(String)],
  ])("is told from a wrong ID: %j", async (parameters, ...said) => {
    account.baseUrl = withoutLists.url;
    expect(await messageOf(parameters)).toEqual(said);
  });
});
