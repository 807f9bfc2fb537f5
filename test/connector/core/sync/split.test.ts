import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coverageOf, type Interval } from "../../../../connector/core/coverage/coverage.ts";
import { LATEST } from "../../../../connector/core/coverage/timestamp.ts";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import { chooseCut } from "../../../../connector/core/sync/split.ts";
import { type Slice, SurveyList } from "../../../../connector/core/sync/survey-list.ts";
import { createListService, type Dialect, HEALTHY } from "../../../support/list-service.ts";
import { PLAIN } from "../../../support/sync-story.ts";
import { at, PRESENT, RUNS } from "../coverage/support/timestamps.ts";

const dialects: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  closesEmpty: fc.constant(false),
  honoursEnd: fc.boolean(),
  shows: fc.constant("microseconds"),
  hasDate: fc.boolean(),
});

/** Reads a survey with as many slices as can be cut. `order` decides which page comes next. */
function readSplit(
  places: readonly number[],
  itemsPerPage: number,
  dialect: Dialect,
  older: number | undefined,
  order: readonly number[],
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
      const cut = free ? undefined : chooseCut(survey.slices, itemsPerPage);
      const slice = free ?? (cut && survey.split(cut));
      if (slice === undefined) break;
      if (cut) slices++;
      slice.isUnderWay = true;
      waiting.push({ slice, path: slice.walk.path! });
    }
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
      (places, size, dialect, older, order) => {
        const { delivered, wanted, covered, slices } = readSplit(places, size, dialect, older, order);
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

it("a cut is in the slice with the most pages left, and not where a coverage begins", () => {
  const slice = (end: number | null, edges: readonly number[] = [], density: number | undefined = 0.0001) =>
    ({
      walk: { path: "/", position: at(1_000_000), older: end === null ? null : at(end), density },
      survey: { grain: 1000, edges: new Set(edges.map((each) => at(1000 * each))) },
      cutPages: 3,
    }) as unknown as Slice;
  const cut = (...slices: Slice[]) => chooseCut(slices, 1);
  const [short, long] = [slice(900_000), slice(0)];
  expect(cut(short, long, slice(0), short)).toEqual({ slice: long, at: at(970_000) });
  expect(cut(slice(0, [970, 969]))?.at).toBe(at(968_000));
  expect([cut(slice(null)) === undefined, cut({ ...slice(null), isPutAside: true })]).toEqual([
    false,
    undefined,
  ]);
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
    const last = survey.split({ slice: first, at: at(30) });
    const middle = survey.split({ slice: first, at: at(60) });
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

  it("that says that the list ends is put aside, and then leaves its rest if one of them has shown more", () => {
    const { survey, take, first, middle, last } = sliced();
    expect(take(first, [80])).toBeUndefined();
    take(last, [20, 10], LINK);
    expect(take(middle, [50])).toBeUndefined();
    expect(take(last, [5])).toMatchObject({ endsAboveOthers: false });
    expect(survey.next()).toBe(middle);
    expect(take(middle, [50])).toMatchObject({
      endsAboveOthers: true,
      read: [{}, { doubtful: [[at(30), at(50)]] }],
    });
    expect(survey.next()).toBe(first);
    expect(take(first, [80, 50], LINK)).toMatchObject({ endsAboveOthers: false });
  });
});
