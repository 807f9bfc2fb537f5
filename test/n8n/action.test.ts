import { setTimeout as sleep } from "node:timers/promises";
import type { INodeExecutionData, INodeParameters } from "n8n-workflow";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../sandbox/index.ts";
import { Engine } from "./engine.ts";

const surveys = (count: number) => [
  {
    id: "1001",
    type: "PageSurvey" as const,
    name: "After purchase",
    responses: {
      seed: 1,
      count,
      density: "growing" as const,
      from: "2023-03-01T00:00:00.000000Z",
      to: "2026-09-30T12:00:00.000000Z",
      respondents: 60,
    },
  },
];
const NOBODY = "00000000-0000-4000-8000-000000000000";

let sandbox: Sandbox;
let engine: Engine;
const account = { baseUrl: "", apiKey: "" };

beforeAll(async () => {
  sandbox = await startSandbox({ surveys: surveys(1_250) });
  engine = await Engine.start(() => account);
});
afterAll(() => sandbox.close());
beforeEach(() => {
  Object.assign(account, { baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  sandbox.service.clearFaults();
  sandbox.service.resetStats();
  sandbox.service.setSubscription(true);
});

const ofSurvey = (parameters: INodeParameters = {}): INodeParameters => ({
  resource: "surveyResponse",
  operation: "getAll",
  surveyId: "1001",
  ...parameters,
});
const newestFirst = () => [...sandbox.service.truth.responses("1001")].reverse();
const uuids = (items: readonly INodeExecutionData[] | undefined) =>
  items?.map(({ json }) => json.response_uuid ?? json.uuid);

describe("survey responses", () => {
  test("a limit of 5 costs one request and gives the newest 5", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 5 }));
    expect(uuids(outputs[0])).toEqual(
      newestFirst()
        .slice(0, 5)
        .map(({ uuid }) => uuid),
    );
    expect(sandbox.service.stats.requests).toBe(1);
  });

  test("a limit of 250 costs three requests", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 250 }));
    expect(uuids(outputs[0])).toEqual(
      newestFirst()
        .slice(0, 250)
        .map(({ uuid }) => uuid),
    );
    expect(sandbox.service.stats.requests).toBe(3);
  });

  test("Return All gives all of many pages once, newest first", async () => {
    const { outputs } = await engine.run(ofSurvey({ returnAll: true }));
    const truth = newestFirst();
    expect(outputs[0]!.map(({ json }) => json.collected_at)).toEqual(
      truth.map(({ collected_at }) => collected_at),
    );
    expect(new Set(uuids(outputs[0]))).toEqual(new Set(truth.map(({ uuid }) => uuid)));
    expect(sandbox.service.stats.malformedRequests).toEqual([]);
  });

  test("the filters are inclusive to the microsecond", async () => {
    const truth = newestFirst();
    const [newer, older] = [truth[20]!, truth[170]!];
    const { outputs } = await engine.run(
      ofSurvey({
        returnAll: true,
        filters: { collectedAfter: older.collected_at, collectedBefore: newer.collected_at },
      }),
    );
    const expected = truth.filter(({ micros }) => micros >= older.micros && micros <= newer.micros);
    expect(new Set(uuids(outputs[0]))).toEqual(new Set(expected.map(({ uuid }) => uuid)));
  });

  test("a date without a zone is in the workflow's time zone", async () => {
    const bounded = ofSurvey({ returnAll: true, filters: { collectedAfter: "2026-07-01 02:00:00" } });
    const { outputs } = await engine.run(bounded, { timezone: "Europe/Berlin" });
    const expected = newestFirst().filter(
      ({ collected_at }) => collected_at >= "2026-07-01T00:00:00.000000Z",
    );
    expect(outputs[0]).toHaveLength(expected.length);
  });

  test("named attributes come with the responses, by name", async () => {
    const { outputs } = await engine.run(ofSurvey({ limit: 60, options: { attributeNames: "plan, city" } }));
    const columns = Object.keys(outputs[0]![0]!.json).filter((name) => name.startsWith("attribute_"));
    expect(columns).toEqual(["attribute_city", "attribute_plan"]);
    expect(outputs[0]!.some(({ json }) => json.attribute_plan !== null)).toBe(true);
  });

  test("an empty list gives no items and no error", async () => {
    const { status, outputs } = await engine.run(ofSurvey({ filters: { collectedAfter: "2030-01-01" } }));
    expect([status, outputs.flat()]).toEqual(["success", []]);
  });
});

describe("respondents", () => {
  test("a person's responses to all surveys come over several pages, newest first", async () => {
    const [most] = [...sandbox.service.truth.respondents("1001")]
      .map((uuid) => ({ uuid, responses: sandbox.service.truth.responsesOf(uuid) }))
      .sort((one, other) => other.responses.length - one.responses.length);
    const { outputs } = await engine.run({
      resource: "respondentResponse",
      operation: "getAll",
      respondentId: most!.uuid,
      returnAll: true,
    });
    expect(uuids(outputs[0])).toEqual(most!.responses.map(({ uuid }) => uuid).reverse());
  });

  test("a person's attributes come over several pages, and a limit leaves the rest", async () => {
    const person = [...sandbox.service.truth.respondents("1001")].find(
      (uuid) => (sandbox.service.truth.attributes(uuid)?.length ?? 0) > 100,
    )!;
    const parameters = { resource: "respondentAttribute", operation: "getAll", respondentId: person };
    const truth = sandbox.service.truth.attributes(person)!;
    // The first page shows an earlier time than the next one, and still comes first.
    const reply = { kind: "date_header", offsetMs: -60_000 } as const;
    sandbox.service.addFaults({ on: "respondent_attributes", nth: 1, reply });
    const all = await engine.run({ ...parameters, returnAll: true });
    expect(all.outputs[0]!.map(({ json }) => json)).toEqual(
      truth.map(({ id, name, value }) => ({ respondent_uuid: person, attribute_id: id, name, value })),
    );
    const some = await engine.run({ ...parameters, limit: 3 });
    expect(some.outputs[0]!.map(({ json }) => json.attribute_id)).toEqual(
      truth.slice(0, 3).map(({ id }) => id),
    );
  });

  test("somebody without attributes gives no items; somebody unknown is reported as unknown", async () => {
    sandbox.service.describe({ uuid: "11111111-1111-4111-8111-111111111111", attributes: [] });
    const parameters = { resource: "respondentAttribute", operation: "getAll" };
    const known = await engine.run({ ...parameters, respondentId: "11111111-1111-4111-8111-111111111111" });
    expect([known.status, known.outputs.flat()]).toEqual(["success", []]);
    const unknown = await engine.run({ ...parameters, respondentId: NOBODY });
    expect(unknown.error?.message).toBe(`Respondent "${NOBODY}" was not found`);
    expect(unknown.error?.description).toMatch(/^Check "Respondent ID"/);
  });
});

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

  test("of several that cannot be read the first is named, though a later one fails sooner", async () => {
    sandbox.service.addFaults({ on: "surveys/first", reply: { kind: "delay", ms: 300 } });
    const { error } = await engine.run(byItem, { input: [{ survey: "first" }, { survey: "second" }] });
    expect(error?.message).toBe('Survey "first" was not found [item 0]');
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
  let other: Sandbox;
  beforeAll(async () => {
    other = await startSandbox({ surveys: surveys(20), apiKey: "key-of-the-other" });
  });
  afterAll(() => other.close());
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
    expect(uuids(outputs[0])).toEqual([sandbox, other, sandbox, other].map(newest));
    expect([sandbox, other].map(({ service }) => service.stats.byStatus)).toEqual([{ 200: 2 }, { 200: 2 }]);
  });

  test("an item whose key is wrong fails alone, and costs its like no request", async () => {
    const wrong = { ...there(), key: "wrong" };
    const input = [here(), wrong, there(), ...Array.from({ length: 20 }, () => wrong), here()];
    const { outputs } = await engine.run(ofSurvey({ limit: 1 }), { input, onError: "continueErrorOutput" });
    expect(uuids(outputs[0])).toEqual([sandbox, other, sandbox].map(newest));
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

test.each([42, { id: 7 }])(
  "a respondent whose uuid is %j is nobody, and stops neither node",
  async (uuid) => {
    const reply = { kind: "items", which: "first", set: { "respondent.uuid": uuid } } as const;
    sandbox.service.addFaults({ on: "survey_responses", reply });
    const options = { respondentAttributes: true };
    const { outputs, error } = await engine.run(ofSurvey({ limit: 3, options }));
    expect([error?.message, outputs[0]?.length]).toEqual([undefined, 3]);
    expect(outputs[0]![0]!.json.respondent_uuid ?? null).toBe(null);
    const { items } = await engine.poll(
      { event: "surveyResponse", surveyIds: "1001", options },
      {},
      { mode: "manual" },
    );
    expect(items![0]!.json.respondent_uuid ?? null).toBe(null);
  },
);

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

describe("a mistake in the settings", () => {
  const messageOf = async (parameters: INodeParameters) => {
    const { error } = await engine.run(parameters);
    return [error?.message, error?.description];
  };

  test("a key", async () => {
    account.apiKey = "wrong";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("The service does not accept the API key");
    expect(error?.failure).toEqual({ cause: "credential-invalid" });
    expect(error?.httpCode).toBe("401");
  });

  test("a plan", async () => {
    sandbox.service.setSubscription(false);
    expect(await messageOf(ofSurvey())).toEqual([
      "The account's plan does not include API access",
      'Ask the owner of the account to choose a plan with API access. The service answered with status 402: "The plan does not include API access".',
    ]);
  });

  test("an id that an expression does not find", async () => {
    expect(await messageOf(ofSurvey({ surveyId: "={{ $json.nothing }}" }))).toEqual([
      '"Survey ID" is empty',
      "Fill it in. If it comes from the incoming item by an expression, check that every item has the field.",
    ]);
  });

  test("an expression", async () => {
    const [message] = await messageOf(ofSurvey({ surveyId: "={{ $('Nowhere').first().json.id }}" }));
    expect(message).toMatch(/Nowhere|referenced node/i);
  });

  test("a limit", async () => {
    const [message] = await messageOf(ofSurvey({ limit: 0 }));
    expect(message).toBe('"Limit" is not a whole number above 0');
  });

  test("a time", async () => {
    expect(await messageOf(ofSurvey({ filters: { collectedAfter: "last week" } }))).toEqual([
      '"Collected After" is not a date and time',
      'It is "last week". Give one like 2026-01-31 or 2026-01-31T08:30:00Z.',
    ]);
    const [message] = await messageOf(
      ofSurvey({ filters: { collectedAfter: "2026-02-01", collectedBefore: "2026-01-01" } }),
    );
    expect(message).toBe('"Collected After" is later than "Collected Before"');
  });

  test("a switch, which may come as text", async () => {
    const [message] = await messageOf(ofSurvey({ returnAll: "={{ 'sometimes' }}" }));
    expect(message).toBe('"Return All" is neither true nor false');
    const some = await engine.run(ofSurvey({ returnAll: "={{ 'false' }}", limit: 3 }));
    expect(some.outputs[0]).toHaveLength(3);
    const options = { respondentAttributes: "={{ 'true' }}" };
    await engine.run(ofSurvey({ limit: 1, options }));
    expect(sandbox.service.stats.byEndpoint.respondent_attributes).toBe(1);
  });

  test("an address of the web panel in place of an id is understood if it holds one", async () => {
    const [newest] = newestFirst();
    const surveys = [`${panel}/surveys/1001/responses`, `${panel}/acme/#/surveys/1001?tab=responses`];
    for (const surveyId of surveys) {
      const { outputs } = await engine.run(ofSurvey({ surveyId, limit: 1 }));
      expect(uuids(outputs[0])).toEqual([newest!.uuid]);
    }
    const respondentId = `${panel}/7/people/${newest!.respondent_uuid}`;
    const person = { resource: "respondentResponse", operation: "getAll", respondentId, limit: 1 };
    expect((await engine.run(person)).outputs[0]![0]!.json.respondent_uuid).toBe(newest!.respondent_uuid);
    sandbox.service.resetStats();
    await engine.poll({ event: "surveyResponse", surveyIds: ["1001", ...surveys].join(", ") }, {});
    expect(sandbox.service.stats.byPath).toEqual({ "/v2/surveys/1001/responses": 1 });
  });

  const panel = "https://panel.example.com";
  test.each(["../1001", "1001/x", ".", "10 01", "1001?x=1", `${panel}/surveys`, `${panel}/7/surveys/1001`])(
    "%s is not a survey's id",
    async (surveyId) => {
      expect(await messageOf(ofSurvey({ surveyId }))).toEqual([
        '"Survey ID" is not an ID',
        `It is "${surveyId}". Give the ID alone, which has no spaces, slashes, question marks or percent signs.`,
      ]);
      expect(sandbox.service.stats.requests).toBe(0);
    },
  );

  test("an output of another resource", async () => {
    expect(await messageOf(ofSurvey({ output: "person" }))).toEqual([
      '"Output" is not a form of responses',
      'It is "person". Choose one of these: simplified, answers, raw, text, selected.',
    ]);
  });

  test.each([
    [[], '"Column Names or IDs" is empty'],
    [["answers", "uuid"], '"Column Names or IDs" holds "uuid"'],
  ])("the fields %j", async (fields, sentence) => {
    const [message, description] = await messageOf(ofSurvey({ output: "selected", fields }));
    expect(message).toBe(sentence);
    expect(description).toMatch(/^Choose one or more of these: response_uuid, /);
  });

  test("an address that cannot be the service's", async () => {
    account.baseUrl = "http://export.example.com/v2";
    expect(await messageOf(ofSurvey())).toEqual([
      "The credential's Base URL cannot be used",
      "It uses plain http, which would show the key to everyone on the way. Use https. It looks like https://api.example.com/v2.",
    ]);
  });

  test("a key with spaces around it, or copied with Basic before it: both work", async () => {
    for (const apiKey of [` ${sandbox.apiKey}\n`, `Basic ${sandbox.apiKey}`, `basic  ${sandbox.apiKey} `]) {
      account.apiKey = apiKey;
      expect((await engine.run(ofSurvey())).status).toBe("success");
      expect((await engine.testCredential(account)).status).toBe("OK");
    }
  });

  test("plain http and https mixed up: no path of a library's source is shown", async () => {
    account.baseUrl = sandbox.url.replace("http:", "https:");
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("Could not connect to the service");
    expect(error?.description).toMatch(
      /^The service does not answer with https at this port\. Correct the port in the base URL/,
    );
    expect(error?.description).not.toMatch(/openssl|\.c:/i);
  }, 30_000);

  test("no message speaks of the other adapter's settings", async () => {
    const replies = ["no_data", "link_absolute", "redirect"] as const;
    for (const reply of replies) {
      sandbox.service.clearFaults();
      const fault =
        reply === "redirect" ? { kind: "redirect" as const, to: "https://example.com{path}" } : reply;
      sandbox.service.addFaults({ on: "survey_responses", reply: fault });
      const { error } = await engine.run(ofSurvey({ limit: 250 }));
      expect(`${error?.message} ${error?.description}`).not.toMatch(/base_url|survey_ids|\bsync\b/);
      expect(error?.message).toMatch(/^[A-Z]/);
    }
  }, 60_000);

  test("an address where nobody answers, named with the network's own words", async () => {
    account.baseUrl = "http://127.0.0.1:9/v2";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("Could not connect to the service");
    expect(error?.description).toContain("connection refused; GET /surveys/1001/responses");
    expect(error?.description?.match(/Base URL/g)).toHaveLength(1);
    expect(error?.failure).toEqual({ cause: "temporarily-unavailable" });
  }, 30_000);
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

  test("a passing fault is tried again", async () => {
    sandbox.service.addFaults({ on: "survey_responses", nth: 1, reply: "status_502_html" });
    const { status, outputs } = await engine.run(ofSurvey({ limit: 5 }));
    expect([status, outputs[0]?.length]).toEqual(["success", 5]);
  });

  test("a response that cannot be read is left out, and the execution says so", async () => {
    sandbox.service.addFaults({
      on: "survey_responses",
      nth: 1,
      reply: { kind: "items", which: "first", drop: ["uuid"] },
    });
    const { outputs, hints } = await engine.run(ofSurvey({ limit: 5 }));
    expect(uuids(outputs[0])).not.toContain(newestFirst()[0]!.uuid);
    expect(outputs[0]!.length).toBeGreaterThan(0);
    expect(hints).toHaveLength(1);
    expect(hints[0]).toMatch(/^The service sent something that cannot be read\. It is left out\./);
  });

  test("a body larger than any page is refused", async () => {
    sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "huge", bytes: 20_000_000 } });
    const { error } = await engine.run(ofSurvey({ limit: 5 }));
    expect(error?.message).toBe("The service's answer is too large");
  });

  test("half a list is not a list: a page that stays broken fails the item", async () => {
    sandbox.service.addFaults({ on: "end=|start=", reply: "no_data" });
    const { error, outputs } = await engine.run(ofSurvey({ returnAll: true }));
    expect(error?.message).toBe("The service's answer cannot be used");
    expect(outputs).toEqual([]);
  }, 30_000);
});

test.each([
  ["surveyResponse", "Get many survey responses"],
  ["respondentAttribute", "Get many attributes of a person"],
])("the subtitle for %s reads %s", (resource, subtitle) => {
  expect(engine.subtitle({ resource, operation: "getAll" })).toBe(subtitle);
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

describe("as a tool of an agent", () => {
  const called = (parameters: INodeParameters) => engine.run(ofSurvey(parameters), { tool: true });

  test("a short answer is whole", async () => {
    const { outputs } = await called({ limit: 3 });
    expect(outputs[0]).toHaveLength(3);
  });

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
    const limit = "={{ $fromAI('how_many', `From 1 to 500`, 'number', 500) }}";
    const filters = { collectedAfter: '={{ $fromAI("since", "A time", "string", "") }}' };
    const { outputs } = await called({ limit, filters });
    expect(JSON.stringify(outputs[0]!.map(({ json }) => json)).length).toBeLessThan(62_000);
    const shown = outputs[0]!.length - 1;
    expect(uuids(outputs[0]!.slice(0, -1))).toEqual(
      newestFirst()
        .slice(0, shown)
        .map(({ uuid }) => uuid),
    );
    expect(outputs[0]!.at(-1)!.json.note).toBe(
      `This answer is not complete: it holds the first ${shown} items. To get other or fewer results, set how_many, since.`,
    );
    expect(sandbox.service.stats.requests).toBeLessThanOrEqual(5);
  });

  test("all that exists of more than a tool reads is marked as not complete", async () => {
    const fields = ["response_uuid"];
    const { outputs } = await called({ returnAll: true, output: "selected", fields });
    expect(outputs[0]).toHaveLength(501);
    expect(outputs[0]!.at(-1)!.json.note).toMatch(/^This answer is not complete/);
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

  test("the note names only arguments that the tool has", async () => {
    const ofPerson = { resource: "respondentAttribute", respondentId: PERSON };
    expect((await called(ofPerson)).note).toMatch(/ No argument of the tool asks for fewer results\.$/);
    const respondentId = `={{ $fromAI('person', '', 'string', '${PERSON}') }}`;
    const limit = "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Limit', ``, 'number', 5) }}";
    expect((await called({ ...ofPerson, respondentId, returnAll: false, limit })).note).toMatch(
      / To get other or fewer results, set Limit\.$/,
    );
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
  const failed = (tool: boolean) =>
    engine.run(ofSurvey({ surveyId: "9999" }), { tool }).then(
      ({ error }) => String(error?.message),
      (thrown: Error) => thrown.message,
    );
  expect(await failed(true)).toMatch(/^Survey "9999" was not found: Check "Survey ID"/);
  expect(await failed(false)).toBe('Survey "9999" was not found');
});

describe("the credential's test", () => {
  test("passes with the right address and key, with one refused request", async () => {
    const result = await engine.testCredential(account);
    expect(result).toEqual({ status: "OK", message: "The service accepts the key" });
    expect(sandbox.service.stats.byStatus).toEqual({ 401: 1, 404: 1 });
  });

  test("names a wrong key, plan or address", async () => {
    const said = async (change: Partial<typeof account>) =>
      (await engine.testCredential({ ...account, ...change })).message;
    expect(await said({ apiKey: "wrong" })).toMatch(/^The service does not accept the API key\./);
    expect(await said({ baseUrl: `${sandbox.url}/surveys` })).toMatch(/It does not end in \/v2/);
    expect(await said({ baseUrl: "http://127.0.0.1:9/v2" })).toMatch(/^Could not connect to the service\./);
    sandbox.service.setSubscription(false);
    expect(await said({})).toMatch(/^The account's plan does not include API access\./);
  }, 30_000);

  test("says that the key is empty, and where it is found", async () => {
    for (const apiKey of ["", "  "]) {
      const { message } = await engine.testCredential({ ...account, apiKey });
      expect(message).toMatch(/^The credential's API Key is empty\. .+ Access Keys\.$/);
    }
    expect(sandbox.service.stats.requests).toBe(0);
    account.apiKey = "";
    const { error } = await engine.run(ofSurvey());
    expect(error?.message).toBe("The credential's API Key is empty");
  });

  // A regular expression for the slashes at the end would take minutes.
  test("reads an address of many slashes", async () => {
    const slashes = "/".repeat(500_000);
    const said = async (baseUrl: string) => (await engine.testCredential({ ...account, baseUrl })).message;
    expect(await said(`${sandbox.url}${slashes}x`)).toMatch(/It does not end in \/v2/);
    expect(await said(`${sandbox.url}${slashes}`)).toBe("The service accepts the key");
  });

  test("reads no more of an answer than the nodes do: 20 MB that came as 20 kB", async () => {
    const { createServer } = await import("node:http");
    const { gzipSync } = await import("node:zlib");
    const packed = gzipSync(Buffer.alloc(20_000_000, " "));
    const server = createServer((_, answer) => {
      answer.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end(packed);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const baseUrl = `http://127.0.0.1:${port}/v2`;
    const { message } = await engine.testCredential({ baseUrl, apiKey: "any" });
    server.close();
    expect(message).toMatch(/^The service's answer is too large\. It is longer than 16 MB/);
  });

  test("does not take any web server for the service", async () => {
    const { createServer } = await import("node:http");
    const server = createServer((_, answer) => answer.writeHead(404).end("Not found"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const result = await engine.testCredential({ baseUrl: `http://127.0.0.1:${port}/v2`, apiKey: "any" });
    server.close();
    expect(result.status).toBe("Error");
    expect(result.message).toMatch(/^The address answers, but not like the service: it accepts any key\./);
  });
});
