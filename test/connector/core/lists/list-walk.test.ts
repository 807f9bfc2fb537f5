import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { surveyResponsesPath } from "../../../../connector/core/client/endpoints.ts";
import { coverageOf, type Gap, type Interval } from "../../../../connector/core/coverage/coverage.ts";
import { CoverageTracker, type Read } from "../../../../connector/core/lists/coverage-tracker.ts";
import { type Item, parseItemPage } from "../../../../connector/core/lists/item.ts";
import { ListWalk } from "../../../../connector/core/lists/list-walk.ts";
import { SeenItems } from "../../../../connector/core/lists/seen-items.ts";
import { given, render, say } from "../../../../connector/core/text/message.ts";
import { createListService, type Dialect, HEALTHY } from "../../../model/support/list-service.ts";
import { at, PRESENT, place, RUNS } from "../coverage/support/timestamps.ts";

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
    list: say`survey ${given("s1")}`,
  });
const body = (items: unknown[], next?: string): string =>
  JSON.stringify({
    pagination_data: { has_more: next !== undefined, ...(next && { next_url: next }) },
    data: items,
  });
const item = (uuid: string, timestamp: number): unknown => ({ uuid, collected_at: at(timestamp) });
const take = (walk: ListWalk, text: string, present = PRESENT) =>
  walk.accept(parseItemPage(text, walk.notAfter, present));
/** The upper bound of a request from a timestamp on: a millisecond later, since a service may read it to milliseconds. */
const startOf = (timestamp: number): string => `start=${encodeURIComponent(at(timestamp + 1_000))}`;
const uuids = (items: readonly Item[]): string[] => items.map(({ uuid }) => uuid);
/** What a page left to the next sync. */
const leftOf = ({ unreadable, doubtful }: Read): Interval[] => [
  ...unreadable.map(({ range }) => range),
  ...doubtful,
];
/** What came of the last page, and of all pages together: what is covered, and what is left to the next sync. */
const takeAll = (walk: ListWalk, ...texts: string[]) => {
  const pages = texts.map((text) => take(walk, text));
  return {
    items: uuids(pages.flatMap(({ items }) => items)),
    covered: coverageOf(pages.flatMap(({ covered }) => covered)),
    left: coverageOf(pages.flatMap(leftOf)),
    codes: pages.flatMap(({ problem }) => problem?.code ?? []),
    warnings: pages.flatMap(({ warning }) => warning ?? []),
    last: pages.at(-1)!,
  };
};

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
              ...others
            } = take(walk, service.answer(walk.path, HEALTHY).body);
            expect([problem, leftOf({ covered, ...others })]).toEqual([undefined, []]);
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
          if (!dialect.closesEmpty) expect(coverageOf(covered)).toEqual([[gap.older, gap.newer ?? PRESENT]]);
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
    } = take(walk, body([item("a", 9), item("b", 5), item("c", 4)], NEXT));
    expect(uuids(items)).toEqual(["a", "b"]);
    expect(intervals).toEqual([[at(5), PRESENT]]);
    expect([below, walk.path]).toEqual([at(4), undefined]);
  });

  it("asks for a millisecond more on both sides, and leaves out what that brings (S7)", () => {
    const walk = walkOf({ older: at(5_001), newer: at(5_001) }, 10);
    expect(walk.path).toContain(`${startOf(5_001)}&end=${encodeURIComponent(at(4_001))}`);
    const { items, covered } = takeAll(walk, body([item("a", 5_002), item("b", 5_001), item("c", 5_000)]));
    expect([items, covered]).toEqual([["b"], [[at(5_001), at(5_001)]]]);
  });

  it("tells the end of the list from a page that goes on below its own end", () => {
    const walk = walkOf({ older: at(5), newer: undefined }, 9);
    const says = (text: string) => walk.endsAt(parseItemPage(text, undefined, PRESENT));
    expect(says(body([item("a", 9)]))).toBe(true);
    expect(says(body([item("a", 9)], NEXT)), "there is more").toBe(false);
    expect(says(body([item("a", 9), item("b", 4)])), "the end of the walk").toBe(false);
  });

  it("is over, and covers what is left, if another page proved that nothing is there", () => {
    const walk = walkOf({ older: at(3), newer: at(9) }, 9);
    expect(walk.finishEmpty(at(7)).covered, "up to the present").toEqual([[at(3), at(7)]]);
    expect(walk.path).toBeUndefined();
  });

  it("gets past a timestamp that fills a page by asking for it again with the largest page", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("a", 5), item("b", 5)], STAYS);
    take(walk, page);
    expect(walk.path).toBe(STAYS);
    take(walk, page);
    expect(walk.path).toContain(`items_per_page=100&${startOf(5)}`);
    const { items, covered: intervals } = take(
      walk,
      body([item("a", 5), item("b", 5), item("c", 5), item("d", 1)]),
    );
    expect(uuids(items)).toEqual(["c", "d"]);
    expect(intervals).toEqual([[null, PRESENT]]);
  });

  it("leaves a timestamp that even the largest page does not get past, says so, and goes on below it", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("a", 5), item("b", 5)], STAYS);
    const pages: string[] = [];
    while (!walk.path!.includes(startOf(4))) {
      expect(pages.push(page)).toBeLessThan(6);
      const { problem } = take(walk, page);
      if (problem) expect(problem.message).toMatch(/cannot be read at 2026-01-01T00:00:00.000005Z/);
    }
    const again = walkOf({ older: null, newer: undefined }, 2);
    const { covered, left, codes } = takeAll(again, ...pages, body([item("z", 1)]));
    expect(codes).toEqual(["stuck"]);
    expect([covered, left]).toEqual([[[null, PRESENT]], [[at(5), at(5)]]]);
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

  it("asks without the millisecond more if the links do not get past what that brings (S7)", () => {
    const walk = walkOf({ older: null, newer: at(5) }, 1);
    expect(walk.path).toContain(startOf(5));
    const above = body([item("a", 500)], STAYS);
    take(walk, above);
    expect(walk.path, "the links may lead on").toBe(STAYS);
    take(walk, above);
    expect(walk.path, "the largest page may").toContain(`items_per_page=100&${startOf(5)}`);
    take(walk, above);
    expect(walk.path).toContain(`items_per_page=100&start=${encodeURIComponent(at(5))}`);
    const { items, covered, codes } = takeAll(walk, body([item("b", 5), item("c", 3)]));
    expect([items, covered, codes]).toEqual([["b", "c"], [[null, at(5)]], []]);
  });

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

  it("requests an empty page that links to itself once more, and then takes it for the end, with a warning (S4)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 5)], END));
    expect(take(walk, body([], END))).toMatchObject({ warning: undefined, problem: undefined, doubtful: [] });
    expect(walk.path).toBe(END);
    const { covered, doubtful, warning, problem } = take(walk, body([], END));
    expect(walk.path).toBeUndefined();
    expect([problem, doubtful]).toEqual([undefined, []]);
    expect(render(warning!)).toMatch(/^The list of survey "s1" ends with an empty page/);
    expect(covered.at(-1), "down to its last item, and nothing below").toEqual([at(5), at(9)]);
  });

  it("takes an empty page that leads back for the end in the same way", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const firstPath = walk.path!;
    take(walk, body([item("a", 9), item("b", 5)], END));
    take(walk, body([], firstPath));
    expect(walk.path).toBe(END);
    const { covered, problem } = take(walk, body([], firstPath));
    expect([problem, walk.path]).toEqual([undefined, undefined]);
    expect(covered.every(([older]) => older !== null && older >= at(5))).toBe(true);
  });

  it("reads on if an empty page that links to itself holds items when it is requested once more", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("c", 3)]);
    const { items, covered, left, codes, warnings } = takeAll(
      walk,
      ...[body([item("a", 9), item("b", 8)], NEXT), body([], NEXT), page],
    );
    expect(items).toEqual(["a", "b", "c"]);
    expect([covered, left, codes, warnings]).toEqual([[[null, PRESENT]], [], [], []]);
  });

  it("ends with an empty page though only items above the walk came before", () => {
    const walk = walkOf({ older: at(3), newer: at(3) }, 1);
    const closing = Array.from({ length: 3 }, () => body([], END));
    const { items, codes } = takeAll(walk, body([item("a", 4)], END), ...closing);
    expect([items, codes, walk.path]).toEqual([[], [], undefined]);
  });

  it("follows the link of an empty page that leads on, warns, and leaves what the page may have left out", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 8)], NEXT));
    take(walk, body([], END));
    expect(walk.path).toBe(END);
    const other = walkOf({ older: null, newer: undefined }, 2);
    const { items, covered, left, codes, warnings } = takeAll(
      other,
      ...[body([item("a", 9), item("b", 8)], NEXT), body([], END), body([item("e", 3), item("f", 2)])],
    );
    expect(items).toEqual(["a", "b", "e", "f"]);
    expect([covered, left, codes]).toEqual([[[null, PRESENT]], [[at(3), at(8)]], []]);
    expect(warnings.map((each) => render(each!))).toEqual([
      expect.stringMatching(/^The list of survey "s1" holds an empty page/),
    ]);
  });

  it("covers nothing below its last item if empty pages that lead on end with one that does not", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const { covered, left, codes } = takeAll(
      walk,
      ...[body([item("a", 9), item("b", 8)], NEXT), body([], END), body([], END), body([], END)],
    );
    expect([left, codes, walk.path]).toEqual([[], [], undefined]);
    expect(covered.every(([older]) => older !== null && older >= at(8))).toBe(true);
  });

  it("leaves out an unreadable item, names the place, and leaves the range between its neighbours (S11)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { items, covered, left, last } = takeAll(
      walk,
      body([item("a", 9), item("b", 8), item("c", 7), null, item("d", 3), item("e", 1)]),
    );
    expect(items).toEqual(["a", "b", "c", "d", "e"]);
    expect(last.problem).toBeUndefined();
    expect(last.unreadable).toMatchObject([
      { error: { code: "unreadable_item", message: expect.stringContaining(`after ${at(7)}`) } },
    ]);
    expect([covered, left]).toEqual([[[null, PRESENT]], [[at(3), at(7)]]]);
  });

  it("leaves the ranges of several unreadable items, down to its end below the last one", () => {
    const walk = walkOf({ older: at(1), newer: undefined }, 9);
    const { covered, left } = takeAll(
      walk,
      body([item("a", 9), null, item("b", 8), item("c", 7), null, null, item("d", 5), item("e", 4), null]),
    );
    expect(covered).toEqual([[at(1), PRESENT]]);
    expect(left).toEqual([
      [at(1), at(4)],
      [at(5), at(7)],
      [at(8), at(9)],
    ]);
  });

  it("leaves what lies above an unreadable first item, up to its newer bound", () => {
    const walk = walkOf({ older: null, newer: at(9) }, 9);
    const { covered, left } = takeAll(walk, body([null, item("a", 4), item("b", 3)]));
    expect(left).toEqual([[at(4), at(9)]]);
    expect(covered).toEqual([[null, at(9)]]);
  });

  it("reads on by the link if two items are in the wrong order, and leaves the range between them (S1)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const page = body([item("a", 9), item("b", 5), item("c", 7), item("d", 3)], NEXT);
    const { items, covered, left, codes } = takeAll(walk, page, body([item("e", 2)]));
    expect(items).toEqual(["a", "b", "c", "d", "e"]);
    expect([covered, codes]).toEqual([[[null, PRESENT]], ["broken_answer"]]);
    expect(left).toEqual([[at(5), at(7)]]);
  });

  it("leaves all of a page in the wrong order on which something cannot be read: that may lie anywhere in it", () => {
    const walk = walkOf({ older: null, newer: at(9) }, 9);
    const page = body([item("a", 8), item("b", 4), item("c", 5), null], NEXT);
    expect(takeAll(walk, page, body([item("d", 2)])).left).toEqual([[at(2), at(9)]]);
  });

  it("delivers a page that runs from the oldest item to the newest, and leaves all of it", () => {
    const walk = walkOf({ older: null, newer: at(9) }, 9);
    const { items, covered, left, codes } = takeAll(
      walk,
      body([item("c", 3), item("b", 5), item("a", 9)], NEXT),
      body([item("d", 2)]),
    );
    expect([...items].sort()).toEqual(["a", "b", "c", "d"]);
    expect(codes).toEqual(["broken_answer"]);
    expect(left).toEqual([[at(3), at(9)]]);
    expect(covered).toEqual([[null, at(9)]]);
  });

  it("takes a page as broken if it begins above its predecessor's end, and not if a later item lies above", () => {
    const notAfter = at(5);
    expect(() => parseItemPage(body([item("a", 6)]), notAfter, PRESENT)).toThrow(/begins above/);
    expect(() => parseItemPage(body([null, item("a", 6)]), notAfter, PRESENT)).toThrow(/begins above/);
    const { items } = parseItemPage(body([item("a", 5), item("b", 6), item("c", 4)]), notAfter, PRESENT);
    expect(items).toHaveLength(3);
  });

  it.each([
    [null, ": it is not an object."],
    [{ uuid: "x" }, ' ("x"): its collected_at is missing or not a timestamp.'],
    [
      { uuid: "x", collected_at: "2026-02-31T00:00:00.000000Z" },
      ' ("x"): its collected_at is missing or not a timestamp.',
    ],
  ])("says which item it is, if that is known, and what is wrong with it: %j", (unreadable, text) => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const [first] = take(walk, body([item("a", 9), unreadable])).unreadable;
    expect(first?.error.message).toContain(`holds an item that cannot be read after ${at(9)}${text}`);
  });

  it("does not take a page with an unreadable item as proof that nothing lies below its end", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    walk.endAt(at(5));
    const { covered, left, last } = takeAll(walk, body([item("a", 9), null]));
    expect([covered, left, last.below]).toEqual([[[at(5), PRESENT]], [[at(5), at(9)]], undefined]);
    const other = walkOf({ older: null, newer: undefined }, 9);
    other.endAt(at(5));
    expect(take(other, body([item("a", 9), null, item("z", 1)])).below).toBeUndefined();
  });

  it("does not take a page after one in the wrong order as proof that nothing lies below its end", () => {
    const swapped = body([item("r3", 80), item("r1", 20), item("r2", 60)], NEXT);
    const { items, last } = takeAll(
      walkOf({ older: at(50), newer: undefined }, 3),
      swapped,
      body([item("r0", 10)]),
    );
    expect(items).toEqual(["r3", "r2"]);
    expect(last.below).toBeUndefined();
  });

  it("remembers an unreadable item over the page's end", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    walk.endAt(at(5));
    const { covered, left, last } = takeAll(walk, body([item("a", 9), null], NEXT), body([item("z", 1)]));
    expect([covered, left]).toEqual([[[at(5), PRESENT]], [[at(5), at(9)]]]);
    expect(last.below).toBeUndefined();
  });

  it("asks from below the last timestamp that it has read whole, once, if a link fails permanently (I7)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    expect(walk.replaceLink()).toBe(false);
    const { covered: first } = take(walk, body([item("a", 9), item("b", 5)], NEXT));
    expect(walk.path).toBe(NEXT);
    expect(walk.replaceLink()).toBe(true);
    expect(walk.path).toContain(startOf(8));
    const { items, covered: second } = take(walk, body([item("b", 5), item("c", 3)], END));
    expect(uuids(items)).toEqual(["c"]);
    expect(walk.replaceLink()).toBe(true);
    expect(walk.path).toContain(startOf(4));
    const { covered: last } = take(walk, body([item("c", 3)]));
    expect(coverageOf([...first, ...second, ...last])).toEqual([[null, PRESENT]]);
  });

  it("fails with its link if a request of its own from there brought nothing new", () => {
    const walk = walkOf({ older: null, newer: undefined }, 1);
    take(walk, body([item("a", 9)], link("0")));
    let replaced = 0;
    while (walk.replaceLink()) {
      expect(++replaced).toBeLessThan(4);
      take(walk, body([item("a", 9)], link(String(replaced))));
    }
    expect(replaced).toBeGreaterThan(0);
  });

  it("never asks twice for the same without a link, if nothing below can be read (I7)", () => {
    for (const size of [1, 5, 100]) {
      const walk = walkOf({ older: null, newer: undefined }, size);
      const asked: string[] = [];
      take(walk, body([item("a", 9)], link("0")));
      for (let page = 1; walk.path !== undefined; page++) {
        expect(page).toBeLessThan(400);
        asked.push(walk.path);
        take(walk, body([null], link(String(page))));
      }
      expect(new Set(asked).size).toBe(asked.length);
    }
  });

  it("reads again what could not be read before its link failed, and leaves none of it if it comes then", () => {
    const walk = walkOf({ older: null, newer: undefined }, 3);
    take(walk, body([item("a", 9), item("b", 8), null], NEXT));
    walk.replaceLink();
    const { items, left } = takeAll(walk, body([item("b", 8), item("c", 7), item("d", 6)]));
    expect([items, left]).toEqual([["c", "d"], []]);
  });

  it("asks for nothing in place of a link if nothing could be read before it", () => {
    const walk = walkOf({ older: null, newer: undefined }, 1);
    take(walk, body([null], NEXT));
    expect(walk.replaceLink()).toBe(false);
    const { problem } = take(walk, body([null], NEXT));
    expect([problem?.code, walk.path]).toEqual(["stuck", undefined]);
  });

  it("asks for its own newer bound with the largest page if that timestamp fills a page", () => {
    const walk = walkOf({ older: null, newer: at(70) }, 2);
    const page = body([item("a", 70), item("b", 70)], NEXT);
    takeAll(walk, page, page);
    expect(walk.path).toContain("items_per_page=100");
  });

  it.each([
    ["goes on below a timestamp that it gives up", 40, startOf(39)],
    ["goes on at its end if it gives up the timestamp above", 31, startOf(30)],
    ["asks for nothing below its end if it gives up that", 30, undefined],
  ])("%s", (_, last, path) => {
    const walk = walkOf({ older: at(30), newer: at(70) }, 100);
    const page = body([item("a", last)], NEXT);
    const { left, codes } = takeAll(walk, page, page, page);
    expect([left, codes]).toEqual([[[at(last), at(last)]], ["stuck"]]);
    expect(walk.path).toEqual(path && expect.stringContaining(path));
  });

  it("says what no item of its next page may be above: what it asks for, or the end of the page before", () => {
    expect(walkOf({ older: null, newer: undefined }, 2).notAfter).toBeUndefined();
    const walk = walkOf({ older: null, newer: at(90) }, 2);
    const seen = [walk.notAfter];
    for (const page of [
      body([item("a", 80), item("b", 70)], NEXT),
      body([], STAYS),
      body([item("c", 60), null], END),
    ]) {
      take(walk, page);
      seen.push(walk.notAfter);
    }
    expect(seen).toEqual([at(2_090), at(70), at(70), at(60)]);
  });

  it("covers a list without items up to the service's present, or to its own newer bound (S12)", () => {
    for (const [newer, upTo] of [
      [undefined, 50],
      [90, 50],
      [40, 40],
    ] as const) {
      const walk = walkOf({ older: null, newer: newer === undefined ? undefined : at(newer) }, 2);
      expect(take(walk, body([]), at(50)).covered).toEqual([[null, at(upTo)]]);
    }
  });

  it("leaves nothing above the service's present (S12)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const page = take(walk, body([item("a", 60), null, item("b", 40)]), at(50));
    expect(leftOf(page)).toEqual([[at(40), at(50)]]);
  });

  it.each([
    [[60, 20, 40], [[30, 40]]],
    [[60, 10, 20], []],
    [[60, 10, 30], [[30, 30]]],
    [[50, 90], [[50, 70]]],
  ])("leaves of neighbours in the wrong order only what is its own: %j", (places, ranges) => {
    const walk = walkOf({ older: at(30), newer: at(70) }, 9);
    const { left } = takeAll(walk, body(places.map((place) => item(`r${place}`, place))));
    expect(left).toEqual(ranges.map(([older, newer]) => [at(older!), at(newer!)]));
  });

  it("takes no notice of what cannot be read below its end, if it stands after an item there", () => {
    const walk = walkOf({ older: at(30), newer: at(70) }, 9);
    const { left } = takeAll(walk, body([item("a", 50), item("b", 60), item("c", 20), null]));
    expect(left).toEqual([[at(50), at(60)]]);
  });

  it("delivers a response from the future and covers nothing above the service's present (S12)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { items, covered } = take(walk, body([item("a", 9), item("b", 5), item("c", 3)]), at(6));
    expect(uuids(items)).toEqual(["a", "b", "c"]);
    expect(covered).toEqual([[null, at(6)]]);
  });

  it("follows no link to another survey's list: it says so, and asks from its position", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { items, problem } = take(walk, body([item("a", 9)], "/surveys/s2/responses?start=x"));
    expect([uuids(items), problem?.code]).toEqual([["a"], "refused_link"]);
    expect(walk.path).toContain(startOf(9));
    const { items: more } = take(walk, body([item("a", 9), item("b", 4)]));
    expect(uuids(more)).toEqual(["b"]);
  });

  it("asks from the latest timestamp that the service could show as the gap's own, if it shows rounded ones (S7)", () => {
    const walk = walkOf({ older: null, newer: at(5_000) }, 9);
    expect(walk.path).toContain(startOf(5_999));
    expect(uuids(take(walk, body([item("a", 5_000), item("b", 4_000)])).items)).toEqual(["a", "b"]);
  });
});

describe("a walk of more than a thousand pages", () => {
  const pathAfter = (pages: number, placeOf: (page: number) => number): string | undefined => {
    const walk = walkOf({ older: null, newer: undefined }, 1);
    for (let page = 1; page <= pages; page++)
      take(walk, body([item(`r${page}`, placeOf(page))], link(`${page}`)));
    return walk.path;
  };

  it("follows their links as long as they lead down", () => {
    expect(pathAfter(1100, (page) => 5000 - page)).toBe(link("1100"));
  });

  it("does not follow them if they stay at one timestamp, and asks with the largest page (I7)", () => {
    expect(pathAfter(1001, () => 5)).toBe(link("1001"));
    expect(pathAfter(1002, () => 5)).toContain("items_per_page=100&start=");
  });
});

describe("a walk that would claim too much stops the read with a defect", () => {
  afterEach(() => vi.restoreAllMocks());
  const accepting = (covered: Interval): (() => unknown) => {
    vi.spyOn(CoverageTracker.prototype, "take").mockReturnValue({
      covered: [covered],
      unreadable: [],
      doubtful: [],
    });
    const walk = walkOf({ older: at(3), newer: at(9) }, 9);
    return () => take(walk, body([item("a", 5)], NEXT));
  };
  const tooMuch = expect.objectContaining({
    code: "defect",
    message: expect.stringContaining('the walk down survey "s1" covered more than was left to read'),
  });

  it.each([
    ["above its newer end", [at(5), at(10)]],
    ["below its older end", [at(2), at(9)]],
    ["down to the beginning, though it has an end", [null, at(9)]],
    ["the wrong way round", [at(8), at(7)]],
  ] as const)("if it covers %s", (_, interval) => {
    expect(accepting(interval)).toThrow(tooMuch);
  });

  it("if it covers again what is above what it has covered", () => {
    const accept = accepting([at(5), at(9)]);
    expect(accept).not.toThrow();
    expect(accept).toThrow(tooMuch);
  });

  it("if its position goes up", () => {
    vi.spyOn(SeenItems.prototype, "lowest", "get").mockReturnValueOnce(at(5)).mockReturnValue(at(6));
    const walk = walkOf({ older: null, newer: at(9) }, 9);
    expect(() => take(walk, body([], NEXT))).toThrow('the walk down survey "s1" went up');
  });

  it.each([
    ["above its position", 9],
    ["at its end", 3],
  ])("if it is cut %s", (_, cut) => {
    const walk = walkOf({ older: at(3), newer: at(9) }, 9);
    expect(() => walk.endAt(at(cut))).toThrow('survey "s1" was cut outside of what is left to read');
    expect(() => walk.endAt(at(4))).not.toThrow();
  });
});
