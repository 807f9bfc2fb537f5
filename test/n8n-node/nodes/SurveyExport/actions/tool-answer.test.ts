import type { INodeParameters } from "n8n-workflow";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { ofSurvey, startEngine, surveys, uuidsOf } from "../../../support/set-up.ts";

const { sandbox, engine, account, newestFirst } = await startEngine({ surveys: surveys(1_250) });

describe("as a tool of an agent", () => {
  const called = (parameters: INodeParameters) => engine.run(ofSurvey(parameters), { tool: true });

  test("what the model leaves out by an empty text or null is not set", async () => {
    const filters = { collectedAfter: "={{ '' }}", collectedBefore: "={{ null }}" };
    const { outputs, error } = await called({
      limit: "={{ '' }}",
      output: "selected",
      fields: ["response_uuid"],
      filters,
    });
    expect([error?.message, outputs[0]?.length]).toEqual([undefined, 50]);
  });

  test("a long one is cut, says so and how to ask for less", async () => {
    const { outputs } = await called({ limit: 500 });
    expect(JSON.stringify(outputs[0]!.map(({ json }) => json)).length).toBeLessThan(62_000);
    const shown = outputs[0]!.length - 1;
    expect(uuidsOf(outputs[0]!.slice(0, -1))).toEqual(
      newestFirst()
        .slice(0, shown)
        .map(({ uuid }) => uuid),
    );
    expect(outputs[0]!.at(-1)!.json.note).toBe(
      `This answer is not complete: it holds the first ${shown} items. To see the others, ask again for fewer results: with a lower limit or a shorter time, if this tool has arguments for them.`,
    );
    expect(sandbox.service.stats.requests).toBeLessThanOrEqual(5);
  });
});

describe("a tool's answer is complete or says that it is not", () => {
  const PERSON = "11111111-1111-4111-8111-111111111111";
  const answers = (count: number, text = "x") =>
    Array.from({ length: count }, (_, index) => ({
      question_id: 1000 + index,
      question_type: "single",
      answer: text,
    }));
  const at = (second: number) =>
    new Date(Date.UTC(2026, 6, 1) + second * 1_000).toISOString().replace("Z", "000Z");
  let other: Sandbox;
  beforeEach(async () => {
    const respondents = [{ uuid: PERSON, attributes: [{ name: "notes", value: "x".repeat(70_000) }] }];
    const survey = { id: "7", type: "WidgetSurvey" as const, name: "Seven", responses: [] };
    other = await startSandbox({ surveys: [survey], respondents, limits: false });
    Object.assign(account, { baseUrl: other.url, apiKey: other.apiKey });
  });
  afterEach(() => other.close());
  /** The tool's answer: its items without the note, the note, and the length of all. */
  const called = async (parameters: INodeParameters) => {
    const { outputs } = await engine.run(ofSurvey({ surveyId: "7", returnAll: true, ...parameters }), {
      tool: true,
    });
    const items = outputs[0]!.map(({ json }) => json);
    const note = items.at(-1)?.note;
    return {
      count: note === undefined ? items.length : items.length - 1,
      note,
      length: JSON.stringify(items).length,
    };
  };

  test("600 responses give fewer items than 500: it is marked as not complete", async () => {
    const fields = (second: number) => ({ answers: second % 5 === 0 ? answers(1) : [] });
    other.service.collect(
      "7",
      Array.from({ length: 600 }, (_, second) => ({ collected_at: at(second), fields: fields(second) })),
    );
    expect(await called({ output: "answers" })).toMatchObject({
      count: 100,
      note: expect.stringContaining("not complete"),
    });
  });

  test("60 responses give 120 items and all are there: there is no note", async () => {
    other.service.collect(
      "7",
      Array.from({ length: 60 }, (_, second) => ({
        collected_at: at(second),
        fields: { answers: answers(2) },
      })),
    );
    const { note, count } = await called({ output: "answers" });
    expect([note, count]).toEqual([undefined, 120]);
  });

  test("one item that is longer than an answer may be is not given", async () => {
    other.service.collect("7", [
      { collected_at: at(1), fields: { answers: answers(1, "x".repeat(70_000)) } },
    ]);
    const { count, note, length } = await called({});
    expect([count, length < 60_000]).toEqual([0, true]);
    expect(note).toMatch(/^This answer is not complete: the first item alone is too long for it\./);
  });

  test("it has no nulls and no empty columns", async () => {
    const nps = { question_id: 1, answer: { content: "9", tag: "promoter", comment: null } };
    other.service.collect("7", [
      { collected_at: at(1), fields: { answers: [nps] } },
      { collected_at: at(2), fields: { answers: answers(1), url: null } },
    ]);
    for (const output of ["simplified", "answers", "raw"]) {
      const { outputs } = await engine.run(ofSurvey({ surveyId: "7", output }), { tool: true });
      expect(outputs[0]).toHaveLength(2);
      expect(JSON.stringify(outputs[0]!.map(({ json }) => json))).not.toContain("null");
    }
  });
});

test("the error of a tool says what to change in its message, which is all that an agent sees", async () => {
  const failed = (tool: boolean, parameters: INodeParameters = {}) =>
    engine.run(ofSurvey({ surveyId: "9999", ...parameters }), { tool }).then(
      ({ error }) => String(error?.message),
      (thrown: Error) => thrown.message,
    );
  expect(await failed(true)).toBe(
    'Survey "9999" was not found: Check the ID. Tell the user to check the credential of this tool.',
  );
  expect(await failed(false)).toBe('Survey "9999" was not found');
  expect(await failed(true, { limit: "={{ 'all' }}" })).toBe(
    '"Limit" is not a whole number above 0: Give a whole number, such as 50.',
  );
  const messages: string[] = [];
  for (const change of [{ baseUrl: "http://127.0.0.1:9/v2" }, { baseUrl: "" }, { apiKey: "" }]) {
    Object.assign(account, { baseUrl: sandbox.url, apiKey: sandbox.apiKey }, change);
    messages.push(await failed(true));
  }
  Object.assign(account, { baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  for (const reply of ["no_data", "link_absolute"] as const) {
    sandbox.service.clearFaults();
    sandbox.service.addFaults({ on: "survey_responses", reply });
    messages.push(await failed(true, { surveyId: "1001", limit: 250 }));
  }
  for (const message of messages) {
    expect(message).not.toMatch(/Base URL|Return All/);
    expect(message).toContain("Tell the user to check the credential of this tool.");
  }
}, 60_000);
