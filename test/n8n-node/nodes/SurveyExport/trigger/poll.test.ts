import type { IDataObject, INodeParameters, NodeApiError } from "n8n-workflow";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Sandbox } from "../../../../../sandbox/index.ts";
import { sandboxForTest, surveyOf } from "../../../../support/sandbox.ts";
import { Engine, type PollOptions } from "../../../support/engine.ts";
import { at, errorOf } from "../../../support/set-up.ts";

/* What a watch hands over, and when, is tested in the core. Here is what the node makes of it. */

let sandbox: Sandbox;
let memory: IDataObject;
const engine = await Engine.start(() => ({ baseUrl: sandbox.url, apiKey: sandbox.apiKey }));

beforeEach(async () => {
  const to = "2026-06-30T00:00:00.000000Z";
  const surveys = [surveyOf("1", 250, { to }), surveyOf("2", 30, { to }), surveyOf("3", 0)];
  sandbox = await sandboxForTest({ surveys, limits: false });
  memory = {};
  engine.nodeId = crypto.randomUUID();
});

/** A poll of the survey 1, if the parameters name no others. The memory has been in n8n's database. */
async function poll(parameters: INodeParameters = {}, options: PollOptions = {}, remembered?: IDataObject) {
  memory = JSON.parse(JSON.stringify(memory));
  const usual = { surveys: ["1"], minimumAgeMinutes: 0 };
  const given = { ...usual, ...parameters };
  const { items, reported } = await engine.poll(given, remembered ?? memory, options);
  return {
    /** The responses that it hands over, by UUID. */
    ids: items?.map(({ json }) => String(json.response_uuid ?? json.uuid)) ?? null,
    messages: reported.map(({ message }) => message),
    advice: reported.map((error) => (error as NodeApiError).description),
  };
}
const ids = async (...call: Parameters<typeof poll>) => (await poll(...call)).ids;

const refused = { on: "survey_responses", reply: { kind: "status", status: 403 } } as const;
const REFUSED = "The service refuses access with this API key";
/** Answers that come this late. */
const slowly = (ms: number, on = "survey_responses") => ({ on, reply: { kind: "delay", ms } as const });

test("the first poll starts nothing; each response after it starts the workflow once, also a late one", async () => {
  expect([await ids(), await ids()]).toEqual([null, null]);
  const first = sandbox.service.collect("1", { count: 1, now: true, lateByMs: 60_000 });
  expect([await ids(), await ids()]).toEqual([first, null]);
  const late = sandbox.service.collect("1", { count: 1, lateByMs: 29 * 60_000, now: true });
  const new_ = sandbox.service.collect("1", { count: 1 });
  expect([await ids(), await ids()]).toEqual([[...late, ...new_], null]);
});

describe("watches", () => {
  const all = { watch: "all" };

  test("selected surveys, unless the form says otherwise", async () => {
    await expect(poll({ surveys: undefined })).rejects.toThrow('"Survey Names or IDs" is empty');
  });

  test.each([[["1", "3"]], ["={{ ['1', '3'] }}"], ["={{ '1, 3' }}"]])(
    "selected surveys, given as %j",
    async (surveys) => {
      const selected = { watch: "selected", surveys };
      await poll(selected);
      for (const id of ["1", "2"]) sandbox.service.collect(id, { count: 1 });
      expect(await ids(selected)).toHaveLength(1);
    },
  );

  test("all surveys, with the names that the list has shown", async () => {
    await poll(all);
    sandbox.service.addSurvey(surveyOf("4", 0));
    const fresh = ["1", "2", "4"].flatMap((id) => sandbox.service.collect(id, { count: 1, now: true }));
    const before = sandbox.service.stats.byEndpoint.survey_list ?? 0;
    expect((await ids(all))?.sort()).toEqual(fresh.sort());
    expect(sandbox.service.stats.byEndpoint.survey_list).toBe(before + 1);
    sandbox.service.addSurvey(surveyOf("5", 0));
    expect(await ids(all, { mode: "manual" })).toHaveLength(1);
    expect(sandbox.service.stats.byPath["/v2/surveys/5/responses"]).toBeUndefined();
  });

  test.each([[["1", "3"]], ["={{ '1, 3' }}"]])(
    "all surveys but those that are excluded, given as %j",
    async (excludedSurveys) => {
      const others = { ...all, options: { excludedSurveys } };
      await poll(others);
      const [fresh] = ["2", "1"].map((id) => sandbox.service.collect(id, { count: 1, now: true }));
      expect(await ids(others)).toEqual(fresh);
      expect(await ids(others, { mode: "manual" })).toHaveLength(1);
      expect(
        Object.keys(sandbox.service.stats.byPath).filter((path) => /surveys\/[13]\//.test(path)),
      ).toEqual([]);
    },
  );

  test("all surveys, and names those to exclude that do not exist, once", async () => {
    const others = { ...all, options: { excludedSurveys: ["1", "97", "Pricing"] } };
    sandbox.service.addSurvey({ id: "9", name: "Pricing", responses: [], questions: [] });
    const first = await poll(others);
    expect(first.messages).toEqual(['No survey has these excluded IDs: "97", "Pricing"']);
    expect(first.advice[0]).toMatch(/^"Pricing" is the name of survey "9"\. Choose the surveys to exclude/);
    const fresh = sandbox.service.collect("2", { count: 1, now: true });
    expect(await poll(others)).toMatchObject({ ids: fresh, messages: [] });
    expect((await poll({ surveys: ["1"], options: others.options })).messages).toEqual([]);
  });

  test("selected surveys, of which one may have been deleted", async () => {
    await poll({ surveys: ["1", "3"] });
    sandbox.service.remove({ surveys: ["3"] });
    const { messages, advice } = await poll({ surveys: "={{ ['1', '3'] }}" });
    expect(messages).toEqual(['Survey "3" was not found']);
    expect(advice[0]).toMatch(/^The survey may have been deleted: then remove it from this node\./);
    const manual = { mode: "manual" } as const;
    const chosen = await errorOf(engine.poll({ surveys: ["3"] }, {}, manual));
    expect((chosen as NodeApiError).description).toBe(advice[0]);
    const wrong = await errorOf(engine.poll({ surveys: "={{ '97' }}" }, {}, manual));
    expect((wrong as NodeApiError).description).toMatch(/^Check the ID, and that the API key belongs/);
  });

  test("all surveys although one cannot be read at first, which does not refuse the activation", async () => {
    sandbox.service.addFaults({ on: "/surveys/2/", reply: { kind: "status", status: 403 } });
    expect((await poll(all)).messages).toEqual([`Survey "Survey 2 (2)": ${REFUSED}`]);
    sandbox.service.clearFaults();
    const fresh = sandbox.service.collect("2", { count: 1, now: true });
    expect(await ids(all)).toEqual(fresh);
  });

  test("and says so when the time is over before the list was read", async () => {
    for (let id = 1_000; id < 1_800; id++)
      sandbox.service.addSurvey({ id: String(id), responses: [], questions: [] });
    await poll(all);
    // Eight pages, each in time.
    sandbox.service.addFaults(slowly(300, "survey_list"));
    const { messages } = await poll(all, { budgetMs: 3_000 });
    expect(messages).toEqual(["The new responses could not be read in the time of the poll"]);
  });
});

describe("a poll that fails", () => {
  test.each([
    ["a refused key", {}, REFUSED],
    ["a wrong ID next to a right one", { surveys: ["3", "99"] }, 'Survey "99" was not found'],
    ["a setting that cannot be used", { surveys: "={{ ' , ' }}" }, '"Survey Names or IDs" is empty'],
    [
      "an expression that cannot be evaluated",
      { options: { lookbackMinutes: "={{ $('Nowhere').item }}" } },
      'The expression in "Lookback (Minutes)" cannot be evaluated',
    ],
  ])("without a memory throws, so that n8n refuses the activation: %s", async (_, parameters, message) => {
    if (message === REFUSED) sandbox.service.addFaults(refused);
    await expect(poll(parameters)).rejects.toThrow(message);
    expect(memory).toEqual({});
  });

  test("with a memory is reported once a day, and the next one finds the same", async () => {
    await poll();
    const fresh = sandbox.service.collect("1", { count: 3 });
    const before = JSON.parse(memory.memory as string);
    const messages = async () => (await poll()).messages;
    sandbox.service.addFaults(refused);
    const named = [`Survey "1": ${REFUSED}`];
    expect([await messages(), await messages()]).toEqual([named, []]);
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 24 * 3_600_000);
    expect(await messages()).toEqual(named);
    now.mockRestore();
    expect(JSON.parse(memory.memory as string)).toEqual(before);
    sandbox.service.clearFaults();
    expect(await ids()).toEqual(fresh);
    sandbox.service.addFaults(refused);
    expect(await messages()).toEqual(named);
  });

  test.each([401, 402, 403])("throws a refusal (%i) that n8n's scheduler backs off from", async (status) => {
    await poll();
    const scheduled = { budgetMs: 36_000 };
    sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "status", status } });
    expect(await errorOf(poll({}, scheduled))).toMatchObject({
      failure: { cause: status === 401 ? "credential-invalid" : "configuration-invalid" },
    });
    sandbox.service.clearFaults();
    sandbox.service.addFaults({ on: "survey_responses", reply: { kind: "status", status: 500 } });
    expect(await poll({}, scheduled)).toMatchObject({
      ids: null,
      messages: ['Survey "1": The service is not available'],
    });
  });

  test("since its time is too short for a page says so and changes nothing", async () => {
    await poll();
    sandbox.service.collect("1", { count: 3 });
    const before = JSON.parse(memory.memory as string);
    sandbox.service.addFaults(slowly(30_000));
    const { ids, messages, advice } = await poll({}, { budgetMs: 1_500 });
    expect(ids).toBeNull();
    expect(messages).toEqual(["The service did not answer"]);
    expect(advice[0]).toMatch(/^The next poll tries again\. .+ Not read: "1"\.$/);
    expect(JSON.parse(memory.memory as string)).toEqual(before);
  });

  test("since its memory cannot be read says how to start over", async () => {
    const { messages, advice } = await poll({}, {}, { memory: '{"state":{},"handed_over":{}}' });
    expect(messages).toEqual(["The trigger's memory cannot be read"]);
    expect(advice[0]).toMatch(/^To start over, delete the node and add it again/);
  });
});

test.each([
  [{ output: "raw" }, 80_000],
  [{}, 72_000],
])("a poll keeps time for what it reads after the responses: %j", async (parameters, responsesMs) => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  await poll(parameters, { budgetMs: 100_000 });
  const [[ofResponses] = [], [ofAll] = []] = timeout.mock.calls;
  timeout.mockRestore();
  expect({ ofResponses, ofAll }).toEqual({ ofResponses: responsesMs, ofAll: 80_000 });
});

test("surveys that cannot be read do not hold up the others, and are reported once, without a pasted key", async () => {
  await poll();
  const fresh = sandbox.service.collect("1", { count: 1 });
  const surveys = ["1", "98", "99", sandbox.apiKey];
  const first = await poll({ surveys });
  expect(first).toMatchObject({ ids: fresh, messages: ['Survey "98" was not found'] });
  expect(first.advice[0]).toMatch(/These surveys could not be read either: "99", "\*{4}"\.$/);
  // Now its failure comes last.
  sandbox.service.addFaults(slowly(100, "/surveys/98/"));
  expect(await poll({ surveys })).toMatchObject({ ids: null, messages: [] });
});

test("surveys that nobody answers for are named, and the others are read in the same poll", async () => {
  const all = Array.from({ length: 12 }, (_, at) => String(at + 1));
  for (const id of all.slice(3)) sandbox.service.addSurvey(surveyOf(id, 0));
  await poll({ surveys: all });
  const fresh = all.slice(5).flatMap((id) => sandbox.service.collect(id, { count: 1 }));
  sandbox.service.addFaults(slowly(60_000, "/surveys/[1-5]/"));
  const { ids, messages, advice } = await poll({ surveys: all }, { budgetMs: 10_000 });
  expect(ids?.toSorted()).toEqual(fresh.toSorted());
  expect(messages).toEqual(["The service did not answer"]);
  expect(advice[0]).toMatch(/Not read: "Survey 1 \(1\)", .+, "Survey 5 \(5\)"\.$/);
}, 60_000);

test("a response that cannot be read is reported once, and starts the workflow when it can be read", async () => {
  await poll();
  const fresh = sandbox.service.collect("1", { count: 3 });
  const reply = { kind: "items", drop: ["uuid"] } as const;
  sandbox.service.addFaults({ on: "survey_responses", reply });
  const { ids: others, messages } = await poll();
  expect(others).toHaveLength(2);
  expect(messages).toEqual(["The service sent something that cannot be read"]);
  expect(await poll()).toMatchObject({ ids: null, messages: [] });
  sandbox.service.clearFaults();
  expect([...others!, ...(await ids())!].sort()).toEqual(fresh.sort());
});

test("a response waits until it has the minimum age, which is 5 minutes by default", async () => {
  const parameters = { minimumAgeMinutes: undefined };
  await poll(parameters);
  const [old, young] = sandbox.service.collect(
    "1",
    [360, 240].map((agoS) => ({
      collected_at: new Date(Date.now() - agoS * 1_000).toISOString().replace("Z", "000Z"),
    })),
  );
  expect([await ids(parameters), await ids(parameters)]).toEqual([[old], null]);
  expect(await ids()).toEqual([young]);
  for (const minimumAgeMinutes of [-1, "={{ '' }}", "={{ null }}"]) {
    const sentence = '"Minimum Age (Minutes)" is not a whole number of at least 0';
    await expect(poll({ minimumAgeMinutes }, {}, {})).rejects.toThrow(sentence);
  }
});

describe("fetching a test event", () => {
  const manual = { mode: "manual" } as const;

  test("shows the response with the most answers, and remembers nothing: a request for the survey, for its questions and for its name", async () => {
    const said = (question_id: number) => ({ question_id, question_type: "single", answer: "Yes" });
    const [, full] = [[], [said(1), said(2)], [said(3)], []].flatMap((answers, second) =>
      sandbox.service.collect("3", [{ collected_at: at(second), fields: { answers } }]),
    );
    expect(await ids({ surveys: ["3"], minimumAgeMinutes: 1_000_000 }, manual)).toEqual([full]);
    expect(memory).toEqual({});
    expect(sandbox.service.stats.requests).toBe(3);
  });

  test("of all surveys passes over one that cannot be read", async () => {
    const reply = { kind: "status", status: 403 } as const;
    sandbox.service.addFaults({ on: "surveys/2/responses", reply });
    expect(await ids({ watch: "all" }, manual)).toHaveLength(1);
    sandbox.service.addFaults({ on: "surveys/1/responses", reply });
    await expect(poll({ watch: "all" }, manual)).rejects.toThrow(REFUSED);
  });

  test("without any response gives advice", async () => {
    await expect(poll({ surveys: ["3"] }, manual)).rejects.toThrow(
      "There is no response yet to show as an example",
    );
  });
});

describe("polls that meet", () => {
  test.each([
    ["one memory", (one: IDataObject) => one],
    ["a copy of the memory for each (durable cursors)", (one: IDataObject) => ({ ...one })],
  ])("start nothing twice, with %s", async (_, memoryOf) => {
    await poll();
    const fresh = sandbox.service.collect("1", { count: 30 });
    sandbox.service.addFaults(slowly(200));
    const polls = await Promise.all([1, 2, 3].map(() => poll({}, {}, memoryOf(memory))));
    expect(polls.flatMap((one) => one.ids ?? []).sort()).toEqual(fresh.sort());
  });

  test("a poll with the memory from before the last one starts nothing twice, and all if n8n lost that one", async () => {
    await poll();
    const fresh = sandbox.service.collect("1", { count: 3 });
    const again = () => ids({}, {}, { ...memory });
    expect([await again(), await again()]).toEqual([fresh, null]);
    const elapsed = vi.spyOn(performance, "now").mockReturnValue(61_000 + performance.now());
    const later = await again();
    elapsed.mockRestore();
    expect(later).toEqual(fresh);
  });

  test("nothing starts twice after the workflow was published again, while a poll of it from before still runs", async () => {
    await poll();
    const fresh = sandbox.service.collect("1", { count: 3 });
    /** Begins a poll of which the service answers this late. */
    const begun = async (lateByMs: number, remembered: IDataObject) => {
      sandbox.service.clearFaults();
      sandbox.service.addFaults(slowly(lateByMs));
      const requests = () => sandbox.service.stats.byEndpoint.survey_responses;
      const before = requests();
      const polled = ids({}, {}, remembered);
      await vi.waitFor(() => expect(requests()).toBeGreaterThan(before));
      return () => polled;
    };
    const fromBefore = await begun(500, { ...memory });
    const published = { memory: `${memory.memory} ` };
    const after = await begun(3_000, { ...published });
    // n8n drops what it returns.
    await fromBefore();
    expect(await ids({}, {}, { ...published })).toBeNull();
    expect(await after()).toEqual(fresh);
  });
});
