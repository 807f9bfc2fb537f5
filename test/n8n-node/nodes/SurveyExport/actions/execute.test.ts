import { setTimeout as sleep } from "node:timers/promises";
import type { INodeParameters } from "n8n-workflow";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest, testSandbox } from "../../../../support/sandbox.ts";
import { at, ofSurvey, startEngine, surveys, uuidsOf } from "../../../support/set-up.ts";

const { sandbox, engine, account, messageOf, newestFirst } = await startEngine({ surveys: surveys(1_250) });
const other = await testSandbox({
  surveys: [...surveys(20), { id: "7", name: "Seven", responses: [] }],
  apiKey: "key-of-the-other",
  limits: false,
});

describe("several items", () => {
  const byItem = ofSurvey({ surveyId: "={{ $json.survey }}", limit: 2 });

  test("each has its own limit, and every output names the item it came from", async () => {
    const { outputs } = await engine.run(byItem, { input: Array(7).fill({ survey: "1001" }) });
    expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6].map((item) => ({ item })),
    );
    expect(sandbox.service.stats.tooManyConcurrent).toBe(0);
    // Those that are read at once ask for the names, and those after them know them.
    expect(sandbox.service.stats.byEndpoint.survey_list).toBeLessThanOrEqual(5);
  });

  test("the first of several that cannot be read is named, also if it takes longest", async () => {
    sandbox.service.addFaults({ on: "surveys/late", reply: { kind: "delay", ms: 300 } });
    const late = [{ survey: "1001" }, { survey: "late" }, ...Array(9).fill({ survey: "nowhere" })];
    const { error } = await engine.run(byItem, { input: late });
    expect([error?.message, error?.context.itemIndex]).toEqual(['Survey "late" was not found [item 1]', 1]);
    const asked = Object.keys(sandbox.service.stats.byPath).filter((path) => path.includes("nowhere"));
    expect(asked).toHaveLength(1);
  });

  test("a survey that was chosen from the list is named as there, and may have been deleted", async () => {
    const surveyId = { __rl: true, mode: "list", value: "gone", cachedResultName: "Onboarding" };
    expect(await messageOf(ofSurvey({ surveyId }))).toEqual([
      'Survey "Onboarding (gone)" was not found',
      "The survey may have been deleted: then remove it from this node. If it still exists, check that the API key belongs to its workspace.",
    ]);
  });

  test("set to go on, it becomes its input with advice, or goes to the error output so, paired", async () => {
    const input = Array.from({ length: 10 }, (_, item) => ({ survey: item === 1 ? "nowhere" : "1001" }));
    const items = async (onError: "continueRegularOutput" | "continueErrorOutput") => {
      const { outputs } = await engine.run(byItem, { input, onError });
      return outputs.map((output) =>
        output.map(({ pairedItem, json }) => [pairedItem, json.survey, json.error]),
      );
    };
    const read = [0, 0, ...[2, 3, 4, 5, 6, 7, 8, 9].flatMap((item) => [item, item])].map((item) => [
      { item },
      undefined,
      undefined,
    ]);
    const failed = [
      { item: 1 },
      "nowhere",
      expect.stringMatching(/^Survey "nowhere" was not found \[item 1\]: Check the ID, and that the API key/),
    ];
    const inOrder = [...read.slice(0, 2), failed, ...read.slice(2)];
    expect((await items("continueRegularOutput"))[0]).toEqual(inOrder);
    // n8n adds the input there, if the node runs after another one.
    expect(await items("continueErrorOutput")).toEqual([read, [failed.with(1, undefined)]]);
  });
});

describe("credentials with expressions", () => {
  beforeEach(() => {
    other.service.resetStats();
    Object.assign(account, { baseUrl: "={{ $json.url }}", apiKey: "={{ $json.key }}" });
  });
  const here = () => ({ url: sandbox.url, key: sandbox.apiKey });
  const there = () => ({ url: other.url, key: other.apiKey });
  const newest = (from: Sandbox) => [...from.service.truth.responses("1001")].at(-1)!.uuid;

  test("each item is read from its own service; one whose key is wrong fails alone, and costs its like no request", async () => {
    const wrong = { ...there(), key: "wrong" };
    const input = [here(), wrong, there(), ...Array.from({ length: 20 }, () => wrong), here()];
    const { outputs } = await engine.run(ofSurvey({ limit: 1 }), { input, onError: "continueErrorOutput" });
    expect(uuidsOf(outputs[0])).toEqual([sandbox, other, sandbox].map(newest));
    expect(outputs[1]).toHaveLength(21);
    expect(outputs[1]![0]!.json.error).toMatch(/^The service does not accept the API key \[item 1\]/);
    expect(other.service.stats.byStatus[401]).toBeLessThanOrEqual(5);
  });
});

describe("an error of n8n itself", () => {
  const refuse = (step: "read" | "sign", message: string) => {
    engine.onCredential = (now) => {
      if (now === step) throw new Error(message);
    };
  };
  afterEach(() => {
    engine.onCredential = () => {};
  });

  test.each(["read", "sign"] as const)("keeps n8n's words (%s)", async (step) => {
    refuse(step, "No bridge acquired for this context");
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("No bridge acquired for this context");
    expect(error?.description ?? "").not.toMatch(/Base URL|report/);
    expect(sandbox.service.stats.requests).toBe(0);
  });
});

test("executions and polls side by side keep to the workspace's limits together: none is refused", async () => {
  // Slow answers, so that requests of several executions do meet.
  const slow = await sandboxForTest({ surveys: surveys(1_250), latencyMs: 30 });
  account.baseUrl = slow.url;
  const polls = async () => {
    for (let count = 0; count < 10; count++) await engine.poll({ surveys: ["1001"] }, {});
  };
  const run = () => engine.run(ofSurvey({ returnAll: true }));
  const [, ...runs] = await Promise.all([polls(), run(), run(), run(), run()]);
  expect(runs.map(({ outputs }) => outputs[0]!.length)).toEqual([1_250, 1_250, 1_250, 1_250]);
  expect(slow.service.stats.byStatus[429]).toBeUndefined();
});

describe("an error of the service", () => {
  test("a 429 for more than five minutes is reported, and the next execution is not sent", async () => {
    // A sandbox of its own: all executions with one address and key share the pause.
    const reply = { kind: "status", status: 429, retryAfter: 301 } as const;
    const blocked = await sandboxForTest({ faults: [{ on: "any", reply }] });
    account.baseUrl = blocked.url;
    const errors = [await engine.run(ofSurvey()), await engine.run(ofSurvey())].map(({ error }) => error);
    expect(errors.map((error) => error?.message)).toEqual(
      Array(2).fill("The workspace's rate limit is reached"),
    );
    expect(errors[0]?.failure).toEqual({ cause: "rate-limited", retryAfterMs: 301_000 });
    expect(blocked.service.stats.requests).toBe(1);
  });

  test("a response that cannot be read is omitted, and the execution says so", async () => {
    const reply = { kind: "items", drop: ["uuid"] } as const;
    sandbox.service.addFaults({ on: "survey_responses", nth: 1, reply });
    const { outputs, hints } = await engine.run(ofSurvey({ limit: 5 }));
    expect(uuidsOf(outputs[0])).not.toContain(newestFirst()[0]!.uuid);
    expect(outputs[0]!.length).toBeGreaterThan(0);
    expect(hints).toEqual([expect.stringMatching(/^The service sent something that .+ It is omitted\./)]);
  });
});

test("cancelling the execution stops the requests", async () => {
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 300 } });
  let cancel = () => {};
  const onStarted = (stop: () => void) => {
    cancel = stop;
  };
  const running = engine.run(ofSurvey({ returnAll: true }), { onStarted });
  while (sandbox.service.stats.requests === 0) await sleep(10);
  cancel();
  await running;
  await sleep(1_000);
  expect(sandbox.service.stats.requests).toBeLessThanOrEqual(5);
});

describe("as a tool of an agent", () => {
  beforeEach(() => void Object.assign(account, { baseUrl: other.url, apiKey: other.apiKey }));
  afterEach(() => {
    const responses = [...other.service.truth.responses("7")].map(({ uuid }) => uuid);
    other.service.remove({ responses });
  });
  const answers = (count: number, answer = "x") =>
    Array.from({ length: count }, (_, index) => ({ question_id: index, question_type: "single", answer }));
  /** New responses of the survey 7, with these answers. */
  const answered = (...all: readonly ReturnType<typeof answers>[]) =>
    other.service.collect(
      "7",
      all.map((answers, second) => ({ collected_at: at(second), fields: { answers } })),
    );
  /** The tool's answer: its items without the note, and the note. */
  const called = async (parameters: INodeParameters, surveyId = "7") => {
    const { outputs, error } = await engine.run(ofSurvey({ surveyId, ...parameters }), { tool: true });
    const items = (outputs[0] ?? []).map(({ json }) => json);
    const note = items.at(-1)?.note;
    const text = JSON.stringify(items);
    return { items: note === undefined ? items : items.slice(0, -1), note, text, message: error?.message };
  };

  test("what the model omits by an empty text or null is not set", async () => {
    const filters = { collectedAfter: "={{ '' }}", collectedBefore: "={{ null }}" };
    expect((await called({ limit: "={{ '' }}", filters }, "1001")).items.length).toBeGreaterThan(15);
  });

  test("more responses than a tool reads are cut, and the answer says so and how to ask for less", async () => {
    answered(...Array.from({ length: 600 }, (_, index) => answers(index % 5 === 0 ? 1 : 0)));
    const { items, note, text } = await called({ output: "answers", returnAll: true });
    expect(items).toHaveLength(100);
    expect(note).toBe(
      "This answer is not complete: it holds the first 100 items. To see the others, ask again for fewer results: with a lower limit or a shorter time, if this tool has arguments for them.",
    );
    expect(text.length).toBeLessThan(60_000);
  });

  test("if all is there, there is no note, and no null or empty column", async () => {
    answered(answers(2), answers(1));
    for (const [output, count] of [
      ["answers", 3],
      ["simplified", 2],
      ["raw", 2],
    ] as const) {
      const { items, note, text } = await called({ output });
      expect(items).toHaveLength(count);
      expect(note).toBeUndefined();
      expect(text).not.toContain("null");
    }
  });

  test("one item that is longer than an answer may be is not given", async () => {
    answered(answers(1, "x".repeat(70_000)));
    const { items, note } = await called({});
    expect(items).toEqual([]);
    expect(note).toMatch(/^This answer is not complete: the first item alone is too long for it\./);
  });

  test("an error says what to change in its message, which is all that an agent sees", async () => {
    expect((await called({}, "9999")).message).toMatch(/^Survey "9999" was not found: Check the ID, and/);
    expect((await called({ limit: "={{ 'all' }}" })).message).toBe(
      '"Limit" is not a whole number above 0: Give a whole number, such as 50.',
    );
  });
});
