import { afterEach, expect, it } from "vitest";
import { startExport, type Synced } from "./export.ts";
import { at, type Behaviour, type Item, timestamp } from "./service.ts";

let open: Awaited<ReturnType<typeof startExport>>[] = [];
afterEach(async () => {
  for (const one of open) await one.close();
  open = [];
});
async function start(behaviour: Behaviour) {
  const started = await startExport(behaviour);
  open.push(started);
  return started;
}

const NOW = BigInt(Date.now()) * 1000n;
const HOUR = 3_600_000_000n;
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const item = (number: number, change: Partial<Item> = {}): Item => ({
  uuid: uuid(number),
  survey: "a",
  respondent: uuid(900_000 + number),
  at: NOW - 200n * HOUR + BigInt(number) * 60_000_000n,
  ...change,
});
const items = (count: number, change: (number: number) => Partial<Item> = () => ({})) =>
  Array.from({ length: count }, (_, number) => item(number, change(number)));
const both = (synced: Synced) =>
  ["survey_responses", "respondent_responses"].map((s) => `${s} ${synced.status(s)}`).join(", ");

it("A1 a response an hour ahead hides nothing that arrives before its date", async () => {
  const e = await start({ items: [...items(12), item(500, { at: NOW + HOUR })] });
  const seen = { survey_responses: new Set<string>(), respondent_responses: new Set<string>() };
  let state: unknown[] | undefined;
  for (let round = 0; round < 4; round++) {
    const r = await e.sync(state ? { state } : {});
    console.log(round, r.code, both(r), r.requests, r.log, r.errors(), JSON.stringify(r.state));
    for (const s of ["survey_responses", "respondent_responses"] as const) for (const id of r.ids(s)) seen[s].add(id);
    state = r.state;
    e.service.behaviour.items.push(item(600 + round, { at: BigInt(Date.now()) * 1000n }));
    e.service.behaviour.items.push(item(700 + round, { at: BigInt(Date.now()) * 1000n + BigInt(round) * HOUR / 8n }));
  }
  const r = await e.sync({ state });
  for (const s of ["survey_responses", "respondent_responses"] as const) {
    for (const id of r.ids(s)) seen[s].add(id);
    expect([...seen[s]].sort(), s).toEqual(e.service.behaviour.items.map((i) => i.uuid).sort());
  }
});

it("A1b a state that reaches an hour into the future heals", async () => {
  const e = await start({ items: items(12) });
  const first = await e.sync();
  const text = JSON.stringify(first.state);
  const newest = /"([^"]+)"\]\](?!.*"\]\])/.exec(text)![1]!;
  console.log(text, newest);
  const reaching = JSON.parse(text.replaceAll(newest, timestamp(NOW + HOUR)));
  e.service.behaviour.items.push(item(50, { at: NOW - 60_000_000n }));
  const r = await e.sync({ state: reaching });
  console.log(r.code, both(r), r.requests, r.log, JSON.stringify(r.state));
  expect(r.ids("survey_responses")).toContain(uuid(50));
  e.service.behaviour.items.push(item(51, { at: BigInt(Date.now()) * 1000n - 1_000_000n }));
  const r2 = await e.sync({ state: r.state });
  console.log(r2.code, both(r2), r2.requests, r2.log, JSON.stringify(r2.state));
  expect(r2.ids("survey_responses")).toContain(uuid(51));
  expect(r2.ids("respondent_responses")).toContain(uuid(51));
});

it("A2b one respondent answers 404, a page, 404", async () => {
  let n = 0;
  const who = uuid(900_003);
  const older = items(300, (i) => ({ respondent: i % 2 ? who : uuid(900_000 + i) }));
  const e = await start({
    items: older,
    script: ({ id, list }) => (list === "responses" && id === who && ++n !== 2 ? { status: 404, body: {} } : false),
  });
  const r = await e.sync({ streams: ["respondent_responses"] });
  console.log(r.code, both(r), r.requests, r.log, r.errors(), JSON.stringify(r.state), r.ids("respondent_responses").length);
  e.service.behaviour.script = () => false;
  const r2 = await e.sync({ streams: ["respondent_responses"], state: r.state });
  console.log(r2.code, both(r2), r2.requests, r2.log, JSON.stringify(r2.state));
  expect(new Set([...r.ids("respondent_responses"), ...r2.ids("respondent_responses")]).size).toBe(300);
}, 300_000);

it("A3 passing empty page with a self link", async () => {
  let n = 0;
  const who = uuid(900_003);
  const e = await start({
    items: items(60, () => ({ respondent: who })),
    script: ({ id, list, url, page }) => {
      if (list === "responses" && id === who && ++n === 2)
        return { body: { data: [], pagination_data: { has_more: true, next_url: url.pathname.slice(3) + url.search } } };
      return false;
    },
  });
  const r = await e.sync({ streams: ["respondent_responses"], config: { items_per_page: 10 } });
  console.log(r.code, both(r), r.requests, r.log, r.errors(), JSON.stringify(r.state), r.ids("respondent_responses").length);
  e.service.behaviour.script = () => false;
  const r2 = await e.sync({ streams: ["respondent_responses"], state: r.state });
  expect(new Set([...r.ids("respondent_responses"), ...r2.ids("respondent_responses")]).size).toBe(60);
});

it("A4 a response without respondent", async () => {
  for (const respondent of [undefined, null, {}, "x", { uuid: null }, { uuid: "" }, { uuid: 7 }, []]) {
    const e = await start({ items: items(30, (i) => (i === 7 ? { change: { respondent } } : {})) });
    const r = await e.sync({ config: { items_per_page: 10 } });
    console.log(JSON.stringify(respondent), r.code, both(r), r.requests, r.log, r.errors(), JSON.stringify(r.state), r.ids("survey_responses").length);
    e.service.behaviour.items = items(30);
    const r2 = await e.sync({ state: r.state });
    for (const s of ["survey_responses", "respondent_responses"])
    expect(new Set([...r.ids(s), ...r2.ids(s)]).size).toBe(30);
  }
});

it.each([0, 3])("A5 a service that shows %i digits", async (digits) => {
  const step = 1_234_567n / (digits ? 1000n : 1n);
  const e = await start({ digits, items: items(20_000, (i) => ({ at: NOW - 40_000_000_000n + BigInt(i) * step % 39_000_000_000n, respondent: uuid(900_000 + (i % 40)) })) });
  const r = await e.sync();
  console.log(r.code, both(r), r.requests, r.log, r.errors(), JSON.stringify(r.state));
  const r2 = await e.sync({ state: r.state });
  for (const s of ["survey_responses", "respondent_responses"])
  expect(new Set([...r.ids(s), ...r2.ids(s)]).size).toBe(20000);
});

it("A6 late older response in another survey", async () => {
  const who = uuid(900_001);
  const e = await start({ items: [...items(20, () => ({ respondent: who })), ...items(20, (i) => ({ uuid: uuid(100 + i), survey: "b", respondent: i === 3 ? who : uuid(900_000 + i) }))] });
  const r = await e.sync();
  e.service.behaviour.items.push(item(300, { survey: "b", respondent: who, at: NOW - 190n * HOUR }));
  // the late one is within b's lookback
  const late = item(301, { survey: "b", respondent: who, at: item(19).at - 5n * 60_000_000n });
  e.service.behaviour.items.push(late);
  const r2 = await e.sync({ state: r.state });
  console.log(r2.code, both(r2), r2.requests, r2.log, r2.ids("respondent_responses"), JSON.stringify(r2.state));
  expect(r2.ids("respondent_responses")).toContain(uuid(301));
});

it("A7 numbers", async () => {
  const body = JSON.stringify({ data: [{ survey: { id: "a", type: "PageSurvey", name: "n" }, response: { uuid: uuid(1), collected_at: timestamp(NOW - HOUR), answers: [{ question_id: "BIG", question_type: "single", answer: { id: "BIG", content: "x", rating: "HUGE" } }], respondent: { uuid: uuid(2), attributes: [] }, attributes: [{ name: "n", value: "BIG" }], extra: "HUGE", more: "LONG", neg: "NEG" } }], pagination_data: { has_more: false } })
    .replaceAll('"BIG"', "9007199254740993").replaceAll('"HUGE"', "1e400").replaceAll('"LONG"', "0.1234567890123456789").replaceAll('"NEG"', "-0");
  const e = await start({ items: items(1), script: ({ list, id }) => (list === "attributes" ? { body: '{"data":[{"id":9007199254740993,"name":"a","value":"b"}],"pagination_data":{"has_more":false}}' } : { body }) });
  const r = await e.sync({ streams: ["survey_responses", "respondent_responses", "respondent_attributes", "survey_answers"] });
  console.log(r.output);
});
