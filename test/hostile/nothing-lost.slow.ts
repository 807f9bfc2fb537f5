import { expect, it } from "vitest";
import { RESPONSE_STREAMS, type Synced, startExport } from "./export.ts";
import { at, HOUR, type Item, item, items, MINUTE, NOW, timestamp, uuid } from "./service.ts";

/** All ids that the syncs delivered, by stream; each stream must have all of `expected`. */
function expectAll(expected: readonly Item[], ...syncs: readonly Synced[]): void {
  const ids = expected.map((one) => one.uuid).sort();
  for (const stream of RESPONSE_STREAMS) {
    const delivered = new Set(syncs.flatMap((sync) => sync.ids(stream)));
    expect([...delivered].sort(), stream).toEqual(ids);
  }
}

it("a response an hour ahead hides nothing that arrives before its date", async () => {
  await using e = await startExport({ items: [...items(12), item(500, { at: NOW + HOUR })] });
  const { behaviour } = e.service;
  const syncs = [await e.sync()];
  expect(syncs[0]!.log).toContain("later than the service's own present");
  for (let round = 1; round < 4; round++) {
    const now = at(new Date().toISOString());
    behaviour.items.push(item(600 + round, { at: now - MINUTE }), item(700 + round, { at: now + MINUTE }));
    syncs.push(await e.sync({ state: syncs.at(-1)!.state }));
  }
  for (const sync of syncs) expect(sync.code).toBe(0);
  expectAll(behaviour.items, ...syncs);
});

it("a state of version 1 that reaches an hour into the future heals, with a warning", async () => {
  await using e = await startExport({ items: items(12) });
  const reaching = RESPONSE_STREAMS.map((name) => ({
    type: "STREAM",
    stream: {
      stream_descriptor: { name },
      stream_state: { version: 1, surveys: { a: [[null, timestamp(NOW + HOUR)]] } },
    },
  }));
  const healing = await e.sync({ state: reaching });
  expect(healing.log).toContain("reaches into the future");
  const arrived = item(50, { at: at(new Date().toISOString()) });
  e.service.behaviour.items.push(arrived);
  expectAll([arrived], await e.sync({ state: healing.state }));
});

/** Somebody whose response is younger than a day is asked for once in a sync: nobody waits for a second answer. */
const young = (number: number) => ({ at: NOW - 20n * HOUR + BigInt(number) * MINUTE });

it.each([60, 150])("a spell of %i times 404 on the respondents' lists loses nobody", async (length) => {
  let asked = 0;
  await using e = await startExport({
    items: items(300, young),
    script: ({ list }) =>
      list === "responses" && ++asked > 40 && asked <= 40 + length ? { status: 404 } : false,
  });
  const first = await e.sync();
  expect(first.status("respondent_responses")).toBe("COMPLETE");
  expect(first.log).toContain("They stay open in the state, and the next sync tries again.");
  expect(first.requests).toBeLessThan(600);
  expectAll(e.service.behaviour.items, first, await e.sync({ state: first.state }));
});

it("an outage of the respondents' lists is reported as one, and loses nobody", async () => {
  await using e = await startExport({
    items: items(300),
    script: ({ list }) =>
      list === "responses" ? { body: { data: [], pagination_data: { has_more: false } } } : false,
  });
  const first = await e.sync();
  expect(first.status("respondent_responses")).toBe("INCOMPLETE");
  expect(first.errors()).toEqual([expect.stringContaining("which looks like an outage")]);
  e.service.behaviour.script = undefined;
  const second = await e.sync({ state: first.state });
  expect(second.code).toBe(0);
  expectAll(e.service.behaviour.items, first, second);
});

it("a respondent who answers 404, a page, 404 is not taken for read", async () => {
  const who = uuid(900_001);
  let asked = 0;
  await using e = await startExport({
    items: items(300, (n) => ({ ...young(n), respondent: n % 2 ? who : uuid(900_000 + n) })),
    script: ({ list, id }) => (list === "responses" && id === who && ++asked !== 2 ? { status: 404 } : false),
  });
  const first = await e.sync();
  expect(first.status("respondent_responses")).toBe("COMPLETE");
  const second = await e.sync({ state: first.state });
  expect(second.status("respondent_responses")).toBe("INCOMPLETE");
  expect(second.errors()).toEqual([expect.stringContaining("was not found any more after")]);
  e.service.behaviour.script = undefined;
  expectAll(e.service.behaviour.items, first, second, await e.sync({ state: second.state }));
});

it("a passing empty page that links to itself hides nothing of a respondent's list", async () => {
  let asked = 0;
  await using e = await startExport({
    items: items(60, () => ({ respondent: uuid(900_000) })),
    script({ list, url }) {
      if (list !== "responses" || ++asked !== 2) return false;
      const next_url = url.pathname.slice("/v2".length) + url.search;
      return { body: { data: [], pagination_data: { has_more: true, next_url } } };
    },
  });
  const first = await e.sync({ config: { items_per_page: 10 } });
  e.service.behaviour.script = undefined;
  expectAll(e.service.behaviour.items, first, await e.sync({ state: first.state }));
});

it.each([undefined, null, { uuid: 7 }])(
  "a response with the respondent %o is reported, and keeps no stream from completing",
  async (respondent) => {
    await using e = await startExport({
      items: items(30, (n) => (n === 7 ? { change: { respondent } } : {})),
    });
    const first = await e.sync();
    expect([first.code, first.ids("survey_responses").length]).toEqual([0, 30]);
    expect(first.log).toContain(`names no respondent ("${uuid(7)}"`);
    expect(first.ids("respondent_responses")).toHaveLength(29);
    const second = await e.sync({ state: first.state, config: { lookback_window: "PT0S" } });
    expect(second.log).not.toContain("names no respondent");
    expect(second.requests).toBeLessThan(5);
  },
);

it.each([0, 3])("a service that shows %i digits and filters by six loses none of 20,000", async (digits) => {
  await using e = await startExport({
    digits,
    items: items(20_000, (n) => ({
      at: NOW - 20n * HOUR + BigInt(n) * (digits ? 1_234n : 1_234_567n),
      respondent: uuid(900_000 + (n % 20)),
    })),
  });
  const first = await e.sync({ config: { items_per_page: 100 } });
  expectAll(e.service.behaviour.items, first, await e.sync({ state: first.state }));
});

it("a respondent's older response that appears late in another survey is found", async () => {
  const respondent = uuid(900_001);
  const inB = items(20, (n) => ({ uuid: uuid(100 + n), survey: "b", respondent: uuid(900_000 + n) }));
  await using e = await startExport({ items: [...items(20, () => ({ respondent })), ...inB] });
  const first = await e.sync();
  const late = item(301, { survey: "b", respondent, at: item(19).at - 5n * MINUTE });
  e.service.behaviour.items.push(late);
  const second = await e.sync({ state: first.state });
  expectAll(e.service.behaviour.items, first, second);
});

it("numbers beyond 2^53 and 1e400 reach the records as they were sent", async () => {
  const answer = {
    question_id: 1,
    question_type: "single",
    answer: { id: "BIG", content: "x", rating: "HUGE" },
  };
  await using e = await startExport({
    items: items(1, () => ({ change: { answers: [answer], more: "BIG" } })),
    script: ({ page }) => ({
      body: JSON.stringify(page().body).replaceAll('"BIG"', "9007199254740993").replaceAll('"HUGE"', "1e400"),
    }),
  });
  const { output } = await e.sync();
  expect(output).toContain('"id":"9007199254740993","content":"x","rating":"1e400"');
  expect(output).toContain('"additional_fields":{"more":"9007199254740993"}');
});
