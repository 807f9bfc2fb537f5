import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SandboxOptions } from "../../../sandbox/index.ts";
import { DIALECTS, type DialectName, type ResponseInput } from "../../../sandbox/index.ts";
import { formatTimestamp } from "../../../sandbox/time.ts";
import {
  inProcess,
  overSocket,
  pageOf,
  responseOf,
  type TestClient,
  TRANSPORTS,
  walk,
} from "../support/client.ts";
import { anna, list, respondents, surveys } from "../support/six-responses.ts";

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
  await compare(one, client);
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
  it("distinguishes responses of one timestamp in several surveys, one a page, each once", async () => {
    const responses = Array.from({ length: 3 }, () => ({ collected_at: timestamp(1), respondent_uuid: "p" }));
    const surveys = ["1", "2", "3"].map((id) => ({ id, responses }));
    const client = await inProcess({ choices: DIALECTS.cursor, surveys });
    const { items, ended } = await walk(client, "/respondents/p/responses?items_per_page=1");
    expect(ended).toBe("last_page");
    expect(items).toHaveLength(9);
    expect(new Set(items.map((item) => responseOf(item).uuid)).size).toBe(9);
  });
});

describe.each(TRANSPORTS)("pages of a dialect %s", (_, connect) => {
  const connectWith = (options: SandboxOptions) => connect({ surveys, respondents, ...options });

  it("every list of the dialect closing ends with an empty page that links to itself", async () => {
    const service = await connectWith({ choices: DIALECTS.closing });
    for (const path of [list, `/respondents/${anna}/responses`, `/respondents/${anna}/attributes`]) {
      const { ended, items } = await walk(service, `${path}?items_per_page=1`);
      expect([path, ended]).toEqual([path, "empty_page"]);
      expect(items.length).toBeGreaterThan(1);
    }
    expect(service.service.stats.malformed).toBe(0);
  });

  it("attribute links that begin at the last item repeat it, and cannot go on with one item a page", async () => {
    const service = await connectWith({ choices: { continuation: "last_item" } });
    const path = `/respondents/${anna}/attributes`;
    const page = pageOf(await service.get(`${path}?items_per_page=1`));
    expect(page.pagination_data.next_url).toBe(`${path}?start=2&items_per_page=1`);
    expect(await walk(service, `${path}?items_per_page=1`)).toMatchObject({ ended: "stuck" });
  });

  it.each([
    ["shows_millis", "2026-01-06T00:00:00.123Z"],
    ["shows_seconds", "2026-01-06T00:00:00Z"],
  ] as const)("the dialect %s filters by digits that it does not show", async (name, shown) => {
    const service = await connectWith({ choices: DIALECTS[name] });
    const count = async (query: string) => pageOf(await service.get(`${list}?${query}`)).data.length;
    expect(responseOf(pageOf(await service.get(list)).data[0]).collected_at).toBe(shown);
    expect(await count("end=2026-01-06T00:00:00.123456Z")).toBe(1);
    expect(await count("end=2026-01-06T00:00:00.123457Z")).toBe(0);
    expect(await count("start=2026-01-01T00:00:00.123456Z")).toBe(1);
    expect(await count("start=2026-01-01T00:00:00.123455Z")).toBe(0);
    expect([...service.service.truth.responses("1")].at(-1)!.collected_at).toBe(shown);
  });
});
