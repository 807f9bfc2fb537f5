import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { surveyResponsesPath } from "../../../connector/core/client/endpoints.ts";
import { coverageOf, type Gap, type Interval } from "../../../connector/core/coverage/coverage.ts";
import { type Item, parseItemPage } from "../../../connector/core/lists/item.ts";
import { ListWalk } from "../../../connector/core/lists/list-walk.ts";
import { createListService, type Dialect, HEALTHY } from "../../sync/list-service.ts";
import { at, PRESENT, place, RUNS } from "../coverage/timestamps.ts";

const dialects: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  closesEmpty: fc.boolean(),
  honoursEnd: fc.boolean(),
  shows: fc.constant("microseconds"),
  hasDate: fc.boolean(),
});
const gaps: fc.Arbitrary<Gap> = fc
  .tuple(fc.option(place, { freq: 2 }), fc.option(place, { freq: 2 }))
  .filter(([older, newer]) => older === null || newer === null || older <= newer)
  .map(([older, newer]) => ({
    older: older === null ? null : at(older),
    newer: newer === null ? undefined : at(newer),
  }));
const SURVEY = "s1";
const link = (name: string): string => `/surveys/s1/responses?${name}`;
const [NEXT, STAYS, END] = [link("next"), link("stays"), link("end")] as const;
const walkOf = (gap: Gap, itemsPerPage: number): ListWalk =>
  new ListWalk({
    ...gap,
    requestEnd: gap.older,
    itemsPerPage,
    pathOf: (window) => surveyResponsesPath(SURVEY, window, []),
    list: 'survey "s1"',
  });
const body = (items: unknown[], next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data: items,
  });
const item = (uuid: string, timestamp: number): unknown => ({ uuid, collected_at: at(timestamp) });
const take = (walk: ListWalk, text: string, present = PRESENT) =>
  walk.accept(parseItemPage(text, walk.notAfter, present));
const uuids = (items: readonly Item[]): string[] => items.map(({ uuid }) => uuid);

describe("a walk down a list", () => {
  it("delivers all of its gap once, newest first, and covers it, for any data, bounds, page size and dialect (S1–S5, I2)", () => {
    fc.assert(
      fc.property(
        fc.array(place, { maxLength: 40 }),
        gaps,
        fc.integer({ min: 1, max: 9 }),
        dialects,
        (places, gap, size, dialect) => {
          const service = createListService(dialect, new Map());
          places.forEach((timestamp, number) => {
            service.add({ uuid: `r${number}`, survey: SURVEY, person: "p", at: timestamp });
          });
          const walk = walkOf(gap, size);
          const delivered: string[] = [];
          const covered: Interval[] = [];
          let requests = 0;
          while (walk.path !== undefined) {
            expect(++requests).toBeLessThan(200);
            const {
              items,
              covered: intervals,
              problem,
            } = take(walk, service.answer(walk.path, HEALTHY).body);
            expect(problem).toBeUndefined();
            delivered.push(...uuids(items));
            covered.push(...intervals);
            // Nothing is claimed that has not been delivered, at any time.
            for (const response of service.responses) {
              const timestamp = at(response.at);
              if (
                covered.some(([older, newer]) => (older === null || older < timestamp) && timestamp < newer)
              ) {
                expect(delivered).toContain(response.uuid);
              }
            }
          }
          const wanted = service.responses
            .filter(
              ({ at: timestamp }) =>
                (gap.older === null || at(timestamp) >= gap.older) &&
                (gap.newer === undefined || at(timestamp) <= gap.newer),
            )
            .map(({ uuid, at: timestamp }) => ({ uuid, timestamp }));
          expect([...delivered].sort()).toEqual(wanted.map(({ uuid }) => uuid).sort());
          expect(service.complaints).toEqual([]);
          const top = gap.newer ?? (wanted[0] && at(wanted[0].timestamp));
          if (top === undefined) expect(covered).toEqual([]);
          else if (!dialect.closesEmpty) expect(coverageOf(covered)).toEqual([[gap.older, top]]);
        },
      ),
      RUNS,
    );
  });

  it("stops by the items' times, should the service ignore the older bound", () => {
    const walk = walkOf({ older: at(5), newer: undefined }, 10);
    const {
      items,
      covered: intervals,
      below,
      endOfList,
    } = take(walk, body([item("a", 9), item("b", 5), item("c", 4)], NEXT));
    expect(uuids(items)).toEqual(["a", "b"]);
    expect(intervals).toEqual([[at(5), at(9)]]);
    expect([below, endOfList, walk.path]).toEqual([at(4), false, undefined]);
  });

  it("asks from a microsecond higher where its two bounds are one timestamp, and leaves out what that brings (S1)", () => {
    const walk = walkOf({ older: at(5), newer: at(5) }, 10);
    expect(walk.path).toContain(`start=${encodeURIComponent(at(6))}&end=${encodeURIComponent(at(5))}`);
    expect(uuids(take(walk, body([item("a", 6), item("b", 5)])).items)).toEqual(["b"]);
  });

  it("asks once more, without the older bound, when its first request is rejected, and only then", () => {
    const walk = walkOf({ older: at(5), newer: undefined }, 10);
    expect(walk.retryWithoutEnd()).toBe(true);
    expect(walk.path).not.toContain("end=");
    expect(walk.retryWithoutEnd()).toBe(false);
    const other = walkOf({ older: at(5), newer: undefined }, 10);
    take(other, body([item("a", 9)], NEXT));
    expect(other.retryWithoutEnd()).toBe(false);
  });

  it("gets past a timestamp that fills a page by asking for it again with the largest page", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("a", 5), item("b", 5)], STAYS);
    take(walk, page);
    expect(walk.path).toBe(STAYS);
    take(walk, page);
    expect(walk.path).toContain(`items_per_page=100&start=${encodeURIComponent(at(5))}`);
    const { items, covered: intervals } = take(
      walk,
      body([item("a", 5), item("b", 5), item("c", 5), item("d", 1)]),
    );
    expect(uuids(items)).toEqual(["c", "d"]);
    expect(intervals).toEqual([[null, at(5)]]);
  });

  it("leaves a timestamp open that even the largest page does not get past, says so, and goes on below it", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("a", 5), item("b", 5)], STAYS);
    take(walk, page);
    take(walk, page);
    const stuck = take(walk, page).problem ?? take(walk, page).problem;
    expect(stuck?.code).toBe("stuck");
    expect(stuck?.message).toMatch(/cannot be read at 2026-01-01T00:00:00.000005Z/);
    expect(walk.path).toContain(`start=${encodeURIComponent(at(4))}`);
    expect(take(walk, body([item("z", 1)])).covered).toEqual([[null, at(4)]]);
  });

  it.each([
    ["an item", ["inside"]],
    ["nothing", []],
  ])(
    "reads past any number of items above a gap that holds %s, though their pages bring it nothing",
    (_, inside) => {
      const service = createListService(
        {
          ...{ shape: "wrapped", link: "last_item", linkOnLastPage: false, closesEmpty: true },
          ...{ honoursEnd: true, shows: "microseconds", hasDate: true },
        },
        new Map(),
      );
      // The request reaches above the gap, should the service show rounded timestamps (S7).
      for (let number = 0; number < 150; number++) {
        service.add({ uuid: `above${number}`, survey: SURVEY, person: "p", at: 500 });
      }
      for (const uuid of inside) service.add({ uuid, survey: SURVEY, person: "p", at: 0 });
      const walk = walkOf({ older: null, newer: at(0) }, 1);
      const delivered: Item[] = [];
      let requests = 0;
      while (walk.path !== undefined) {
        expect(++requests).toBeLessThan(400);
        const { items, problem } = take(walk, service.answer(walk.path, HEALTHY).body);
        expect(problem).toBeUndefined();
        delivered.push(...items);
      }
      expect(uuids(delivered)).toEqual(inside);
    },
  );

  it("never follows a link twice and ends, whatever the links and pages are (I7)", () => {
    const pages = fc.record({
      places: fc.array(place, { maxLength: 3 }).map((timestamps) => timestamps.sort((a, b) => b - a)),
      next: fc.constantFrom(link("a"), link("b"), link("c"), undefined),
    });
    fc.assert(
      fc.property(fc.array(pages, { minLength: 1, maxLength: 8 }), gaps, (script, gap) => {
        const walk = walkOf(gap, 2);
        const asked: string[] = [];
        for (let request = 0; walk.path !== undefined; request++) {
          expect(request).toBeLessThan(400);
          const { places, next } = script[request % script.length]!;
          const limit = walk.notAfter;
          const items = places
            .map((timestamp) => item(`r${timestamp}`, timestamp))
            .filter(
              (each) => limit === undefined || (each as { collected_at: string }).collected_at <= limit,
            );
          asked.push(walk.path);
          take(walk, body(items, next));
        }
      }),
      RUNS,
    );
  });

  it("takes an empty page that links to itself for the end, once the last item has come again with nothing below it (S4)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 5)], END));
    take(walk, body([], END));
    expect(walk.path).toContain(`items_per_page=100&start=${encodeURIComponent(at(5))}`);
    take(walk, body([item("b", 5)], END));
    expect(walk.path).toBe(END);
    const { covered: intervals, warning, problem, endOfList } = take(walk, body([], END));
    expect(walk.path).toBeUndefined();
    expect(problem).toBeUndefined();
    expect(warning).toMatch(/^The list of survey "s1" ends with an empty page/);
    expect(endOfList).toBe(false);
    expect(intervals.every(([older]) => older !== null)).toBe(true);
  });

  it("leaves out an unreadable item, names the place, and covers nothing around it (S11)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const {
      items,
      covered: intervals,
      problem,
    } = take(walk, body([item("a", 9), item("b", 8), item("c", 7), null, item("d", 3), item("e", 1)]));
    expect(uuids(items)).toEqual(["a", "b", "c", "d", "e"]);
    expect(problem?.code).toBe("unreadable_item");
    expect(problem?.message).toContain(`after ${at(7)}`);
    const covered = (timestamp: number): boolean =>
      intervals.some(([older, newer]) => (older === null || older < at(timestamp)) && at(timestamp) < newer);
    expect(intervals).toEqual([
      [at(8), at(9)],
      [null, at(2)],
    ]);
    // The timestamps of its neighbours stay open too: it may share one of them.
    expect([7, 5, 3, 1].map(covered)).toEqual([false, false, false, true]);
  });

  it.each([
    [null, ": it is not an object."],
    [{ uuid: "x" }, ' ("x"): its collected_at is missing or not a timestamp.'],
  ])("says which item it is, where that is known, and what is wrong with it: %j", (unreadable, text) => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { problem } = take(walk, body([item("a", 9), unreadable]));
    expect(problem?.message).toContain(`holds an item that cannot be read after ${at(9)}${text}`);
  });

  it("does not take a page with an unreadable item as proof that nothing lies below its end", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    walk.endAt(at(5));
    expect(take(walk, body([item("a", 9), null])).endOfList).toBe(false);
    const other = walkOf({ older: null, newer: undefined }, 9);
    other.endAt(at(5));
    expect(take(other, body([item("a", 9), null, item("z", 1)])).below).toBeUndefined();
  });

  it("remembers an unreadable item over the page's end", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    walk.endAt(at(5));
    take(walk, body([item("a", 9), null], NEXT));
    expect(take(walk, body([item("z", 1)]))).toMatchObject({ below: undefined, covered: [] });
  });

  it("does not trust an empty page in mid-list: what it left out stays open, and is reported", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 8)], NEXT));
    expect(take(walk, body([], END)).problem).toBeUndefined();
    const { items, covered: intervals, problem } = take(walk, body([item("e", 3), item("f", 2)]));
    expect(uuids(items)).toEqual(["e", "f"]);
    expect(intervals).toEqual([[null, at(2)]]);
    expect(problem?.message).toBe(
      `The list of survey "s1" holds an empty page that says there is more, after ${at(8)}. The next sync reads the range that it may hide again. Report this to the service.`,
    );
  });

  it("does not take an empty page for the end that hides items: the last items are requested again, and the hidden ones come", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 8)], NEXT));
    take(walk, body([], NEXT));
    const { items, problem } = take(walk, body([item("b", 8), item("c", 3)]));
    expect(uuids(items)).toEqual(["c"]);
    expect(problem).toBeUndefined();
  });

  it("requests items above the walk again, where it has seen no others, to believe the empty page after them", () => {
    const walk = walkOf({ older: at(3), newer: at(3) }, 1);
    take(walk, body([item("a", 4)], END));
    take(walk, body([], END));
    expect(walk.path).toBe(
      surveyResponsesPath(SURVEY, { start: at(4), end: undefined, itemsPerPage: 100 }, []),
    );
    take(walk, body([item("a", 4)], END));
    expect(take(walk, body([], END))).toMatchObject({ problem: undefined, items: [] });
    expect(walk.path).toBeUndefined();
  });

  it("ends incomplete where items that came before do not come again", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 8)], NEXT));
    take(walk, body([], NEXT));
    const { problem, covered } = take(walk, body([], walk.path));
    expect([problem?.code, walk.path]).toEqual(["broken_answer", undefined]);
    expect(covered.every(([older]) => older !== null && older >= at(9))).toBe(true);
  });

  it("never asks twice for the same without a link, where nothing below can be read (I7)", () => {
    for (const size of [1, 5, 100]) {
      const walk = walkOf({ older: null, newer: undefined }, size);
      const asked: string[] = [];
      take(walk, body([item("a", 9)], link("0")));
      for (let page = 1; walk.path !== undefined; page++) {
        expect(page).toBeLessThan(400);
        asked.push(walk.path);
        const { problem } = take(walk, body([null], link(String(page))));
        expect(problem).toBeDefined();
      }
      expect(new Set(asked).size).toBe(asked.length);
    }
  });

  it("delivers a response from the future and covers nothing above the service's present (S12)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { items, covered } = take(walk, body([item("a", 9), item("b", 5), item("c", 3)]), at(6));
    expect(uuids(items)).toEqual(["a", "b", "c"]);
    expect(covered).toEqual([[null, at(5)]]);
  });

  it("follows no link to another survey's list", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { items, problem } = take(walk, body([item("a", 9)], "/surveys/s2/responses?start=x"));
    expect(uuids(items)).toEqual(["a"]);
    expect([problem?.code, walk.path]).toEqual(["refused_link", undefined]);
  });

  it("asks from the latest timestamp that the service could show as the gap's own, where it shows rounded ones (S7)", () => {
    const walk = walkOf({ older: null, newer: at(5_000) }, 9);
    expect(walk.path).toContain(encodeURIComponent(at(5_999)));
    expect(uuids(take(walk, body([item("a", 5_000), item("b", 4_000)])).items)).toEqual(["a", "b"]);
  });
});
