import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageOf, type Interval } from "../../../../connector/core/coverage/coverage.ts";
import { LATEST } from "../../../../connector/core/coverage/timestamp.ts";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import { type CutOptions, chooseCut } from "../../../../connector/core/sync/split.ts";
import { type Slice, SurveyList, type SurveyPage } from "../../../../connector/core/sync/survey-list.ts";
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

/** Reads a survey with as many slices as can be cut. `order` decides which page comes next. */
function readSplit(
  places: readonly number[],
  itemsPerPage: number,
  dialect: Dialect,
  older: number | undefined,
  order: readonly number[],
  listed?: Listed,
) {
  const service = createListService(dialect, new Map());
  for (const [number, timestamp] of places.entries())
    service.add({ uuid: `r${number}`, survey: "s1", person: "p", at: timestamp });
  const survey = new SurveyList({
    id: "s1",
    gaps: [{ older: older === undefined ? null : at(older), newer: undefined }],
    edges: new Set<never>(),
    settings: { itemsPerPage, attributes: [] },
  });
  const delivered: string[] = [];
  const covered: Interval[] = [];
  const waiting: { slice: Slice; path: string }[] = [];
  let [requests, slices] = [0, 1];
  for (;;) {
    while (waiting.length < 5) {
      const free = survey.next();
      const idle = 5 - waiting.length;
      const cut = free
        ? undefined
        : chooseCut(survey.slices, { itemsPerPage, idle, listed: () => listed, share: 0 });
      if (cut) survey.split(cut);
      const slice = free ?? survey.next();
      if (slice === undefined) break;
      if (cut) slices += cut.at.length;
      slice.isUnderWay = true;
      waiting.push({ slice, path: slice.walk.path! });
    }
    expect(waiting.length).toBeLessThanOrEqual(5);
    const [answered] = waiting.splice((order[requests++ % order.length] ?? 0) % waiting.length, 1);
    if (answered === undefined) break;
    const { slice, path } = answered;
    const page = survey.accept(
      slice,
      parseItemPage(service.answer(path, HEALTHY).body, slice.walk.newestAllowed, PRESENT, true),
    );
    delivered.push(...(page?.items ?? []).map(({ uuid }) => uuid));
    for (const read of page?.read ?? []) covered.push(...read.covered);
    survey.giveBack(slice);
  }
  expect([survey.isRead, service.complaints]).toEqual([true, []]);
  const wanted = service.responses.filter((response) => older === undefined || response.at >= older);
  return { delivered, wanted: wanted.map(({ uuid }) => uuid), covered, slices };
}

it("slices of one gap deliver everything once, in whatever order their pages come, and cover the whole gap", () => {
  let split = 0;
  const runs = Math.ceil(RUNS.numRuns / 4);
  fc.assert(
    fc.property(
      fc.array(fc.nat(300), { minLength: 1, maxLength: 90 }),
      fc.integer({ min: 1, max: 4 }),
      dialects,
      fc.option(fc.nat(300), { nil: undefined, freq: 2 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 30 }),
      listings,
      (places, size, dialect, older, order, listed) => {
        const { delivered, wanted, covered, slices } = readSplit(places, size, dialect, older, order, listed);
        if (slices > 1) split++;
        expect(delivered.sort()).toEqual(wanted.sort());
        expect(coverageOf(covered)).toEqual([[older === undefined ? null : at(older), LATEST]]);
      },
    ),
    { numRuns: runs },
  );
  expect(split).toBeGreaterThan(runs / 4);
});

it("a list that ends after a few pages, by the estimate, is one plain walk", () => {
  const places = Array.from({ length: 30 }, (_, number) => number * 10);
  expect(readSplit(places, 10, PLAIN, 0, [0]).slices).toBe(1);
});

/** Ten responses have come, one each ten milliseconds, the last of them at 1 s. */
function sliceDownTo(end: number | null, { edges = [] as number[], kept = false } = {}): Slice {
  return {
    walk: { path: "/", position: at(1_000_000), older: end === null ? null : at(end), density: 0.0001 },
    survey: { grain: 1000, edges: new Set(edges.map((each) => at(1000 * each))), seen: 10 },
    kept: kept ? {} : undefined,
  } as unknown as Slice;
}
const cutOf = (slices: Slice[], options: Partial<CutOptions> = {}) =>
  chooseCut(slices, { itemsPerPage: 1, idle: 4, listed: () => undefined, share: 0, ...options });
const milliseconds = (...places: number[]) => places.map((place) => at(1000 * place));

it("a cut is in the slice with the most pages left, into a part for each slot, and not where a coverage begins", () => {
  const [short, long] = [sliceDownTo(900_000), sliceDownTo(0)];
  expect(cutOf([short, long, sliceDownTo(0), short])).toEqual({
    slice: long,
    at: milliseconds(200, 400, 600, 800),
  });
  expect(cutOf([long], { idle: 1 })?.at).toEqual(milliseconds(500));
  expect(cutOf([sliceDownTo(0, { edges: [500, 499] })], { idle: 1 })?.at).toEqual(milliseconds(498));
  expect(cutOf([sliceDownTo(null, { kept: true })])).toBeUndefined();
});

it("of a list of which nothing is known, ten times what has come is taken to follow", () => {
  expect(cutOf([sliceDownTo(null)])?.at).toEqual(milliseconds(200, 400, 600, 800));
});

describe("what the list of surveys says of a survey", () => {
  const cutsOf = (responses: number | undefined, created = 0, end: number | null = null, share = 0) => {
    const listed = { responses, createdAt: at(created) };
    return cutOf([sliceDownTo(end)], { listed: () => listed, share })?.at;
  };

  it("ends the cuts with its number, and with its beginning", () => {
    expect(cutsOf(60)).toEqual(milliseconds(600, 700, 800, 900));
    expect(cutsOf(1000)).toEqual(milliseconds(200, 400, 600, 800));
    expect(cutsOf(1000, 500_000)).toEqual(milliseconds(600, 700, 800, 900));
    expect(cutsOf(1000, 0, 750_000)).toEqual(milliseconds(800, 850, 900, 950));
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
    expect(cutsOf(responses, created)).toEqual(milliseconds(200, 400, 600, 800));
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

describe("a page of one slice, above other slices", () => {
  const LINK = "/surveys/s/responses?page=2";
  const body = (places: readonly number[], next?: string): string =>
    JSON.stringify({
      pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
      data: places.map((place) => ({ uuid: `r${place}`, collected_at: at(place) })),
    });
  /** A list of which one page has come, in three slices: down to 60, to 30 and to its beginning. */
  function sliced() {
    const gaps = [{ older: null, newer: undefined }];
    const survey = new SurveyList({
      id: "s",
      gaps,
      edges: new Set(),
      settings: { itemsPerPage: 2, attributes: [] },
    });
    const take = (slice: Slice, places: readonly number[], next?: string) => {
      const page = survey.accept(
        slice,
        parseItemPage(body(places, next), slice.walk.newestAllowed, PRESENT, true),
      );
      survey.giveBack(slice);
      return page;
    };
    const first = survey.next()!;
    take(first, [95, 90], LINK);
    survey.split({ slice: first, at: [at(30), at(60)] });
    const [, middle, last] = survey.slices as [Slice, Slice, Slice];
    return { survey, take, first, middle, last };
  }

  it("ends those that it proves empty, and none that is under way or has shown something", () => {
    const empty = sliced();
    expect(empty.take(empty.first, [80, 20], LINK)?.read).toHaveLength(2);
    expect(empty.survey.slices).toEqual([empty.last]);
    for (const isUnderWay of [true, false]) {
      const { survey, take, first, middle, last } = sliced();
      if (!isUnderWay) take(middle, [50, 45], LINK);
      middle.isUnderWay = isUnderWay;
      expect(take(first, [80, 20], LINK)?.read).toHaveLength(1);
      expect(survey.slices).toEqual([middle, last]);
    }
  });

  const ends = (page: SurveyPage | undefined) => page?.endsAboveOthers;

  it("that says that the list ends is believed if none of them is under way: they are empty", () => {
    const { survey, take, first } = sliced();
    const page = take(first, [80]);
    expect([ends(page), page?.read.length, survey.isRead]).toEqual([false, 3, true]);
  });

  it("that says so waits for those that are under way, and is believed if they show nothing", () => {
    const { survey, take, first, middle, last } = sliced();
    survey.lend(last);
    expect(take(first, [80])).toBeUndefined();
    expect(survey.next(), "the one between them can be read meanwhile").toBe(middle);
    survey.lend(middle);
    expect(survey.next()).toBeUndefined();
    expect(ends(take(last, []))).toBe(false);
    expect(ends(take(middle, []))).toBe(false);
    expect(survey.next()).toBe(first);
    const page = survey.accept(first, first.kept!);
    expect([ends(page), page?.items.length, survey.isRead]).toEqual([false, 1, true]);
  });

  it("that says so is not believed if one of them has shown more: the next sync reads between the two", () => {
    const { take, first, middle, last } = sliced();
    take(last, [20, 10], LINK);
    expect(take(middle, [50])).toMatchObject({
      endsAboveOthers: true,
      read: [{}, { doubtful: [[at(30), at(50)]] }],
    });
    expect(ends(take(last, [5]))).toBe(false);
    expect(take(first, [80])).toMatchObject({
      endsAboveOthers: true,
      read: [{}, { doubtful: [[at(60), at(80)]] }],
    });
  });
});
