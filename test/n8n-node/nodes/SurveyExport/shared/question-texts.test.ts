import type { IDataObject, INodeParameters } from "n8n-workflow";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { SandboxOptions } from "../../../../../sandbox/index.ts";
import { at, ofRespondent, ofSurvey, startEngine } from "../../../support/set-up.ts";

const RESPONDENT = "11111111-1111-4111-8111-111111111111";
const asked = (id: number, question: string) => ({
  id,
  type: "single",
  question,
  introduction: null,
  answer_choices: [],
});
const said = (question_id: number) => ({ question_id, question_type: "single", answer: "Fine" });
const options = {
  surveys: [
    { id: "7", questions: [asked(71, "Would you recommend us?"), asked(72, " \n ")], responses: [] },
    {
      id: "8",
      questions: [asked(81, "What\n should we\tknow? "), asked(82, "would you recommend us?")],
      responses: [],
    },
  ],
} satisfies SandboxOptions;
const { sandbox, engine } = await startEngine(options);
for (const [index, surveyId] of ["7", "8"].entries()) {
  const answers = [1, 2, 3].map((number) => said(10 * Number(surveyId) + number));
  const more = { respondent_uuid: RESPONDENT, fields: { answers } };
  sandbox.service.collect(surveyId, [{ collected_at: at(index), ...more }]);
}

const warnings: string[] = [];
beforeEach(() => {
  const warn = vi.spyOn(engine.logger, "warn").mockImplementation((message) => void warnings.push(message));
  return () => warn.mockRestore();
});
afterEach(() => warnings.splice(0));

const asRows = { output: "answers" };
const asColumns = { output: "columns" };
const ofBoth = (parameters: INodeParameters) => ofSurvey({ surveyId: "={{ $json.id }}", ...parameters });
const run = async (parameters: INodeParameters, ids: readonly string[] = ["7"]) => {
  const { outputs, hints, error } = await engine.run(parameters, { input: ids.map((id) => ({ id })) });
  expect(error).toBeUndefined();
  return { items: outputs[0]!.map(({ json }) => json), hints };
};
const questionsIn = (items: readonly IDataObject[]) => items.map(({ question }) => question);
const requests = () => sandbox.service.stats.byEndpoint.survey_questions ?? 0;

test("each answer has its question on one line, or null for one that is not listed or has no text", async () => {
  const { items } = await run(ofBoth(asRows), ["7", "8"]);
  expect(questionsIn(items)).toEqual([
    ...["Would you recommend us?", null, null],
    ...["What should we know?", "would you recommend us?", null],
  ]);
});

test("the questions of each survey are asked for once in an execution, and only if the output shows them", async () => {
  await run(ofBoth(asRows), ["7", "8", "7", "8", "7"]);
  expect(requests()).toBe(2);
  await run(ofRespondent("respondentResponse", RESPONDENT, asRows));
  expect(requests()).toBe(4);
  await run(ofBoth({ output: "raw" }), ["7"]);
  await run(ofRespondent("respondentAttribute", RESPONDENT));
  expect(requests()).toBe(4);
});

test("responses to several surveys have the questions of their own", async () => {
  const { items } = await run(ofBoth({}), ["7", "8"]);
  expect(items.map(({ answers_text }) => String(answers_text).split("\n"))).toEqual([
    ["Would you recommend us?: Fine", "Question 72: Fine", "Question 73: Fine"],
    ["What should we know?: Fine", "would you recommend us?: Fine", "Question 83: Fine"],
  ]);
  const { items: rows } = await run(ofBoth(asColumns), ["7", "8"]);
  expect(rows.map(({ questions }) => questions)).toEqual([
    "answer_71: Would you recommend us?",
    "answer_81: What should we know?\nanswer_82: would you recommend us?",
  ]);
});

test("columns of a respondent's responses lack those of other surveys", async () => {
  const { items } = await run(ofRespondent("respondentResponse", RESPONDENT, asColumns));
  const names = items.map((item) => Object.keys(JSON.parse(JSON.stringify(item))));
  expect(names.map((ofItem) => ofItem.filter((name) => name.startsWith("answer_")))).toEqual([
    ["answer_81", "answer_82", "answer_83"],
    ["answer_71", "answer_72", "answer_73"],
  ]);
});

describe("questions that cannot be read", () => {
  test("keep a run waiting once, however many surveys it has", async () => {
    const ids = Array.from({ length: 12 }, (_, number) => `silent-${number}`);
    for (const id of ids) {
      sandbox.service.addSurvey({ id, responses: [], questions: [] });
      sandbox.service.collect(id, [{ collected_at: at(1), fields: { answers: [said(1)] } }]);
    }
    sandbox.service.addFaults({ on: "survey_questions", reply: { kind: "delay", ms: 60_000 } });
    const { timeout } = AbortSignal;
    const shorter = vi
      .spyOn(AbortSignal, "timeout")
      .mockImplementation((ms) => timeout.call(AbortSignal, ms === 60_000 ? 500 : ms));
    const { items } = await run(ofBoth(asRows), ids);
    shorter.mockRestore();
    expect(questionsIn(items)).toEqual(ids.map(() => null));
    const paths = Object.keys(sandbox.service.stats.byPath);
    expect(paths.filter((path) => path.endsWith("/questions")).length).toBeLessThan(8);
  });

  const reason = "could not be read, so the output does not show their texts.";

  test.each([
    [404, "The service does not list them."],
    [403, "The service refuses access with this API key"],
  ])("with status %i cost only their texts, and the log and a hint say so", async (status, why) => {
    sandbox.service.addFaults({ on: "/surveys/7/questions", reply: { kind: "status", status } });
    const { items, hints } = await run(ofBoth(asRows), ["7", "8", "7"]);
    expect(questionsIn(items).filter((question) => question !== null)).toHaveLength(2);
    const sentence = expect.stringContaining(`The questions of survey "7" ${reason} ${why}`);
    expect(warnings.filter((message) => message.includes(reason))).toEqual([sentence]);
    expect(hints).toEqual([sentence]);
  });
});

describe("the trigger", () => {
  const watched = { surveys: ["7", "8"] };
  const collected = async (parameters: INodeParameters, options = {}) => {
    const memory = {};
    engine.nodeId = crypto.randomUUID();
    sandbox.service.resetStats();
    await engine.poll({ ...watched, ...parameters }, memory);
    expect(requests()).toBe(0);
    const uuids = sandbox.service.collect("7", [{ collected_at: at(60), fields: { answers: [said(71)] } }]);
    const { items, reported } = await engine.poll({ ...watched, ...parameters }, memory, options);
    sandbox.service.remove({ responses: uuids });
    expect(reported).toEqual([]);
    return items?.map(({ json }) => json) ?? [];
  };

  test("shows them too, and asks for those of the surveys with something new", async () => {
    for (const watch of ["selected", "all"]) {
      expect(questionsIn(await collected({ watch, ...asRows }))).toEqual(["Would you recommend us?"]);
      expect(requests()).toBe(1);
    }
    await collected({ output: "raw" });
    expect(requests()).toBe(0);
  });

  test("hands over the same names while the questions cannot be read", async () => {
    for (const output of ["simplified", "columns", "answers"]) {
      const [readable] = await collected({ output });
      sandbox.service.addFaults({ on: "survey_questions", reply: { kind: "status", status: 403 } });
      const [item] = await collected({ output });
      sandbox.service.clearFaults();
      expect(Object.keys(item!)).toEqual(Object.keys(readable!));
      const shown = JSON.stringify(item);
      const asked = "Would you recommend us?";
      expect([JSON.stringify(readable).includes(asked), shown.includes(asked)]).toEqual([true, false]);
      expect(shown).toContain("Fine");
    }
    expect(warnings).toContainEqual(expect.stringContaining('The questions of survey "7" could not be read'));
  });

  test("hands over all responses without them if the time of the poll is over", async () => {
    sandbox.service.addFaults({ on: "survey_questions", reply: { kind: "delay", ms: 60_000 } });
    expect(questionsIn(await collected(asRows, { budgetMs: 5_000 }))).toEqual([null]);
    expect(warnings).toContainEqual(expect.stringContaining("no complete response within 0.9 s"));
    // Not the minute that an execution would wait.
  }, 40_000);
});
