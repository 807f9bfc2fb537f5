import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../../../sandbox/index.ts";
import { testSandbox } from "../../../../support/sandbox.ts";
import { ofSurvey, startEngine, surveys, uuidsOf } from "../../../support/set-up.ts";

const { sandbox, engine, account, newestFirst } = await startEngine({ surveys: surveys(1_250) });
const other = await testSandbox({ surveys: surveys(20), apiKey: "key-of-the-other" });

describe("several items", () => {
  const input = [{ survey: "1001" }, { survey: "nowhere" }, { survey: "1001" }];
  const byItem = ofSurvey({ surveyId: "={{ $json.survey }}", limit: 2 });

  test("each has its own limit, and every output names the item it came from", async () => {
    const { outputs } = await engine.run(byItem, { input: Array(7).fill({ survey: "1001" }) });
    expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6].map((item) => ({ item })),
    );
    expect(sandbox.service.stats.tooManyConcurrent).toBe(0);
  });

  test("one that cannot be read stops the node and is named", async () => {
    const { status, error } = await engine.run(byItem, { input });
    expect(status).toBe("error");
    expect(error?.message).toBe('Survey "nowhere" was not found [item 1]');
    expect(error?.context.itemIndex).toBe(1);
    expect(error?.failure).toEqual({ cause: "configuration-invalid" });
  });

  test("set to go on, it becomes an item with advice", async () => {
    const { status, outputs } = await engine.run(byItem, { input, onError: "continueRegularOutput" });
    expect(status).toBe("success");
    expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual(
      [0, 0, 1, 2, 2].map((item) => ({ item })),
    );
    expect(outputs[0]![2]!.json.error).toMatch(
      /^Survey "nowhere" was not found \[item 1\]: Check "Survey ID", and that the API key belongs/,
    );
  });

  test("with an error output it goes there, still paired", async () => {
    const { outputs } = await engine.run(byItem, { input, onError: "continueErrorOutput" });
    expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 2, 2].map((item) => ({ item })));
    expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
  });
});

test("set to go on with a wrong key, the items after the first refusals cost no request", async () => {
  account.apiKey = "wrong";
  const input = Array.from({ length: 60 }, () => ({}));
  const { outputs } = await engine.run(ofSurvey(), { input, onError: "continueRegularOutput" });
  expect(outputs[0]).toHaveLength(60);
  expect(outputs[0]![59]!.json.error).toMatch(/^The service does not accept the API key \[item 59\]/);
  expect(sandbox.service.stats.requests).toBeLessThanOrEqual(5);
});

describe("credentials with expressions", () => {
  beforeEach(() => {
    other.service.resetStats();
    Object.assign(account, { baseUrl: "={{ $json.url }}", apiKey: "={{ $json.key }}" });
  });
  const here = () => ({ url: sandbox.url, key: sandbox.apiKey });
  const there = () => ({ url: other.url, key: other.apiKey });
  const newest = (from: Sandbox) => [...from.service.truth.responses("1001")].at(-1)!.uuid;

  test("each item is read from its own service, with its own key", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 1 }), {
      input: [here(), there(), here(), there()],
    });
    expect(uuidsOf(outputs[0])).toEqual([sandbox, other, sandbox, other].map(newest));
    expect([sandbox, other].map(({ service }) => service.stats.byStatus)).toEqual([{ 200: 2 }, { 200: 2 }]);
  });

  test("an item whose key is wrong fails alone, and costs its like no request", async () => {
    const wrong = { ...there(), key: "wrong" };
    const input = [here(), wrong, there(), ...Array.from({ length: 20 }, () => wrong), here()];
    const { outputs } = await engine.run(ofSurvey({ limit: 1 }), { input, onError: "continueErrorOutput" });
    expect(uuidsOf(outputs[0])).toEqual([sandbox, other, sandbox].map(newest));
    expect(outputs[1]).toHaveLength(21);
    expect(outputs[1]![0]!.json.error).toMatch(/^The service does not accept the API key \[item 1\]/);
    expect(other.service.stats.byStatus[401]).toBeLessThanOrEqual(5);
  });

  test("the attributes of a person are those of the item's own service", async () => {
    const uuid = "22222222-2222-4222-8222-222222222222";
    const person = (plan: string) => ({ uuid, attributes: [{ name: "plan", value: plan }] });
    const [one, two] = [
      await startSandbox({ surveys: surveys(0) }),
      await startSandbox({ surveys: surveys(0) }),
    ];
    one.service.describe(person("here"));
    two.service.describe(person("there"));
    for (const { service } of [one, two])
      service.collect("1001", [{ respondent_uuid: uuid, collected_at: "2026-07-01T00:00:00.000000Z" }]);
    const input = [one, two].map(({ url, apiKey }) => ({ url, key: apiKey }));
    const { outputs } = await engine.run(ofSurvey({ options: { respondentAttributes: true } }), { input });
    await Promise.all([one.close(), two.close()]);
    expect(outputs[0]!.map(({ json }) => json.attribute_plan)).toEqual(["here", "there"]);
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

  test.each(["continueRegularOutput", "continueErrorOutput"] as const)(
    "becomes an error item for every input (%s)",
    async (onError) => {
      const input = [{ survey: "1001" }, { survey: "1001" }, { survey: "1001" }];
      refuse("read", 'Credential with ID "7" does not exist');
      const deleted = await engine.run(ofSurvey(), { input, onError });
      account.baseUrl = "https://api.example.com";
      engine.onCredential = () => {};
      const wrong = await engine.run(ofSurvey(), { input, onError });
      for (const { outputs } of [deleted, wrong]) {
        const errors = outputs[onError === "continueErrorOutput" ? 1 : 0]!;
        expect(errors.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
        expect(errors.every(({ json }) => typeof json.error === "string")).toBe(true);
        expect(outputs.flat()).toHaveLength(3);
      }
      expect(deleted.outputs.flat()[2]!.json.error).toMatch(
        /^Credential with ID "7" does not exist \[item 2\]/,
      );
    },
  );
});

describe("executions side by side", () => {
  test("keep to the workspace's limits together: none is refused", async () => {
    // Slow answers, so that requests of several executions do meet.
    const slow = await startSandbox({ surveys: surveys(1_250), latencyMs: 30 });
    account.baseUrl = slow.url;
    const all = ofSurvey({ returnAll: true });
    const polled = { surveyIds: "1001", event: "surveyResponse" };
    const pollTenTimes = async () => {
      for (let polls = 0; polls < 10; polls++) await engine.poll(polled, {});
    };
    const [, ...runs] = await Promise.all([
      pollTenTimes(),
      ...Array.from({ length: 4 }, () => engine.run(all)),
    ]);
    const { byStatus } = slow.service.stats;
    await slow.close();
    expect(runs.map(({ outputs }) => outputs[0]!.length)).toEqual([1_250, 1_250, 1_250, 1_250]);
    expect(byStatus[429]).toBeUndefined();
  });
});

describe("an error of the service", () => {
  test("a 429 is waited out", async () => {
    sandbox.service.addFaults({
      on: "survey_responses",
      nth: 1,
      reply: { kind: "status", status: 429, retryAfter: 1 },
    });
    const { status, outputs } = await engine.run(ofSurvey({ limit: 5 }));
    expect([status, outputs[0]?.length]).toEqual(["success", 5]);
    expect(sandbox.service.stats.byStatus).toEqual({ 200: 1, 429: 1 });
  });

  test("a 429 for more than five minutes is reported", async () => {
    // A sandbox of its own: all executions with one address and key share the pause.
    const blocked = await startSandbox({
      faults: [{ on: "any", reply: { kind: "status", status: 429, retryAfter: 301 } }],
    });
    account.baseUrl = blocked.url;
    const first = await engine.run(ofSurvey({ limit: 5 }));
    const second = await engine.run(ofSurvey({ limit: 5 }));
    const { requests } = blocked.service.stats;
    await blocked.close();
    expect(first.error?.message).toBe("The workspace's rate limit is reached");
    expect(first.error?.failure).toEqual({ cause: "rate-limited", retryAfterMs: 301_000 });
    expect(second.error?.message).toBe("The workspace's rate limit is reached");
    expect(second.error?.failure?.cause).toBe("rate-limited");
    expect(requests).toBe(1);
  });

  test("a response that cannot be read is left out, and the execution says so", async () => {
    sandbox.service.addFaults({
      on: "survey_responses",
      nth: 1,
      reply: { kind: "items", which: "first", drop: ["uuid"] },
    });
    const { outputs, hints } = await engine.run(ofSurvey({ limit: 5 }));
    expect(uuidsOf(outputs[0])).not.toContain(newestFirst()[0]!.uuid);
    expect(outputs[0]!.length).toBeGreaterThan(0);
    expect(hints).toHaveLength(1);
    expect(hints[0]).toMatch(/^The service sent something that cannot be read\. It is left out\./);
  });

  test("half a list is not a list: a page that stays broken fails the item", async () => {
    sandbox.service.addFaults({ on: "end=|start=", reply: "no_data" });
    const { error, outputs } = await engine.run(ofSurvey({ returnAll: true }));
    expect(error?.message).toBe("The service's answer cannot be used");
    expect(outputs).toEqual([]);
  }, 30_000);
});

test("cancelling the execution stops the requests", async () => {
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 300 } });
  const running = engine.run(ofSurvey({ returnAll: true }), {
    onStarted: (cancel) => setTimeout(cancel, 500),
  });
  await running;
  await sleep(350);
  const { requests } = sandbox.service.stats;
  expect(requests).toBeGreaterThan(0);
  await sleep(700);
  expect(sandbox.service.stats.requests).toBe(requests);
});
