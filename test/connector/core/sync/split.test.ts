import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageOf, type Interval } from "../../../../connector/core/coverage/coverage.ts";
import { LATEST } from "../../../../connector/core/coverage/timestamp.ts";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import type { Slice } from "../../../../connector/core/sync/slice.ts";
import { Slices } from "../../../../connector/core/sync/slices.ts";
import { type CutOptions, chooseCut } from "../../../../connector/core/sync/split.ts";
import { settingsOf } from "../../../../connector/core/sync/sync-options.ts";
import { createListService, type Dialect, HEALTHY } from "../../../support/list-service.ts";
import { PLAIN } from "../../../support/sync-story.ts";
import { at, PRESENT, RUNS } from "../coverage/support/timestamps.ts";

const dialects: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  honoursEnd: fc.boolean(),
  shows: fc.constant("microseconds"),
  hasDate: fc.boolean(),
});

type Listed = ReturnType<CutOptions["listed"]>;
/** What the list of surveys says of the survey, right or wrong. */
const listings: fc.Arbitrary<Listed> = fc.record({
  responses: fc.option(fc.nat(200), { nil: undefined }),
  createdAt: fc.option(fc.nat(300).map(at), { nil: undefined }),
});

/** The answer to one request is wrong: it says that the list ends there, or is empty and promises more. */
interface Lie {
  readonly request: number;
  readonly isEmpty: boolean;
}

interface Reading {
  readonly older?: number | undefined;
  /** Decides which of the pages under way comes next. */
  readonly order?: readonly number[];
  readonly listed?: Listed;
  readonly lie?: Lie | undefined;
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Reads a survey by five workers, with as many slices as can be cut. */
async function readSplit(
  places: readonly number[],
  itemsPerPage: number,
  dialect: Dialect,
  { older, order = [0], listed, lie }: Reading = {},
) {
  const service = createListService(dialect, new Map());
  for (const [number, timestamp] of places.entries())
    service.add({ uuid: `r${number}`, survey: "s1", person: "p", at: timestamp });
  const settings = settingsOf({ surveyIds: [], respondentUuids: [], streams: new Map(), itemsPerPage });
  const gap = { older: older === undefined ? null : at(older), newer: undefined };
  const slices = new Slices(["s1"], { settings, gapsOf: () => [gap], listed: () => listed, slots: 5 });
  slices.plan();
  const delivered: string[] = [];
  const covered: Interval[] = [];
  const parts = new Set<Slice>();
  const waiting: (() => void)[] = [];
  let [requests, lied] = [0, false];
  const answerTo = ({ walk }: Slice): string => {
    const { body } = service.answer(walk.path!, HEALTHY);
    if (requests++ !== lie?.request) return body;
    const { data, pagination_data } = JSON.parse(body) as Body;
    // The short end of a list, or of its lowest part, is believed (I2).
    const isDoubted = lie.isEmpty
      ? pagination_data.has_more
      : walk.isAboveOthers || data.length >= itemsPerPage;
    lied = isDoubted;
    if (!isDoubted) return body;
    return JSON.stringify(lie.isEmpty ? { pagination_data, data: [] } : { pagination_data: END, data });
  };
  const work = async (): Promise<void> => {
    for (let slice = await slices.take(); slice; slice = await slices.take()) {
      parts.add(slice);
      const body = answerTo(slice);
      await new Promise<void>((resolve) => waiting.push(resolve));
      const page = slices.accept(slice, parseItemPage(body, slice.walk.newestAllowed, PRESENT, true));
      delivered.push(...page.items.map(({ uuid }) => uuid));
      if (page.covered) covered.push(page.covered);
      expect([page.holes, page.problem]).toEqual([[], undefined]);
      slices.giveBack(slice);
    }
  };
  let isDone = false;
  const all = Promise.all([1, 2, 3, 4, 5].map(work)).then(() => {
    isDone = true;
  });
  for (let step = 0; !isDone; step++) {
    await tick();
    expect(waiting.length).toBeLessThanOrEqual(5);
    const [answer] = waiting.splice((order[step % order.length] ?? 0) % Math.max(1, waiting.length), 1);
    answer?.();
  }
  await all;
  expect([slices.remaining, service.complaints]).toEqual([0, []]);
  const wanted = service.responses.filter((response) => older === undefined || response.at >= older);
  return { delivered, wanted: wanted.map(({ uuid }) => uuid), covered, slices: parts.size, requests, lied };
}

interface Body {
  readonly data: readonly unknown[];
  readonly pagination_data: { readonly has_more: boolean };
}
const END = { has_more: false };

it("parts of one gap deliver everything once and cover it all, in whatever order pages come, also if one is wrong", async () => {
  let [split, lied] = [0, 0];
  const runs = Math.ceil(RUNS.numRuns / 4);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(300), { minLength: 1, maxLength: 90 }),
      fc.integer({ min: 1, max: 4 }),
      dialects,
      fc.record({
        older: fc.option(fc.nat(300), { nil: undefined, freq: 2 }),
        order: fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
        listed: listings,
        lie: fc.option(fc.record({ request: fc.nat(30), isEmpty: fc.boolean() }), { nil: undefined }),
      }),
      async (places, size, dialect, reading) => {
        const read = await readSplit(places, size, dialect, reading);
        if (read.slices > 1) split++;
        if (read.lied) lied++;
        expect(read.delivered.sort()).toEqual(read.wanted.sort());
        const older = reading.older === undefined ? null : at(reading.older);
        expect(coverageOf(read.covered)).toEqual([[older, LATEST]]);
      },
    ),
    { numRuns: runs },
  );
  expect(split).toBeGreaterThan(runs / 4);
  expect(lied).toBeGreaterThan(runs / 10);
});

it("a list that ends after a few pages, by the estimate, is one plain walk", async () => {
  const places = Array.from({ length: 30 }, (_, number) => number * 10);
  expect((await readSplit(places, 10, PLAIN, { older: 0 })).slices).toBe(1);
});

it("a list whose full last page is asked past is not cut meanwhile: that costs one request", async () => {
  const places = Array.from({ length: 30 }, (_, number) => 1 + number * 10_000);
  const listed = { responses: 29, createdAt: undefined };
  expect(await readSplit(places, 10, PLAIN, { listed })).toMatchObject({ slices: 1, requests: 4 });
});

/** Ten responses have come, one each ten milliseconds, the last of them at 1 s. */
function sliceDownTo(
  end: number | null,
  { edges = [] as number[], isSetAside = false, isAboveOthers = false } = {},
): Slice {
  return {
    walk: {
      path: "/",
      position: at(1_000_000),
      older: end === null ? null : at(end),
      density: 0.0001,
      isAboveOthers,
    },
    survey: { seen: { grain: 1000 }, edges: new Set(edges.map((each) => at(1000 * each))), responses: 10 },
    isSetAside,
  } as unknown as Slice;
}
const cutOf = (slices: Slice[], options: Partial<CutOptions> = {}) =>
  chooseCut(slices, { itemsPerPage: 1, idle: 4, listed: () => undefined, share: 0, ...options });
const milliseconds = (...places: number[]) => places.map((place) => at(1000 * place));

it("a cut is in the slice with the most pages left, into a part for each slot, and not where a coverage begins", () => {
  const above = { isAboveOthers: true };
  const [short, long] = [sliceDownTo(900_000, above), sliceDownTo(0, above)];
  const listed = () => ({ responses: 1000, createdAt: undefined });
  expect(cutOf([short, long, sliceDownTo(0, above), short], { listed })).toEqual({
    slice: long,
    at: milliseconds(200, 400, 600, 800),
  });
  expect(cutOf([long], { idle: 1, listed })?.at).toEqual(milliseconds(500));
  const edges = sliceDownTo(0, { ...above, edges: [500, 499] });
  expect(cutOf([edges], { idle: 1, listed })?.at).toEqual(milliseconds(498));
  expect(cutOf([sliceDownTo(null, { isSetAside: true })])).toBeUndefined();
});

it("of a list of which nothing is known, twice what has come is taken to follow, and no more than fits", () => {
  expect(cutOf([sliceDownTo(null)])?.at).toEqual(milliseconds(840, 880, 920, 960));
  expect(cutOf([sliceDownTo(900_000)])?.at).toEqual(milliseconds(920, 940, 960, 980));
});

describe("what the list of surveys says of a survey", () => {
  const cutsOf = (responses: number | undefined, created = 0, end: number | null = null, share = 0) => {
    const listed = { responses, createdAt: at(created) };
    return cutOf([sliceDownTo(end)], { listed: () => listed, share })?.at;
  };

  it("ends the cuts with its number", () => {
    expect(cutsOf(60)).toEqual(milliseconds(600, 700, 800, 900));
    expect(cutsOf(110)).toEqual(milliseconds(200, 400, 600, 800));
  });

  it("is more than fits at the density of the last pages: then there is one cut, in the middle down to its beginning", () => {
    expect(cutsOf(1000)).toEqual(milliseconds(500));
    expect(cutsOf(1000, 500_000)).toEqual(milliseconds(750));
    expect(cutsOf(1000, 0, 750_000)).toEqual(milliseconds(875));
  });

  it("makes fewer parts if these were shorter than one and a half pages, and none of less than three", () => {
    expect([12, 13, 14, 15, 16, 18, 100].map((count) => cutsOf(count)?.length)).toEqual([
      ...[undefined, 1, 1, 2, 3, 4, 4],
    ]);
  });

  it.each([
    ["no number", undefined, 0],
    ["fewer responses than have come", 9, 0],
  ])("counts for nothing if it is %s", (_, responses, created) => {
    expect(cutsOf(responses, created)).toEqual(milliseconds(840, 880, 920, 960));
  });

  it("of a lowest part is taken for what it holds, however sparse that was so far; of a part above, if it fits", () => {
    const listed = () => ({ responses: 1000, createdAt: at(0) });
    const cutAt = (slice: Slice) => cutOf([slice], { listed, idle: 1, itemsPerPage: 50 })?.at;
    expect(cutAt(sliceDownTo(null))).toEqual(milliseconds(500));
    expect(cutAt(sliceDownTo(0, { isAboveOthers: true }))).toBeUndefined();
  });

  it("never leads to a time before 1970, however large its number is", () => {
    const listed = () => ({ responses: 1e12, createdAt: undefined });
    expect(cutOf([sliceDownTo(null)], { listed })).toBeUndefined();
  });

  it("counts for nothing if it was created after what has come", () => {
    expect(cutsOf(60, 1_000_001)).toEqual(milliseconds(600, 700, 800, 900));
  });

  it("cuts a survey that is one of many only if it is long", () => {
    expect(cutsOf(59, 0, null, 59)).toBeUndefined();
    expect(cutsOf(59, 0, null, 58)).toHaveLength(4);
    expect(cutsOf(60, 0, null, 60)).toHaveLength(4);
  });
});
