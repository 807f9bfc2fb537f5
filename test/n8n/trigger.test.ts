import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject, INodeExecutionData, INodeParameters, NodeApiError } from "n8n-workflow";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Sandbox, type SurveyOptions, startSandbox } from "../../sandbox/index.ts";
import { Engine } from "./engine.ts";

const survey = (id: string, count: number): SurveyOptions => ({
  id,
  type: "WidgetSurvey",
  name: `Survey ${id}`,
  responses: {
    seed: Number(id),
    count,
    density: "even",
    from: "2026-01-01T00:00:00.000000Z",
    to: "2026-06-30T00:00:00.000000Z",
    respondents: 20,
  },
});

let sandbox: Sandbox;
let engine: Engine;
let memory: IDataObject;

beforeAll(async () => {
  engine = await Engine.start(() => ({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
});
beforeEach(async () => {
  sandbox = await startSandbox({ surveys: [survey("1", 250), survey("2", 30)], limits: false });
  memory = {};
});
afterEach(() => sandbox.close());

/** A poll, as after a restart: the memory goes through the database each time. */
async function poll(parameters: INodeParameters = {}, mode?: "trigger" | "manual"): Promise<string[] | null> {
  memory = JSON.parse(JSON.stringify(memory));
  const { items } = await engine.poll(
    { event: "surveyResponse", surveyIds: "1", ...parameters },
    memory,
    mode ? { mode } : {},
  );
  return items === null ? null : idsOf(items);
}

const idsOf = (items: readonly INodeExecutionData[]) =>
  items.map(({ json }) => String(json.response_uuid ?? json.uuid));

const collect = (surveyId: string, count: number, lateByMs?: number) =>
  sandbox.service.collect(surveyId, lateByMs === undefined ? { count } : { count, lateByMs });

test("the first poll remembers existing responses and starts nothing", async () => {
  expect(await poll()).toBeNull();
  expect(await poll()).toBeNull();
  expect(sandbox.service.stats.requests).toBeLessThanOrEqual(3);
});

test("each new response starts the workflow once, oldest first", async () => {
  await poll();
  const first = collect("1", 3);
  expect(await poll()).toEqual(first);
  expect(await poll()).toBeNull();
  const second = collect("1", 2);
  expect(await poll()).toEqual(second);
});

test("one that shows up late, within the lookback, starts the workflow as well", async () => {
  await poll();
  const first = collect("1", 2);
  expect(await poll()).toEqual(first);
  const late = collect("1", 1, 9 * 60_000);
  expect(await poll()).toEqual(late);
  collect("1", 1, 30 * 60_000);
  expect(await poll()).toBeNull();
  expect(await poll()).toBeNull();
});

test("responses of one microsecond are all emitted, though a poll takes only some of them", async () => {
  await poll();
  const tied = Array.from({ length: 7 }, () => ({ collected_at: "2026-07-01T00:00:00.000001Z" }));
  const uuids = sandbox.service.collect("1", tied);
  const emitted: string[] = [];
  for (let polls = 0; polls < 3; polls++) {
    const items = await poll({ options: { mostPerPoll: 3 } });
    expect(items!.length).toBeLessThanOrEqual(3);
    emitted.push(...items!);
  }
  expect(emitted.sort()).toEqual(uuids.sort());
  expect(await poll()).toBeNull();
});

test("a burst of thousands comes in portions, the newest first, none missed and none twice", async () => {
  await poll();
  const burst = collect("1", 3_200);
  const portions: string[][] = [];
  const requests: number[] = [];
  for (;;) {
    sandbox.service.resetStats();
    const items = await poll({ options: { mostPerPoll: 500 } });
    if (items === null) break;
    requests.push(sandbox.service.stats.requests);
    expect(items.length).toBeLessThanOrEqual(500);
    portions.push(items);
  }
  expect(portions.toReversed().flat()).toEqual(burst);
  expect(portions).toHaveLength(7);
  // All of it lies within the lookback, so each poll passes what the polls before it handed over.
  expect(Math.max(...requests)).toBeLessThan(40);
});

test("a poll that fails changes nothing, and the next one finds the same", async () => {
  await poll();
  const fresh = collect("1", 3);
  const before = JSON.stringify(memory);
  sandbox.service.addFaults({ on: "survey_responses", reply: "status_500" });
  await expect(poll()).rejects.toThrow("The service is not available");
  expect(JSON.stringify(memory)).toBe(before);
  sandbox.service.clearFaults();
  expect(await poll()).toEqual(fresh);
}, 20_000);

test("a poll that fails half way hands over what it has read and says so; the next one gets the rest", async () => {
  await poll();
  const burst = collect("1", 230);
  sandbox.service.addFaults({ on: "start=", reply: "status_500" });
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  const { items, reported } = await engine.poll(parameters, memory);
  expect(idsOf(items!)).toEqual(burst.slice(-100));
  expect(reported.map(({ message }) => message)).toEqual(["The service is not available"]);
  sandbox.service.clearFaults();
  expect(await poll()).toEqual(burst.slice(0, -100));
}, 20_000);

test("with n8n's durable cursors the first scheduled poll is the baseline", async () => {
  await poll();
  memory = {};
  collect("1", 2);
  expect(await poll()).toBeNull();
  const later = collect("1", 1);
  expect(await poll()).toEqual(later);
});

test("fetching a test event shows the newest response and remembers nothing", async () => {
  const newest = [...sandbox.service.truth.responses("1")].at(-1)!;
  expect(await poll({}, "manual")).toEqual([newest.uuid]);
  expect(memory).toEqual({});
  expect(sandbox.service.stats.requests).toBe(1);
});

test("fetching a test event shows the newest response that gives an item", async () => {
  const answers = [{ question_id: 1, question_type: "single", answer: "Yes" }];
  const [answered] = sandbox.service.collect("1", [
    { collected_at: "2026-07-01T00:00:00.000001Z", fields: { answers } },
  ]);
  const [silent] = sandbox.service.collect("1", [
    { collected_at: "2026-07-01T00:00:00.000002Z", fields: { answers: [] } },
  ]);
  expect(await poll({ output: "answers" }, "manual")).toEqual([answered]);
  expect(await poll({ output: "simplified" }, "manual")).toEqual([silent]);
});

test("fetching a test event without any response gives advice", async () => {
  await sandbox.close();
  sandbox = await startSandbox({ surveys: [survey("1", 0)] });
  await expect(poll({}, "manual")).rejects.toThrow("There is no response yet to show as an example");
});

test("a survey that had no responses starts the workflow with its first", async () => {
  await sandbox.close();
  sandbox = await startSandbox({ surveys: [survey("1", 0)] });
  expect(await poll()).toBeNull();
  const first = collect("1", 2);
  expect(await poll()).toEqual(first);
  expect(await poll()).toBeNull();
});

test("several surveys are watched, and one that is added later starts from then", async () => {
  await poll({ surveyIds: "1" });
  const first = collect("1", 1);
  expect(await poll({ surveyIds: "1, 2" })).toEqual(first);
  const second = [...collect("2", 2), ...collect("1", 1)];
  expect(await poll({ surveyIds: "1, 2" })).toEqual(second);
});

test("a survey that cannot be read does not hold up the others, and is reported once a day", async () => {
  await poll({ surveyIds: "1, 2" });
  sandbox.service.remove({ surveys: ["2"] });
  const fresh = collect("1", 1);
  const { items, reported } = await engine.poll({ event: "surveyResponse", surveyIds: "1, 2" }, memory);
  expect(idsOf(items!)).toEqual(fresh);
  expect(reported.map(({ message }) => message)).toEqual(['Survey "2" was not found']);
  const later = await engine.poll({ event: "surveyResponse", surveyIds: "1, 2" }, memory);
  expect(later).toEqual({ items: null, reported: [] });
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 24 * 3_600_000);
  const nextDay = await engine.poll({ event: "surveyResponse", surveyIds: "1, 2" }, memory);
  now.mockRestore();
  expect(nextDay.reported).toHaveLength(1);
});

test("when no survey can be read, the poll fails, with the cause that n8n backs off by", async () => {
  await poll({ surveyIds: "1, 2" });
  sandbox.service.remove({ surveys: ["1", "2"] });
  const error = await poll({ surveyIds: "1, 2" }).then(
    () => undefined,
    (thrown: NodeApiError) => thrown,
  );
  expect(error).toMatchObject({
    message: 'Survey "1" was not found',
    httpCode: "404",
    failure: { cause: "configuration-invalid" },
  });
  expect(error!.description).toMatch(/These surveys could not be read either: "2"\.$/);
});

test("after a restart, a survey without memory that cannot be read does not keep the workflow from running", async () => {
  await poll();
  const fresh = collect("1", 1);
  const parameters = { event: "surveyResponse", surveyIds: "1, 99" };
  const options = { activation: "init" } as const;
  expect(idsOf((await engine.poll(parameters, memory, options)).items!)).toEqual(fresh);
  expect((await engine.poll(parameters, {}, options)).reported).toHaveLength(1);
});

describe("with durable poll cursors, which keep the memory only when a poll does not fail", () => {
  const budgetMs = 36_000;
  const durablePoll = async (parameters: INodeParameters) => {
    const copy: IDataObject = JSON.parse(JSON.stringify(memory));
    const options = { budgetMs, durable: true };
    const polled = await engine.poll({ event: "surveyResponse", ...parameters }, copy, options);
    memory = copy;
    return {
      ids: polled.items && idsOf(polled.items),
      reported: polled.reported.map(({ message }) => message),
    };
  };

  test("a survey that is added beside one that is gone starts the workflow, and the report comes once", async () => {
    await durablePoll({ surveyIds: "1" });
    sandbox.service.remove({ surveys: ["1"] });
    const surveyIds = "1, 2";
    expect(await durablePoll({ surveyIds })).toEqual({ ids: null, reported: ['Survey "1" was not found'] });
    const fresh = collect("2", 2);
    expect(await durablePoll({ surveyIds })).toEqual({ ids: fresh, reported: [] });
    expect(await durablePoll({ surveyIds })).toEqual({ ids: null, reported: [] });
  });

  test("Repeat After a Crash repeats nothing, also when the next poll runs in another process", async () => {
    const parameters = { surveyIds: "1", options: { repeatAfterCrash: true } };
    await durablePoll(parameters);
    const fresh = collect("1", 2);
    expect((await durablePoll(parameters)).ids).toEqual(fresh);
    const other = await Engine.start(() => ({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
    const options = { budgetMs, durable: true };
    const elsewhere = await other.poll({ event: "surveyResponse", ...parameters }, memory, options);
    expect(elsewhere.items).toBeNull();
  });

  test("a poll that only waited for this n8n's own requests is not a failure", async () => {
    await durablePoll({ surveyIds: "1" });
    const before = JSON.stringify(memory);
    sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 3_000 } });
    const parameters = { resource: "surveyResponse", operation: "getAll", surveyId: "1", limit: 1 };
    const busy = engine.run(parameters, { input: Array.from({ length: 10 }, () => ({})) });
    await sleep(200);
    const poll = engine.poll({ event: "surveyResponse", surveyIds: "1" }, memory, { budgetMs: 1_500 });
    expect((await poll).items).toBeNull();
    expect(JSON.stringify(memory)).toBe(before);
    sandbox.service.clearFaults();
    await busy;
  }, 30_000);
});

test("activation is refused when a survey is not found, and that is reported once", async () => {
  const reported: Error[] = [];
  const parameters = { event: "surveyResponse", surveyIds: "1, 99" };
  await expect(engine.poll(parameters, memory, { reported })).rejects.toThrow('Survey "99" was not found');
  expect(reported).toEqual([]);
});

test("a response that cannot be read is reported once, and the others start the workflow", async () => {
  await poll();
  collect("1", 3);
  sandbox.service.addFaults({
    on: "survey_responses",
    reply: { kind: "items", which: "first", drop: ["uuid"] },
  });
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  const { items, reported } = await engine.poll(parameters, memory);
  expect(items).toHaveLength(2);
  expect(reported.map(({ message }) => message)).toEqual(["The service sent something that cannot be read"]);
  const next = await engine.poll(parameters, memory);
  expect([next.items, next.reported]).toEqual([null, []]);
});

test("several surveys that cannot be read are all named", async () => {
  const [surveyIds, event] = ["1, 98, 99", "surveyResponse"];
  await poll({ surveyIds: "1" });
  collect("1", 1);
  const { reported } = await engine.poll({ surveyIds, event }, memory);
  const [error] = reported as NodeApiError[];
  expect(error!.message).toBe('Survey "98" was not found');
  expect(error!.description).toMatch(/These surveys could not be read either: "99"\.$/);
});

test("a survey that is added beside one that cannot be read starts from then", async () => {
  await poll({ surveyIds: "1" });
  const surveyIds = "1, 2, 99";
  await expect(poll({ surveyIds })).rejects.toThrow('Survey "99" was not found');
  const fresh = collect("2", 1);
  expect(await poll({ surveyIds })).toEqual(fresh);
});

test("a poll that begins while another one runs starts nothing twice", async () => {
  memory = engine.staticData();
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  await engine.poll(parameters, memory);
  const fresh = collect("1", 30);
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 200 } });
  const polls = await Promise.all([1, 2, 3].map(() => engine.poll(parameters, memory)));
  expect(polls.flatMap(({ items }) => idsOf(items ?? [])).sort()).toEqual(fresh.sort());
  expect((await engine.poll(parameters, memory)).items).toBeNull();
});

test("polls that run together start nothing twice, also with a copy of the memory for each (durable cursors)", async () => {
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  const stored: IDataObject = {};
  await engine.poll(parameters, stored);
  const fresh = collect("1", 30);
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 200 } });
  const copies = [1, 2, 3].map((): IDataObject => JSON.parse(JSON.stringify(stored)));
  const polls = await Promise.all(copies.map((copy) => engine.poll(parameters, copy)));
  expect(polls.flatMap(({ items }) => idsOf(items ?? [])).sort()).toEqual(fresh.sort());
});

test("a poll with the memory from before the last one starts nothing twice, and all if n8n lost that one", async () => {
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  const stored: IDataObject = {};
  await engine.poll(parameters, stored, { durable: true });
  const fresh = collect("1", 3);
  const pollFrom = async (memory: IDataObject) => {
    const { items } = await engine.poll(parameters, { ...memory }, { durable: true });
    return items && idsOf(items);
  };
  expect(await pollFrom(stored)).toEqual(fresh);
  expect(await pollFrom(stored)).toBeNull();
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
  const later = await pollFrom(stored);
  now.mockRestore();
  expect(later).toEqual(fresh);
});

test("a poll hands over nothing that another one handed over while it read", async () => {
  memory = engine.staticData();
  await engine.poll({ event: "surveyResponse", surveyIds: "1" }, memory);
  const fresh = collect("1", 3);
  const other: IDataObject = JSON.parse(JSON.stringify(memory));
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  const first = await engine.poll(parameters, other);
  expect(idsOf(first.items!)).toEqual(fresh);
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 300 } });
  const slow = engine.poll(parameters, memory);
  await sleep(100);
  Object.assign(memory, other);
  expect((await slow).items).toBeNull();
});

test("a response from the future starts the workflow once, and holds nothing up", async () => {
  await poll();
  const ahead = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().replace("Z", "000Z");
  const [future] = sandbox.service.collect("1", [{ collected_at: ahead(1) }]);
  expect(await poll()).toEqual([future]);
  const between = sandbox.service.collect("1", [{ collected_at: ahead(0) }, { collected_at: ahead(0.5) }]);
  expect(await poll()).toEqual(between);
  expect(await poll()).toBeNull();
});

test("a service whose clock is behind for a while starts no response again", async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace("Z", "000Z");
  await poll();
  const fresh = Array.from({ length: 20 }, (_, index) => ({ collected_at: ago(60 - index) }));
  sandbox.service.collect("1", fresh);
  expect(await poll()).toHaveLength(20);
  const [last] = sandbox.service.collect("1", [{ collected_at: ago(0.1) }]);
  expect(await poll()).toEqual([last]);
  const behind = { kind: "date_header", offsetMs: -7_200_000 } as const;
  sandbox.service.addFaults({ on: "survey_responses", reply: behind });
  expect(await poll()).toBeNull();
  const [newest] = sandbox.service.collect("1", [{ collected_at: ago(0) }]);
  expect(await poll()).toEqual([newest]);
  sandbox.service.clearFaults();
  expect(await poll()).toBeNull();
});

test("with another Base URL the trigger starts over and says so", async () => {
  await poll();
  const other = await startSandbox({ surveys: [survey("1", 300)], limits: false });
  const elsewhere = await Engine.start(() => ({ baseUrl: other.url, apiKey: other.apiKey }));
  const parameters = { event: "surveyResponse", surveyIds: "1" };
  const first = await elsewhere.poll(parameters, memory);
  expect([first.items, first.reported.map(({ message }) => message)]).toEqual([
    null,
    ["The credential's Base URL has changed"],
  ]);
  const fresh = other.service.collect("1", { count: 1 });
  const second = await elsewhere.poll(parameters, memory);
  expect([idsOf(second.items!), second.reported]).toEqual([fresh, []]);
  await other.close();
});

test.each<IDataObject>([
  { version: 1, memory: "{" },
  { version: 1 },
  { version: 1, memory: "null" },
  { version: 1, memory: '{"service":"SERVICE"}' },
  { version: 1, memory: '{"service":"SERVICE","watch":{"state":{},"handed_over":[]},"told":[]}' },
  {
    version: 1,
    memory:
      '{"service":"SERVICE","watch":{"state":{"version":1,"surveys":{"1":[["2026","2027"]]}},"handed_over":[]},"told":[]}',
  },
  {
    version: 1,
    memory:
      '{"service":"SERVICE","watch":{"state":{"version":1,"surveys":{}},"handed_over":[["1",[["u","now"]]]]},"told":[]}',
  },
  { version: 2, memory: "{}" },
])("a broken memory is reported: %j", async (broken) => {
  await poll();
  const { service } = JSON.parse(memory.memory as string);
  expect(service).toMatch(/^[0-9a-f]{16}$/);
  memory = JSON.parse(JSON.stringify(broken).replace("SERVICE", service));
  const error = await poll().then(
    () => undefined,
    (thrown: NodeApiError) => thrown,
  );
  expect(error!.message).toBe("The trigger's memory cannot be read");
  expect(error!.description).toMatch(
    broken.version === 2
      ? /^Another version of this package wrote it\. Install that version again\./
      : /^To start over, delete the node and add it again under another name/,
  );
});

test.each([-5, 0, 1.5, "many"])("Max Responses per Poll of %j is reported", async (mostPerPoll) => {
  await expect(poll({ options: { mostPerPoll } })).rejects.toThrow(
    '"Max Responses per Poll" is not a whole number of at least 1',
  );
});

test.each(["constructor", "toString", "__proto__"])('a survey with the ID "%s" is remembered', async (id) => {
  await sandbox.close();
  sandbox = await startSandbox({ surveys: [survey(id, 3)], limits: false });
  expect(await poll({ surveyIds: id })).toBeNull();
  const fresh = collect(id, 2);
  expect(await poll({ surveyIds: id })).toEqual(fresh);
  expect(await poll({ surveyIds: id })).toBeNull();
});

test("a backlog that stays for ten polls is reported once, and a burst is not", async () => {
  const options = { mostPerPoll: 2 };
  const reports: Error[] = [];
  const pollTwo = async () => {
    const parameters = { event: "surveyResponse", surveyIds: "1", options };
    const { items, reported } = await engine.poll(parameters, memory);
    reports.push(...reported);
    return items?.length ?? 0;
  };
  await pollTwo();
  collect("1", 18);
  while ((await pollTwo()) > 0);
  expect(reports).toEqual([]);
  collect("1", 30);
  for (let polls = 0; polls < 12; polls++) expect(await pollTwo()).toBe(2);
  expect(reports.map(({ message }) => message)).toEqual([
    "More responses are waiting than the trigger may hand over",
  ]);
  expect((reports[0] as NodeApiError).description).toMatch(
    /^The last 10 polls each handed over 2 responses, and others are waiting\./,
  );
});

test("with the option, another run of n8n hands the last responses over again, and this one does not", async () => {
  const options = { repeatAfterCrash: true };
  await poll({ options });
  const first = collect("1", 3);
  expect(await poll({ options })).toEqual(first);
  // n8n stores the memory when it emits, so a crash leaves this behind.
  const stored = JSON.stringify(memory);
  expect(await poll({ options })).toBeNull();

  const otherRun = await Engine.start(() => ({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
  const pollInOtherRun = async (kept: IDataObject, given: INodeParameters) => {
    const parameters = { event: "surveyResponse", surveyIds: "1", options: given };
    const { items } = await otherRun.poll(parameters, kept);
    return items && idsOf(items);
  };
  expect(await pollInOtherRun(JSON.parse(stored), {})).toBeNull();
  const kept = JSON.parse(stored);
  const second = collect("1", 1);
  expect(await pollInOtherRun(kept, options)).toEqual([...first, ...second]);
  expect(await pollInOtherRun(kept, options)).toBeNull();
});

test("an empty list of surveys is reported", async () => {
  await expect(poll({ surveyIds: " , " })).rejects.toThrow('"Survey IDs" is empty');
});

test("with the option, a response comes with its respondent's attributes", async () => {
  await poll();
  const respondent = {
    uuid: "11111111-1111-4111-8111-111111111111",
    attributes: [{ name: "plan", value: "pro" }],
  };
  sandbox.service.describe(respondent);
  sandbox.service.collect("1", [
    { collected_at: "2026-07-01T00:00:00.000000Z", respondent_uuid: respondent.uuid },
    { collected_at: "2026-07-01T00:00:01.000000Z", respondent_uuid: respondent.uuid },
  ]);
  const { items } = await engine.poll(
    { event: "surveyResponse", surveyIds: "1", options: { respondentAttributes: true } },
    memory,
  );
  expect(items!.map(({ json }) => json.attribute_plan)).toEqual(["pro", "pro"]);
  expect(sandbox.service.stats.byEndpoint.respondent_attributes).toBe(1);
});

describe("with respondents' attributes", () => {
  const uuidOf = (index: number) => `${String(index).padStart(8, "0")}-1111-4111-8111-111111111111`;
  const options = { respondentAttributes: true };
  /** Responses of respondents who have a plan, a second apart, from the first of July on. */
  const answered = (surveyId: string, indexes: readonly number[]) => {
    for (const index of indexes) {
      sandbox.service.describe({ uuid: uuidOf(index), attributes: [{ name: "plan", value: `p${index}` }] });
    }
    return sandbox.service.collect(
      surveyId,
      indexes.map((index) => ({
        collected_at: new Date(Date.UTC(2026, 6, 1) + index * 1_000).toISOString().replace("Z", "000Z"),
        respondent_uuid: uuidOf(index),
      })),
    );
  };

  test("a rate limit that is met while attributes are read fails no poll", async () => {
    const parameters = { event: "surveyResponse", surveyIds: "1", options };
    await engine.poll(parameters, memory);
    const ids = answered("1", [1, 2]);
    const reply = { kind: "status", status: 429, retryAfter: 61 } as const;
    sandbox.service.addFaults({ on: "respondent_attributes", reply, times: 1 });
    const more = { event: "surveyResponse", surveyIds: "1, 2", options };
    const { items, reported } = await engine.poll(more, memory);
    expect((reported[0] as NodeApiError).description).toMatch(/^The workspace's rate limit is reached\./);
    expect(Object.keys(JSON.parse(memory.memory as string).watch.state.surveys)).toEqual(["1", "2"]);
    const otherRun = await Engine.start(() => ({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));
    const later = await otherRun.poll(parameters, memory);
    expect([...idsOf(items ?? []), ...idsOf(later.items!)].sort()).toEqual(ids.sort());
    expect(idsOf(later.items!).length).toBeGreaterThan(0);
  });

  test("a respondent who cannot be read holds back their own responses only, and is named", async () => {
    const parameters = { event: "surveyResponse", surveyIds: "1, 2", options };
    await engine.poll(parameters, memory);
    const ofFirst = answered("1", [1, 2, 3]);
    const ofSecond = answered("2", [4]);
    sandbox.service.addFaults({
      on: `${uuidOf(2)}/attributes`,
      reply: { kind: "status", status: 403 },
    });
    const { items, reported } = await engine.poll(parameters, memory);
    expect(idsOf(items!)).toEqual([ofFirst[0], ofFirst[2], ...ofSecond]);
    const [error] = reported as NodeApiError[];
    expect(error!.message).toBe(`The attributes of respondent "${uuidOf(2)}" could not be read`);
    expect(error!.description).toMatch(
      /^The service refuses access with this API key\. .* turn off "Include Respondent Attributes"\.$/,
    );
    expect(await engine.poll(parameters, memory)).toEqual({ items: null, reported: [] });
    sandbox.service.clearFaults();
    expect(idsOf((await engine.poll(parameters, memory)).items!)).toEqual([ofFirst[1]]);
  });

  test("a response that waits takes no place of another one", async () => {
    const parameters = {
      event: "surveyResponse",
      surveyIds: "1, 2",
      options: { ...options, mostPerPoll: 3 },
    };
    await engine.poll(parameters, memory);
    const ofFirst = answered("1", [1, 2, 3, 4, 5]);
    const ofSecond = answered("2", [6, 7]);
    sandbox.service.addFaults({
      on: `${uuidOf(2)}/attributes`,
      reply: { kind: "status", status: 403 },
    });
    const waits = ofFirst[1]!;
    const failing = [await engine.poll(parameters, memory), await engine.poll(parameters, memory)];
    const handedOver = failing.flatMap(({ items }) => idsOf(items ?? []));
    expect(handedOver.toSorted()).toEqual([...ofFirst, ...ofSecond].filter((id) => id !== waits).sort());
    sandbox.service.clearFaults();
    expect(idsOf((await engine.poll(parameters, memory)).items!)).toEqual([waits]);
  });

  test.each([
    ["answers 403", { kind: "status", status: 403 } as const],
    ["does not answer", { kind: "delay", ms: 20_000 } as const],
  ])(
    "a respondent who %s stops no other survey whose attributes take all of the time",
    async (_, reply) => {
      const parameters = { event: "surveyResponse", surveyIds: "1, 2", options };
      await engine.poll(parameters, memory);
      answered("1", [1]);
      const indexes = Array.from({ length: 40 }, (_, index) => index + 10);
      const ofSecond = answered("2", indexes);
      sandbox.service.addFaults({ on: `${uuidOf(1)}/attributes`, reply });
      sandbox.service.addFaults({ on: "respondent_attributes", reply: { kind: "delay", ms: 350 } });
      const polls: (readonly INodeExecutionData[] | null)[] = [];
      for (let number = 0; number < 6; number++) {
        polls.push((await engine.poll(parameters, memory, { budgetMs: 2_500 })).items);
      }
      expect(polls[0]).not.toBeNull();
      expect(idsOf(polls.flatMap((items) => items ?? [])).sort()).toEqual(ofSecond.sort());
    },
    30_000,
  );

  test("the report of a respondent shows no identifier that is to be left out", async () => {
    const personal = { ...options, omitPersonalData: ["respondent_identifiers"] };
    const parameters = { event: "surveyResponse", surveyIds: "1", options: personal };
    await engine.poll(parameters, memory);
    answered("1", [1]);
    sandbox.service.addFaults({ on: "respondent_attributes", reply: { kind: "status", status: 403 } });
    const { reported } = await engine.poll(parameters, memory);
    const [error] = reported as NodeApiError[];
    expect(error!.message).toBe('The attributes of respondent "…" could not be read');
    expect(error!.description).toContain('turn off "Include Respondent Attributes"');
    expect(JSON.stringify([error!.message, error!.description, memory])).not.toContain(uuidOf(1));
  });

  test("a poll whose time is too short hands over some, and the next ones the others", async () => {
    const parameters = { event: "surveyResponse", surveyIds: "1", options };
    await engine.poll(parameters, memory);
    const indexes = Array.from({ length: 40 }, (_, index) => index);
    const ids = answered("1", indexes);
    sandbox.service.addFaults({ on: "respondent_attributes", reply: { kind: "delay", ms: 350 } });
    const portions: INodeExecutionData[][] = [];
    for (let polls = 0; polls < 10; polls++) {
      const { items } = await engine.poll(parameters, memory, { budgetMs: 2_500 });
      if (items === null) break;
      portions.push([...items]);
    }
    expect(portions.length).toBeGreaterThan(1);
    expect(idsOf(portions.flat()).sort()).toEqual(ids.sort());
    expect(new Set(portions.flat().map(({ json }) => json.attribute_plan))).toEqual(
      new Set(indexes.map((index) => `p${index}`)),
    );
  }, 30_000);
});

test("a respondent who does not answer is named, and what was read of other surveys is remembered", async () => {
  const options = { respondentAttributes: true };
  await poll({ options });
  const [waiting] = collect("1", 1);
  sandbox.service.addFaults({ on: "respondent_attributes", reply: { kind: "delay", ms: 5_000 } });
  const parameters = { event: "surveyResponse", surveyIds: "1, 2", options };
  const { items, reported } = await engine.poll(parameters, memory, { budgetMs: 2_500 });
  expect(items).toBeNull();
  expect(reported.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^The attributes of respondent "[0-9a-f-]{36}" could not be read$/),
  ]);
  expect((reported[0] as NodeApiError).description).toContain("no complete response within 1 s");
  sandbox.service.clearFaults();
  const [fresh] = collect("2", 1);
  const next = await engine.poll(parameters, memory, { budgetMs: 2_500 });
  expect(idsOf(next.items!).sort()).toEqual([waiting, fresh].sort());
});

test.each([36_000, 300_000])(
  "a survey that was never there fails no poll with durable cursors, whatever its time (%i ms)",
  async (budgetMs) => {
    const parameters = { event: "surveyResponse", surveyIds: "1, nowhere" };
    const options = { budgetMs, durable: true };
    expect((await engine.poll(parameters, memory, options)).items).toBeNull();
    const [id] = collect("1", 1);
    expect(idsOf((await engine.poll(parameters, memory, options)).items!)).toEqual([id]);
  },
);

test("a survey that was never there is reported once when the activation has passed beside it", async () => {
  await poll({ surveyIds: "1" });
  collect("1", 1);
  const parameters = { event: "surveyResponse", surveyIds: "1, nowhere" };
  const first = await engine.poll(parameters, memory);
  expect([first.items?.length, first.reported.length]).toEqual([1, 1]);
  expect(await engine.poll(parameters, memory)).toEqual({ items: null, reported: [] });
});

test("a poll that gets too little time for a page says so and changes nothing", async () => {
  await poll();
  collect("1", 300);
  const before = JSON.stringify(memory);
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 5_000 } });
  const { surveyIds, event } = { surveyIds: "1", event: "surveyResponse" };
  await expect(engine.poll({ surveyIds, event }, memory, { budgetMs: 1_500 })).rejects.toThrow(
    "The new responses could not be read in the time that n8n gives a poll",
  );
  expect(JSON.stringify(memory)).toBe(before);
});
