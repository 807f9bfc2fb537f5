import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject, INodeExecutionData, INodeParameters, NodeApiError } from "n8n-workflow";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
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

test("a burst of thousands comes in portions, oldest first, none missed and none twice", async () => {
  await poll();
  const burst = collect("1", 3_200);
  const emitted: string[] = [];
  const requests: number[] = [];
  for (;;) {
    sandbox.service.resetStats();
    const items = await poll({ options: { mostPerPoll: 500 } });
    if (items === null) break;
    requests.push(sandbox.service.stats.requests);
    expect(items.length).toBeLessThanOrEqual(500);
    emitted.push(...items);
  }
  expect(emitted).toEqual(burst);
  expect(Math.max(...requests)).toBeLessThan(60);
});

test("a poll that fails half way changes nothing, and the next one finds the same", async () => {
  await poll();
  const burst = collect("1", 230);
  const before = JSON.stringify(memory);
  sandbox.service.addFaults({ on: "start=", reply: "status_500" });
  await expect(poll()).rejects.toThrow("The service is not available");
  expect(JSON.stringify(memory)).toBe(before);
  sandbox.service.clearFaults();
  expect(await poll()).toEqual(burst);
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

test("a survey that cannot be read does not hold up the others, and each poll reports it", async () => {
  await poll({ surveyIds: "1, 2" });
  sandbox.service.remove({ surveys: ["2"] });
  const fresh = collect("1", 1);
  const { items, reported } = await engine.poll({ event: "surveyResponse", surveyIds: "1, 2" }, memory);
  expect(idsOf(items!)).toEqual(fresh);
  expect(reported.map(({ message }) => message)).toEqual(['Survey "2" was not found']);
  await expect(poll({ surveyIds: "1, 2" })).rejects.toThrow('Survey "2" was not found');
});

test("activation is refused when a survey is not found", async () => {
  await expect(poll({ surveyIds: "1, 99" })).rejects.toThrow('Survey "99" was not found');
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

test("a poll hands over nothing that another one handed over while it read", async () => {
  await poll();
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

test("a memory of version 0.1 goes on, also one that ran into the future", async () => {
  const newest = [...sandbox.service.truth.responses("1")].at(-1)!;
  const time = newest.collected_at;
  memory = { version: 1, surveys: { "1": { newest: time, since: time, ids: { [newest.uuid]: time } } } };
  const fresh = collect("1", 2);
  expect(await poll()).toEqual(fresh);
  const year = "2126-01-01T00:00:00.000000Z";
  memory = { version: 1, surveys: { "1": { newest: year, since: year, ids: { ahead: year } } } };
  const now = new Date().toISOString().replace("Z", "000Z");
  const [present] = sandbox.service.collect("1", [{ collected_at: now }]);
  expect(await poll()).toEqual([present]);
  expect(await poll()).toBeNull();
});

test.each(["constructor", "toString", "__proto__"])('a survey with the ID "%s" is remembered', async (id) => {
  await sandbox.close();
  sandbox = await startSandbox({ surveys: [survey(id, 3)], limits: false });
  expect(await poll({ surveyIds: id })).toBeNull();
  const fresh = collect(id, 2);
  expect(await poll({ surveyIds: id })).toEqual(fresh);
  expect(await poll({ surveyIds: id })).toBeNull();
});

test("a backlog that grows is reported once, and a burst is not", async () => {
  const options = { mostPerPoll: 2 };
  const reports: string[] = [];
  const pollTwo = async () => {
    const parameters = { event: "surveyResponse", surveyIds: "1", options };
    const { items, reported } = await engine.poll(parameters, memory);
    reports.push(...reported.map(({ message }) => message));
    return items?.length ?? 0;
  };
  await pollTwo();
  collect("1", 20);
  while ((await pollTwo()) > 0);
  expect(reports).toEqual([]);
  for (let polls = 0; polls < 6; polls++) {
    collect("1", 5);
    expect(await pollTwo()).toBe(2);
  }
  expect(reports).toEqual(["Responses arrive faster than the workflow takes them"]);
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

test("an empty list of surveys is told", async () => {
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

test("a poll that gets too little time says so and changes nothing", async () => {
  await poll();
  collect("1", 300);
  const before = JSON.stringify(memory);
  sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "delay", ms: 900 } });
  const { surveyIds, event } = { surveyIds: "1", event: "surveyResponse" };
  await expect(engine.poll({ surveyIds, event }, memory, { budgetMs: 1_500 })).rejects.toThrow(
    "The new responses could not be read in the time that n8n gives a poll",
  );
  expect(JSON.stringify(memory)).toBe(before);
});
