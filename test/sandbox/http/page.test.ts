import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIALECTS, type DialectName, type ResponseInput } from "../../sandbox/index.ts";
import { formatTimestamp } from "../../sandbox/timestamp.ts";
import { inProcess, overSocket, responseOf, type TestClient, walk } from "./test-client.ts";

const names = Object.keys(DIALECTS) as DialectName[];
const firstMicros = Date.UTC(2026, 0, 1) * 1_000;
/** A millisecond apart, so that a bound can lie between two timestamps in every dialect. */
const stepMicros = 1_000;
const timestamp = (number: number, beside = 0): string =>
  formatTimestamp(firstMicros + number * stepMicros + beside);

interface Case {
  readonly timestamps: number[];
  readonly size: number;
  readonly dialect: DialectName;
  readonly start: readonly [number, number] | undefined;
  readonly end: readonly [number, number] | undefined;
}

const bound = fc.option(fc.tuple(fc.integer({ min: 0, max: 25 }), fc.constantFrom(-1, 0, 1)), {
  nil: undefined,
});

const cases: fc.Arbitrary<Case> = fc
  .record({
    timestamps: fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 60, size: "max" }),
    size: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 4, max: 12 }), fc.constant(100)),
    dialect: fc.constantFrom(...names),
    start: bound,
    end: bound,
  })
  .filter(({ start, end }) => start === undefined || end === undefined || placeOf(start) > placeOf(end));

const placeOf = ([number, beside]: readonly [number, number]): number => number * stepMicros + beside;

/** The result that the API promises for a case, from first principles. */
function promised({ timestamps, size, dialect, start, end }: Case) {
  const low = end === undefined ? -Infinity : placeOf(end);
  const high = start === undefined ? Infinity : placeOf(start);
  const wanted = timestamps.flatMap((number, place) =>
    number * stepMicros >= low && number * stepMicros <= high ? [{ number, uuid: `r${place}` }] : [],
  );
  const crowds = new Map<number, number>();
  for (const { number } of wanted) crowds.set(number, (crowds.get(number) ?? 0) + 1);
  const oldest = Math.min(...crowds.keys());
  const { continuation } = DIALECTS[dialect];
  const stuck = [...crowds].some(([number, crowd]) => {
    if (continuation === "cursor") return false;
    return crowd > size || (continuation === "last_item" && crowd === size && number !== oldest);
  });
  return { uuids: wanted.map(({ uuid }) => uuid), crowds, stuck };
}

async function check(one: Case, connect: typeof inProcess): Promise<void> {
  const responses: ResponseInput[] = one.timestamps.map((number, place) => ({
    uuid: `r${place}`,
    collected_at: timestamp(number),
    fields: { number },
  }));
  const client = await connect({
    limits: false,
    choices: DIALECTS[one.dialect],
    surveys: [{ id: "1", content: "little", responses }],
  });
  try {
    await compare(one, client);
  } finally {
    await client.close();
  }
}

async function compare(one: Case, client: TestClient): Promise<void> {
  const parameters = [`items_per_page=${one.size}`];
  if (one.start !== undefined) parameters.push(`start=${timestamp(...one.start)}`);
  if (one.end !== undefined) parameters.push(`end=${timestamp(...one.end)}`);
  const { items, pages, ended } = await walk(client, `/surveys/1/responses?${parameters.join("&")}`);
  const seen = items.map(responseOf);
  const { uuids, crowds, stuck } = promised(one);
  const choices = DIALECTS[one.dialect];

  expect(client.service.stats.malformed).toBe(0);
  expect(pages.every(({ data }) => data.length <= one.size)).toBe(true);
  for (const [place, page] of pages.entries()) {
    const times = page.data.map((item) => responseOf(item).number);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    if (place > 0 && page.data.length > 0) {
      expect(times[0]).toBeLessThanOrEqual(responseOf(pages[place - 1]?.data.at(-1)).number);
    }
  }
  if (stuck) {
    expect(ended).toBe("stuck");
    return;
  }
  expect(ended).toBe(choices.listEnd);
  expect([...new Set(seen.map(({ uuid }) => uuid))].sort()).toEqual([...uuids].sort());
  const repeats = seen.length - uuids.length;
  if (choices.continuation === "cursor") expect(repeats).toBe(0);
  for (const { uuid, number } of seen) {
    const times = seen.filter((other) => other.uuid === uuid).length;
    const mayRepeat = choices.continuation === "last_item" || crowds.get(number)! > 1;
    if (!mayRepeat) expect(times).toBe(1);
  }
}

describe("walking a survey's list by its links", () => {
  it("yields exactly what lies in the bounds, in order, for any data, page size, bounds and dialect", async () => {
    const met = { stuck: 0, several: 0, bounded: 0 };
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const { uuids, stuck } = promised(one);
        if (stuck) met.stuck += 1;
        if (!stuck && uuids.length > one.size) met.several += 1;
        if (uuids.length > 0 && uuids.length < one.timestamps.length) met.bounded += 1;
        await check(one, inProcess);
      }),
      { numRuns: 1_000 },
    );
    for (const [kind, count] of Object.entries(met)) expect(count, kind).toBeGreaterThan(20);
  });

  it("does the same over a socket", async () => {
    await fc.assert(
      fc.asyncProperty(cases, (one) => check(one, overSocket)),
      { numRuns: 40 },
    );
  });

  it("cannot get through more ties than a page holds, except by exact places", async () => {
    const responses = Array.from({ length: 7 }, (_, number) => ({
      collected_at: timestamp(number < 5 ? 3 : number),
    }));
    const ends = await Promise.all(
      names.map(async (name) => {
        const client = await inProcess({ choices: DIALECTS[name], surveys: [{ id: "1", responses }] });
        const { items, ended } = await walk(client, "/surveys/1/responses?items_per_page=4");
        return [name, ended, new Set(items.map((item) => responseOf(item).uuid)).size];
      }),
    );
    expect(Object.fromEntries(ends.map(([name, ...rest]) => [name, rest]))).toEqual({
      standard: ["stuck", 6],
      inclusive: ["stuck", 6],
      cursor: ["last_page", 7],
      closing: ["stuck", 6],
      stern: ["stuck", 6],
      coarse: ["stuck", 6],
      shows_millis: ["stuck", 6],
      shows_seconds: ["stuck", 6],
      terse: ["stuck", 6],
    });
  });
});

describe("walking a respondent's list by its links", () => {
  it("tells apart responses of one timestamp in several surveys, one a page, each once", async () => {
    const responses = Array.from({ length: 3 }, () => ({ collected_at: timestamp(1), respondent_uuid: "p" }));
    const surveys = ["1", "2", "3"].map((id) => ({ id, responses }));
    const client = await inProcess({ choices: DIALECTS.cursor, surveys });
    const { items, ended } = await walk(client, "/respondents/p/responses?items_per_page=1");
    expect(ended).toBe("last_page");
    expect(items).toHaveLength(9);
    expect(new Set(items.map((item) => responseOf(item).uuid)).size).toBe(9);
  });
});

const changes = fc.record({
  count: fc.integer({ min: 0, max: 150 }),
  respondents: fc.integer({ min: 1, max: 60 }),
  seed: fc.integer({ min: 0, max: 1_000 }),
  tied: fc.integer({ min: 1, max: 4 }),
  density: fc.constantFrom("even", "growing", "steep", "old", "bursts", "burst", "recent"),
  collected: fc.array(fc.tuple(fc.constantFrom("1", "2"), fc.integer({ min: 0, max: 9 }), fc.boolean()), {
    maxLength: 4,
  }),
  removed: fc.array(fc.integer({ min: 0, max: 149 }), { maxLength: 10 }),
  dialect: fc.constantFrom(...names),
  size: fc.integer({ min: 6, max: 100 }),
} as const);

describe("walking all lists of generated data that was added to and taken from", () => {
  it("yields exactly the truth: every survey, every respondent's responses and attributes", async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (one) => {
        const generated = (seed: number) => ({
          seed: one.seed + seed,
          count: one.count,
          respondents: one.respondents,
          density: one.density,
          from: "2024-01-01T00:00:00.000000Z",
          to: "2026-01-01T00:00:00.000000Z",
          ties: { every: 9, size: one.tied },
        });
        const client = await inProcess({
          limits: false,
          seed: one.seed,
          choices: DIALECTS[one.dialect],
          surveys: [
            { id: "1", content: "little", responses: generated(0) },
            { id: "2", content: "little", responses: generated(7) },
          ],
        });
        const { service } = client;
        const { truth } = service;
        for (const [id, count, late] of one.collected) {
          service.collect(id, late ? { count, lateByMs: 86_400_000 } : count);
        }
        const all = [...truth.responses("1")];
        const removed = one.removed.flatMap((place) => all[place]?.uuid ?? []);
        expect(service.remove({ responses: removed })).toBe(new Set(removed).size);

        const everybody = new Set<string>();
        for (const id of truth.surveyIds()) {
          const { items, ended } = await walk(client, `/surveys/${id}/responses?items_per_page=${one.size}`);
          const responses = items.map(responseOf);
          expect(ended).toBe(service.choices.listEnd);
          const walked = new Map(
            responses.map((response) => [response.uuid, [response.collected_at, response.respondent.uuid]]),
          );
          expect(walked).toEqual(
            new Map([...truth.responses(id)].map((r) => [r.uuid, [r.collected_at, r.respondent_uuid]])),
          );
          expect(walked.size).toBe(truth.count(id));
          expect(new Set(responses.map((response) => response.respondent.uuid))).toEqual(
            truth.respondents(id),
          );
          for (const uuid of truth.respondents(id)) everybody.add(uuid);
        }
        for (const uuid of [...everybody].slice(0, 5)) {
          const theirs = await walk(client, `/respondents/${uuid}/responses?items_per_page=${one.size}`);
          expect(new Set(theirs.items.map((item) => responseOf(item).uuid))).toEqual(
            new Set(truth.responsesOf(uuid).map((response) => response.uuid)),
          );
          const attributes = await walk(client, `/respondents/${uuid}/attributes?items_per_page=${one.size}`);
          const records = attributes.items as { id: number }[];
          const distinct = records.filter(
            ({ id }, place) => records.findIndex((other) => other.id === id) === place,
          );
          expect(distinct).toEqual(truth.attributes(uuid));
        }
      }),
      { numRuns: 150 },
    );
  });
});
