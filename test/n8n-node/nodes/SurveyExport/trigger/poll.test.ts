import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject, INodeParameters } from "n8n-workflow";
import { describe, expect, test, vi } from "vitest";
import { ofSurvey } from "../../../support/set-up.ts";
import { inAnotherRun, startWatching, survey } from "../../../support/watching.ts";

const at = await startWatching();
/** Answers that come this late. */
const slowly = (ms: number, on = "survey_responses") => ({ on, reply: { kind: "delay", ms } as const });

test("the first poll remembers existing responses and starts nothing", async () => {
  expect(await at.ids()).toBeNull();
  expect(await at.ids()).toBeNull();
  expect(at.service.stats.requests).toBeLessThanOrEqual(3);
});

test("each new response starts the workflow once, oldest first", async () => {
  await at.ids();
  const first = at.collect("1", 3);
  expect(await at.ids()).toEqual(first);
  expect(await at.ids()).toBeNull();
  const second = at.collect("1", 2);
  expect(await at.ids()).toEqual(second);
});

test("one that shows up late, within the lookback, starts the workflow as well", async () => {
  await at.ids();
  const first = at.collect("1", 2);
  expect(await at.ids()).toEqual(first);
  const late = at.collect("1", 1, 9 * 60_000);
  expect(await at.ids()).toEqual(late);
  at.collect("1", 1, 30 * 60_000);
  expect(await at.ids()).toBeNull();
  expect(await at.ids()).toBeNull();
});

test("responses of one microsecond are all emitted, though a poll takes only some of them", async () => {
  await at.ids();
  const tied = Array.from({ length: 7 }, () => ({ collected_at: "2026-07-01T00:00:00.000001Z" }));
  const uuids = at.service.collect("1", tied);
  const emitted: string[] = [];
  for (let polls = 0; polls < 3; polls++) {
    const ids = await at.ids({ options: { mostPerPoll: 3 } });
    expect(ids!.length).toBeLessThanOrEqual(3);
    emitted.push(...ids!);
  }
  expect(emitted.sort()).toEqual(uuids.sort());
  expect(await at.ids()).toBeNull();
});

test("a burst of thousands comes in portions, the newest first, none missed and none twice", async () => {
  await at.ids();
  const burst = at.collect("1", 3_200);
  const portions: string[][] = [];
  const requests: number[] = [];
  for (;;) {
    at.service.resetStats();
    const ids = await at.ids({ options: { mostPerPoll: 500 } });
    if (ids === null) break;
    requests.push(at.service.stats.requests);
    expect(ids.length).toBeLessThanOrEqual(500);
    portions.push(ids);
  }
  expect(portions.toReversed().flat()).toEqual(burst);
  expect(portions).toHaveLength(7);
  // All of it lies within the lookback, so each poll passes what the polls before it handed over.
  expect(Math.max(...requests)).toBeLessThan(40);
});

test("a poll that fails changes nothing, and the next one finds the same", async () => {
  await at.ids();
  const fresh = at.collect("1", 3);
  const before = JSON.stringify(at.memory);
  at.service.addFaults({ on: "survey_responses", reply: "status_500" });
  await expect(at.ids()).rejects.toThrow("The service is not available");
  expect(JSON.stringify(at.memory)).toBe(before);
  at.service.clearFaults();
  expect(await at.ids()).toEqual(fresh);
});

test("a poll that fails half way hands over what it has read and says so; the next one gets the rest", async () => {
  await at.ids();
  const burst = at.collect("1", 230);
  at.service.addFaults({ on: "start=", reply: "status_500" });
  const { ids, messages } = await at.poll();
  expect([ids, messages]).toEqual([burst.slice(-100), ["The service is not available"]]);
  at.service.clearFaults();
  expect(await at.ids()).toEqual(burst.slice(0, -100));
});

test("a poll that gets too little time for a page says so and changes nothing", async () => {
  await at.ids();
  at.collect("1", 300);
  const before = JSON.stringify(at.memory);
  at.service.addFaults(slowly(5_000));
  await expect(at.poll({}, { budgetMs: 1_500 })).rejects.toThrow(
    "The new responses could not be read in the time that n8n gives a poll",
  );
  expect(JSON.stringify(at.memory)).toBe(before);
});

test("a survey that had no responses starts the workflow with its first", async () => {
  await at.restart([survey("1", 0)]);
  expect(await at.ids()).toBeNull();
  const first = at.collect("1", 2);
  expect(await at.ids()).toEqual(first);
  expect(await at.ids()).toBeNull();
});

test("several surveys are watched, and one that is added later starts from then", async () => {
  await at.ids({ surveyIds: "1" });
  const first = at.collect("1", 1);
  expect(await at.ids({ surveyIds: "1, 2" })).toEqual(first);
  const second = [...at.collect("2", 2), ...at.collect("1", 1)];
  expect(await at.ids({ surveyIds: "1, 2" })).toEqual(second);
});

test("a survey that is added beside one that cannot be read starts from then", async () => {
  await at.ids();
  const surveyIds = "1, 2, 99";
  await expect(at.ids({ surveyIds })).rejects.toThrow('Survey "99" was not found');
  const fresh = at.collect("2", 1);
  expect(await at.ids({ surveyIds })).toEqual(fresh);
});

test("after a restart, a survey without memory that cannot be read does not keep the workflow from running", async () => {
  await at.ids();
  const fresh = at.collect("1", 1);
  const surveyIds = "1, 99";
  expect((await at.poll({ surveyIds }, { activation: "init" })).ids).toEqual(fresh);
  expect((await at.poll({ surveyIds }, { activation: "init" }, {})).reported).toHaveLength(1);
});

test.each(["constructor", "toString", "__proto__"])('a survey with the ID "%s" is remembered', async (id) => {
  await at.restart([survey(id, 3)]);
  expect(await at.ids({ surveyIds: id })).toBeNull();
  const fresh = at.collect(id, 2);
  expect(await at.ids({ surveyIds: id })).toEqual(fresh);
  expect(await at.ids({ surveyIds: id })).toBeNull();
});

test("a response from the future starts the workflow once, and holds nothing up", async () => {
  await at.ids();
  const ahead = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().replace("Z", "000Z");
  const [future] = at.service.collect("1", [{ collected_at: ahead(1) }]);
  expect(await at.ids()).toEqual([future]);
  const between = at.service.collect("1", [{ collected_at: ahead(0) }, { collected_at: ahead(0.5) }]);
  expect(await at.ids()).toEqual(between);
  expect(await at.ids()).toBeNull();
});

test("a service whose clock is behind for a while starts no response again", async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString().replace("Z", "000Z");
  await at.ids();
  const fresh = Array.from({ length: 20 }, (_, index) => ({ collected_at: ago(60 - index) }));
  at.service.collect("1", fresh);
  expect(await at.ids()).toHaveLength(20);
  const [last] = at.service.collect("1", [{ collected_at: ago(0.1) }]);
  expect(await at.ids()).toEqual([last]);
  const behind = { kind: "date_header", offsetMs: -7_200_000 } as const;
  at.service.addFaults({ on: "survey_responses", reply: behind });
  expect(await at.ids()).toBeNull();
  const [newest] = at.service.collect("1", [{ collected_at: ago(0) }]);
  expect(await at.ids()).toEqual([newest]);
  at.service.clearFaults();
  expect(await at.ids()).toBeNull();
});

describe("fetching a test event", () => {
  test("shows the newest response and remembers nothing", async () => {
    const newest = [...at.service.truth.responses("1")].at(-1)!;
    expect(await at.ids({}, { mode: "manual" })).toEqual([newest.uuid]);
    expect(at.memory).toEqual({});
    expect(at.service.stats.requests).toBe(1);
  });

  test("shows the newest response that gives an item", async () => {
    const said = [{ question_id: 1, question_type: "single", answer: "Yes" }];
    const [answered, silent] = [said, []].flatMap((answers, second) =>
      at.service.collect("1", [{ collected_at: `2026-07-01T00:00:0${second}.000000Z`, fields: { answers } }]),
    );
    expect(await at.ids({ output: "answers" }, { mode: "manual" })).toEqual([answered]);
    expect(await at.ids({ output: "simplified" }, { mode: "manual" })).toEqual([silent]);
  });

  test("without any response gives advice", async () => {
    await at.restart([survey("1", 0)]);
    await expect(at.ids({}, { mode: "manual" })).rejects.toThrow(
      "There is no response yet to show as an example",
    );
  });
});

describe("polls that meet", () => {
  test("a poll that begins while another one runs starts nothing twice", async () => {
    at.memory = at.engine.staticData();
    await at.poll();
    const fresh = at.collect("1", 30);
    at.service.addFaults(slowly(200));
    const polls = await Promise.all([1, 2, 3].map(() => at.poll()));
    expect(polls.flatMap(({ ids }) => ids ?? []).sort()).toEqual(fresh.sort());
    expect((await at.poll()).ids).toBeNull();
  });

  test("start nothing twice, also with a copy of the memory for each (durable cursors)", async () => {
    await at.poll();
    const fresh = at.collect("1", 30);
    at.service.addFaults(slowly(200));
    const copies = [1, 2, 3].map((): IDataObject => JSON.parse(JSON.stringify(at.memory)));
    const polls = await Promise.all(copies.map((copy) => at.poll({}, {}, copy)));
    expect(polls.flatMap(({ ids }) => ids ?? []).sort()).toEqual(fresh.sort());
  });

  test("a poll with the memory from before the last one starts nothing twice, and all if n8n lost that one", async () => {
    await at.poll({}, { durable: true });
    const fresh = at.collect("1", 3);
    const again = async () => (await at.poll({}, { durable: true }, { ...at.memory })).ids;
    expect(await again()).toEqual(fresh);
    expect(await again()).toBeNull();
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 61_000);
    const later = await again();
    now.mockRestore();
    expect(later).toEqual(fresh);
  });

  test("a poll hands over nothing that another one handed over while it read", async () => {
    at.memory = at.engine.staticData();
    await at.poll();
    const fresh = at.collect("1", 3);
    const other: IDataObject = JSON.parse(JSON.stringify(at.memory));
    expect((await at.poll({}, {}, other)).ids).toEqual(fresh);
    at.service.addFaults(slowly(300));
    const slow = at.poll();
    await sleep(100);
    Object.assign(at.memory, other);
    expect((await slow).ids).toBeNull();
  });
});

describe("with durable poll cursors, which keep the memory only when a poll does not fail", () => {
  const options = { budgetMs: 36_000, durable: true };
  const durablePoll = async (parameters: INodeParameters) => {
    const copy: IDataObject = JSON.parse(JSON.stringify(at.memory));
    const { ids, messages } = await at.poll(parameters, options, copy);
    at.memory = copy;
    return { ids, messages };
  };

  test("the first scheduled poll is the baseline", async () => {
    await at.ids();
    at.memory = {};
    at.collect("1", 2);
    expect(await at.ids()).toBeNull();
    const later = at.collect("1", 1);
    expect(await at.ids()).toEqual(later);
  });

  test("a survey that is added beside one that is gone starts the workflow, and the report comes once", async () => {
    await durablePoll({});
    at.service.remove({ surveys: ["1"] });
    const surveyIds = "1, 2";
    expect(await durablePoll({ surveyIds })).toEqual({ ids: null, messages: ['Survey "1" was not found'] });
    const fresh = at.collect("2", 2);
    expect(await durablePoll({ surveyIds })).toEqual({ ids: fresh, messages: [] });
    expect(await durablePoll({ surveyIds })).toEqual({ ids: null, messages: [] });
  });

  test.each([36_000, 300_000])(
    "a survey that was never there fails no poll, whatever its time (%i ms)",
    async (budgetMs) => {
      const surveyIds = "1, nowhere";
      expect((await at.poll({ surveyIds }, { budgetMs, durable: true })).ids).toBeNull();
      const fresh = at.collect("1", 1);
      expect((await at.poll({ surveyIds }, { budgetMs, durable: true })).ids).toEqual(fresh);
    },
  );

  test("Repeat After a Crash repeats nothing, also when the next poll runs in another process", async () => {
    const parameters = { options: { repeatAfterCrash: true } };
    await durablePoll(parameters);
    const fresh = at.collect("1", 2);
    expect((await durablePoll(parameters)).ids).toEqual(fresh);
    expect((await (await inAnotherRun(at)).poll(parameters, options)).ids).toBeNull();
  });

  test("a poll that only waited for this n8n's own requests is not a failure", async () => {
    await durablePoll({});
    const before = JSON.stringify(at.memory);
    at.service.addFaults(slowly(3_000));
    const input = Array.from({ length: 10 }, () => ({}));
    const busy = at.engine.run(ofSurvey({ surveyId: "1", limit: 1 }), { input });
    await sleep(200);
    expect((await at.poll({}, { budgetMs: 1_500 })).ids).toBeNull();
    expect(JSON.stringify(at.memory)).toBe(before);
    at.service.clearFaults();
    await busy;
  });
});

describe("with respondents' attributes", () => {
  const options = { respondentAttributes: true };
  const both = { surveyIds: "1, 2", options };
  const delay = { kind: "delay", ms: 350 } as const;

  test("a response comes with those of its respondent, who is asked for once", async () => {
    await at.ids();
    const uuid = "11111111-1111-4111-8111-111111111111";
    at.service.describe({ uuid, attributes: [{ name: "plan", value: "pro" }] });
    const times = ["2026-07-01T00:00:00.000000Z", "2026-07-01T00:00:01.000000Z"];
    at.service.collect(
      "1",
      times.map((collected_at) => ({ collected_at, respondent_uuid: uuid })),
    );
    expect((await at.poll({ options })).plans).toEqual(["pro", "pro"]);
    expect(at.service.stats.byEndpoint.respondent_attributes).toBe(1);
  });

  test("a rate limit that is met while attributes are read fails no poll", async () => {
    await at.poll({ options });
    const fresh = at.answered("1", [1, 2]);
    const reply = { kind: "status", status: 429, retryAfter: 61 } as const;
    at.service.addFaults({ on: "respondent_attributes", reply, times: 1 });
    const { ids, reported } = await at.poll(both);
    expect(reported[0]!.description).toMatch(/^The workspace's rate limit is reached\./);
    expect(Object.keys(JSON.parse(String(at.memory.memory)).watch.state.surveys)).toEqual(["1", "2"]);
    const later = await (await inAnotherRun(at)).poll({ options });
    expect([...(ids ?? []), ...later.ids!].sort()).toEqual(fresh.sort());
    expect(later.ids!.length).toBeGreaterThan(0);
  });

  test("a response that waits takes no place of another one", async () => {
    const three = { ...both, options: { ...options, mostPerPoll: 3 } };
    await at.poll(three);
    const ofFirst = at.answered("1", [1, 2, 3, 4, 5]);
    const ofSecond = at.answered("2", [6, 7]);
    at.service.addFaults(at.refusing(2));
    const waits = ofFirst[1]!;
    const handedOver = [await at.poll(three), await at.poll(three)].flatMap(({ ids }) => ids ?? []);
    expect(handedOver.sort()).toEqual([...ofFirst, ...ofSecond].filter((id) => id !== waits).sort());
    at.service.clearFaults();
    expect((await at.poll(three)).ids).toEqual([waits]);
  });

  test.each([
    ["answers 403", { kind: "status", status: 403 } as const],
    ["does not answer", { kind: "delay", ms: 20_000 } as const],
  ])("a respondent who %s stops no other survey whose attributes take all of the time", async (_, reply) => {
    await at.poll(both);
    at.answered("1", [1]);
    const ofSecond = at.answered(
      "2",
      Array.from({ length: 40 }, (_, index) => index + 10),
    );
    at.service.addFaults({ ...at.refusing(1), reply });
    at.service.addFaults({ on: "respondent_attributes", reply: delay });
    const { ids } = await at.poll(both, { budgetMs: 2_500 });
    expect(ids).not.toBeNull();
    const handedOver = [...ids!];
    // A busy machine needs more polls.
    for (let polls = 0; polls < 30 && handedOver.length < ofSecond.length; polls++)
      handedOver.push(...((await at.poll(both, { budgetMs: 2_500 })).ids ?? []));
    expect(handedOver.sort()).toEqual(ofSecond.sort());
  });

  test("a poll whose time is too short hands over some, and the next ones the others", async () => {
    await at.poll({ options });
    const indexes = Array.from({ length: 40 }, (_, index) => index);
    const fresh = at.answered("1", indexes);
    at.service.addFaults({ on: "respondent_attributes", reply: delay });
    const portions: { readonly ids: readonly string[] | null; readonly plans: readonly unknown[] }[] = [];
    while (portions.length < 30 && portions.at(-1)?.ids !== null)
      portions.push(await at.poll({ options }, { budgetMs: 2_500 }));
    expect(portions.length).toBeGreaterThan(2);
    expect(portions.flatMap(({ ids }) => ids ?? []).sort()).toEqual(fresh.sort());
    expect(new Set(portions.flatMap(({ plans }) => plans))).toEqual(
      new Set(indexes.map((index) => `p${index}`)),
    );
  });
});
