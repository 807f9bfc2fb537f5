import { setTimeout as sleep } from "node:timers/promises";
import type { IDataObject } from "n8n-workflow";
import { describe, expect, test, vi } from "vitest";
import { inAnotherRun, startWatching, survey } from "../../../support/watching.ts";

const at = await startWatching();
const refused = { on: "survey_responses", reply: { kind: "status", status: 403 } } as const;
const REFUSED = "The service refuses access with this API key";
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

test("a burst comes in one execution, oldest first, for a request a hundred", async () => {
  await at.ids();
  const burst = at.collect("1", 1_200);
  at.service.resetStats();
  expect(await at.ids()).toEqual(burst);
  expect(at.service.stats.requests).toBeLessThanOrEqual(13);
  expect(await at.ids()).toBeNull();
});

test("a poll whose time ends hands over the newest part, and the next one resumes", async () => {
  await at.ids();
  const burst = at.collect("1", 1_200);
  at.service.addFaults(slowly(700));
  const first = (await at.poll({}, { budgetMs: 3_000 })).ids!;
  at.service.clearFaults();
  expect(first).toEqual(burst.slice(-first.length));
  expect(first.length).toBeLessThan(burst.length);
  expect(await at.ids()).toEqual(burst.slice(0, -first.length));
});

describe("a poll that fails", () => {
  test("without a memory throws, so that n8n refuses the activation", async () => {
    at.service.addFaults(refused);
    await expect(at.poll()).rejects.toThrow(REFUSED);
    expect(at.memory).toEqual({});
    await expect(at.poll({ surveyIds: "1, 99" })).rejects.toThrow(REFUSED);
  });

  test.each(["init", "activate"] as const)(
    "with a memory is reported once a day, changes nothing, and the next one finds the same (%s)",
    async (activation) => {
      await at.ids();
      const fresh = at.collect("1", 3);
      const before = JSON.stringify(at.memory);
      at.service.addFaults(refused);
      const messages = async () => (await at.poll({}, { activation })).messages;
      expect(await messages()).toEqual([REFUSED]);
      expect(await messages()).toEqual([]);
      const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 24 * 3_600_000);
      expect(await messages()).toEqual([REFUSED]);
      now.mockRestore();
      expect(JSON.stringify(at.memory)).toBe(before);
      at.service.clearFaults();
      expect(await at.ids()).toEqual(fresh);
      at.service.addFaults(refused);
      expect(await messages()).toEqual([REFUSED]);
    },
  );

  test("halfway hands over what it has read and says so; the next one gets the rest", async () => {
    await at.ids();
    const burst = at.collect("1", 230);
    at.service.addFaults({ on: "start=", reply: refused.reply });
    const { ids, messages } = await at.poll();
    expect([ids, messages]).toEqual([burst.slice(-100), [REFUSED]]);
    at.service.clearFaults();
    expect(await at.ids()).toEqual(burst.slice(0, -100));
  });

  test("since its time is too short for a page says so and changes nothing", async () => {
    await at.ids();
    at.collect("1", 300);
    const before = JSON.stringify(at.memory);
    at.service.addFaults(slowly(5_000));
    expect((await at.poll({}, { budgetMs: 1_500 })).messages).toEqual([
      "The new responses could not be read in the time of the poll",
    ]);
    expect(JSON.stringify(at.memory)).toBe(before);
  });

  test("with a setting that cannot be used throws, whatever is remembered", async () => {
    await at.ids();
    await expect(at.poll({ surveyIds: "" })).rejects.toThrow('"Survey IDs" is empty');
  });

  test("since its memory cannot be read says how to start over", async () => {
    for (const memory of ["{", "null", '{"state":{},"handed_over":{}}']) {
      const { reported } = await at.poll({}, {}, { memory });
      at.engine.nodeId = crypto.randomUUID();
      expect(reported.map(({ message }) => message)).toEqual(["The trigger's memory cannot be read"]);
      expect(reported[0]!.description).toMatch(/^To start over, delete the node and add it again/);
    }
  });
});

describe("a survey that cannot be read", () => {
  const surveyIds = "1, 2";

  test("does not hold up the others, and is reported once", async () => {
    await at.poll({ surveyIds });
    at.service.remove({ surveys: ["2"] });
    const fresh = at.collect("1", 1);
    const { ids, messages } = await at.poll({ surveyIds });
    expect([ids, messages]).toEqual([fresh, ['Survey "2" was not found']]);
    expect(await at.poll({ surveyIds })).toMatchObject({ ids: null, messages: [] });
  });

  test("is named beside the others", async () => {
    await at.poll();
    at.collect("1", 1);
    // Somebody has pasted the key.
    const { reported } = await at.poll({ surveyIds: `1, 98, 99, ${at.sandbox.apiKey}` });
    expect(reported[0]!.message).toBe('Survey "98" was not found');
    expect(reported[0]!.description).toMatch(/These surveys could not be read either: "99", "\*{4}"\.$/);
  });

  test("refuses activation by a person if the trigger does not know it, and no start of n8n", async () => {
    await at.poll();
    const added = { surveyIds: "1, 99" };
    const reported: Error[] = [];
    await expect(at.poll(added, { reported })).rejects.toThrow('Survey "99" was not found');
    expect(reported).toEqual([]);
    expect((await at.poll(added, { activation: "init" })).messages).toEqual(['Survey "99" was not found']);
    expect(await at.poll(added, { activation: "init" })).toMatchObject({ ids: null, messages: [] });
  });

  test("is told once if the activation passed beside new responses", async () => {
    await at.poll();
    const fresh = at.collect("1", 1);
    const added = { surveyIds: "1, 99" };
    expect(await at.poll(added)).toMatchObject({ ids: fresh, messages: ['Survey "99" was not found'] });
    expect(await at.poll(added)).toMatchObject({ ids: null, messages: [] });
  });
});

test("a response that cannot be read is reported once, and starts the workflow when it can be read", async () => {
  await at.poll();
  const fresh = at.collect("1", 3);
  at.service.addFaults({ on: "survey_responses", reply: { kind: "items", which: "first", drop: ["uuid"] } });
  const { ids, messages } = await at.poll();
  expect([ids?.length, messages]).toEqual([2, ["The service sent something that cannot be read"]]);
  expect(await at.poll()).toMatchObject({ ids: null, reported: [] });
  at.service.clearFaults();
  expect([...ids!, ...(await at.ids())!].sort()).toEqual(fresh.sort());
});

test("a survey that had no responses starts the workflow with its first", async () => {
  await at.restart([survey("1", 0)]);
  for (let polls = 0; polls < 3; polls++) expect(await at.poll()).toMatchObject({ ids: null, messages: [] });
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

describe("fetching a test event", () => {
  test("shows the response with the most columns, costs one request, and remembers nothing", async () => {
    await at.restart([survey("1", 0)]);
    const said = (question_id: number) => ({ question_id, question_type: "single", answer: "Yes" });
    const [, full] = [[], [said(1), said(2)], [said(3)], []].flatMap((answers, second) =>
      at.service.collect("1", [{ collected_at: `2026-07-01T00:00:0${second}.000000Z`, fields: { answers } }]),
    );
    for (const output of ["simplified", "answers", "raw"])
      expect(new Set(await at.ids({ output }, { mode: "manual" })), output).toEqual(new Set([full]));
    const selected = { output: "selected", fields: ["response_uuid", "answer_3"] };
    expect((await at.poll(selected, { mode: "manual" })).ids).not.toEqual([full]);
    expect([at.memory, at.service.stats.requests]).toEqual([{}, 4]);
  });

  test("without any response gives advice", async () => {
    await at.restart([survey("1", 0)]);
    await expect(at.ids({}, { mode: "manual" })).rejects.toThrow(
      "There is no response yet to show as an example",
    );
  });
});

describe("polls that meet", () => {
  test.each([
    ["one memory", (memory: IDataObject) => memory],
    ["a copy of the memory for each (durable cursors)", (memory: IDataObject) => ({ ...memory })],
  ])("start nothing twice, with %s", async (_, memoryOf) => {
    await at.poll();
    const fresh = at.collect("1", 30);
    at.service.addFaults(slowly(200));
    const memories = [1, 2, 3].map(() => memoryOf(at.memory));
    const polls = await Promise.all(memories.map((memory) => at.poll({}, {}, memory)));
    expect(polls.flatMap(({ ids }) => ids ?? []).sort()).toEqual(fresh.sort());
  });

  test("a poll with the memory from before the last one starts nothing twice, and all if n8n lost that one", async () => {
    await at.poll();
    const fresh = at.collect("1", 3);
    const again = async () => (await at.poll({}, {}, { ...at.memory })).ids;
    expect(await again()).toEqual(fresh);
    expect(await again()).toBeNull();
    const elapsed = vi.spyOn(performance, "now").mockReturnValue(61_000 + performance.now());
    const later = await again();
    elapsed.mockRestore();
    expect(later).toEqual(fresh);
  });

  test("a poll hands over nothing that another one handed over while it read", async () => {
    await at.poll();
    const fresh = at.collect("1", 3);
    const other = { ...at.memory };
    expect((await (await inAnotherRun(at)).poll({}, {}, other)).ids).toEqual(fresh);
    at.service.addFaults(slowly(300));
    const slow = at.poll();
    await sleep(100);
    Object.assign(at.memory, other);
    expect((await slow).ids).toBeNull();
  });
});

describe("with respondents' attributes", () => {
  const options = { respondentAttributes: true };

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

  test("a response comes without those that cannot be read, and n8n's log says so", async () => {
    await at.poll({ options });
    const fresh = at.answered("1", [1, 2, 3]);
    at.service.addFaults(at.refusing(2));
    const warn = vi.spyOn(at.engine.logger, "warn");
    const { ids, plans, messages } = await at.poll({ options });
    const said = warn.mock.calls.map(([message]) => message);
    warn.mockRestore();
    expect([ids, plans, messages]).toEqual([fresh, ["p1", undefined, "p3"], []]);
    expect(said).toContainEqual(
      expect.stringMatching(
        /^The attributes of 1 respondent could not be read\. Their responses are handed over without attributes\. The service refuses/,
      ),
    );
    expect((await at.poll({ options })).ids).toBeNull();
  });

  test("all responses come, though the time ends before all people are asked for", async () => {
    await at.poll({ options });
    const fresh = at.answered(
      "1",
      Array.from({ length: 60 }, (_, index) => index),
    );
    at.service.addFaults(slowly(350, "respondent_attributes"));
    const { ids, plans } = await at.poll({ options }, { budgetMs: 3_000 });
    expect(ids).toEqual(fresh);
    expect(plans).toContain("p1");
    expect(plans).toContain(undefined);
  });
});
