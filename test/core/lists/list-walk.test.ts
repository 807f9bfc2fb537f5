import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { surveyResponsesPath } from "../../../connector/core/client/endpoints.ts";
import { coverageOf, type Gap, type Span } from "../../../connector/core/coverage/coverage.ts";
import { type Item, readItemPage } from "../../../connector/core/lists/item.ts";
import { createWalk, type Walk } from "../../../connector/core/lists/list-walk.ts";
import { createListService, type Dialect, HEALTHY } from "../../sync/list-service.ts";
import { at, place, RUNS } from "../coverage/timestamps.ts";

const dialects: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_moment", "last_moment", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  closesEmpty: fc.boolean(),
  honoursEnd: fc.boolean(),
});
const gaps: fc.Arbitrary<Gap> = fc
  .tuple(fc.option(place, { freq: 2 }), fc.option(place, { freq: 2 }))
  .filter(([older, newer]) => older === null || newer === null || older <= newer)
  .map(([older, newer]) => ({
    older: older === null ? null : at(older),
    newer: newer === null ? undefined : at(newer),
  }));
const SURVEY = "s1";
const walkOf = (gap: Gap, itemsPerPage: number): Walk =>
  createWalk({
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
const item = (uuid: string, moment: number): unknown => ({ uuid, collected_at: at(moment) });
const take = (walk: Walk, text: string) => walk.receive(readItemPage(text, walk.notAfter));
const uuids = (items: readonly Item[]): string[] => items.map(({ uuid }) => uuid);

describe("a walk down a list", () => {
  it("delivers all of its stretch once, newest first, and claims it, for any data, bounds, page size and dialect (S1–S5, I2)", () => {
    fc.assert(
      fc.property(
        fc.array(place, { maxLength: 40 }),
        gaps,
        fc.integer({ min: 1, max: 9 }),
        dialects,
        (places, gap, size, dialect) => {
          const service = createListService(dialect, new Map());
          places.forEach((moment, number) => {
            service.add({ uuid: `r${number}`, survey: SURVEY, person: "p", at: moment });
          });
          const walk = walkOf(gap, size);
          const delivered: string[] = [];
          const spans: Span[] = [];
          let requests = 0;
          while (walk.path !== undefined) {
            expect(++requests).toBeLessThan(200);
            const { items, claims, problem } = take(walk, service.answer(walk.path, HEALTHY).body);
            expect(problem).toBeUndefined();
            delivered.push(...uuids(items));
            spans.push(...claims);
            // Nothing is claimed that has not been delivered, at any time.
            for (const response of service.responses) {
              const moment = at(response.at);
              if (spans.some(([older, newer]) => (older === null || older < moment) && moment < newer)) {
                expect(delivered).toContain(response.uuid);
              }
            }
          }
          const wanted = service.responses
            .filter(
              ({ at: moment }) =>
                (gap.older === null || at(moment) >= gap.older) &&
                (gap.newer === undefined || at(moment) <= gap.newer),
            )
            .map(({ uuid, at: moment }) => ({ uuid, moment }));
          expect([...delivered].sort()).toEqual(wanted.map(({ uuid }) => uuid).sort());
          expect(service.complaints).toEqual([]);
          const top = gap.newer ?? (wanted[0] && at(wanted[0].moment));
          if (top === undefined) expect(spans).toEqual([]);
          else if (!dialect.closesEmpty) expect(coverageOf(spans)).toEqual([[gap.older, top]]);
        },
      ),
      RUNS,
    );
  });

  it("stops by the items' times, should the service ignore the older bound", () => {
    const walk = walkOf({ older: at(5), newer: undefined }, 10);
    const { items, claims, below, endOfList } = take(
      walk,
      body([item("a", 9), item("b", 5), item("c", 4)], "/next"),
    );
    expect(uuids(items)).toEqual(["a", "b"]);
    expect(claims).toEqual([[at(5), at(9)]]);
    expect([below, endOfList, walk.path]).toEqual([at(4), false, undefined]);
  });

  it("asks from a microsecond higher where its two bounds are one moment, and leaves out what that brings (S1)", () => {
    const walk = walkOf({ older: at(5), newer: at(5) }, 10);
    expect(walk.path).toContain(`start=${encodeURIComponent(at(6))}&end=${encodeURIComponent(at(5))}`);
    expect(uuids(take(walk, body([item("a", 6), item("b", 5)])).items)).toEqual(["b"]);
  });

  it("asks once more, without the older bound, when its first request is rejected, and only then", () => {
    const walk = walkOf({ older: at(5), newer: undefined }, 10);
    expect(walk.rejected()).toBe(true);
    expect(walk.path).not.toContain("end=");
    expect(walk.rejected()).toBe(false);
    const other = walkOf({ older: at(5), newer: undefined }, 10);
    take(other, body([item("a", 9)], "/next"));
    expect(other.rejected()).toBe(false);
  });

  it("gets past a moment that fills a page by asking for it again with the largest page", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("a", 5), item("b", 5)], "/stays");
    take(walk, page);
    expect(walk.path).toBe("/stays");
    take(walk, page);
    expect(walk.path).toContain(`items_per_page=100&start=${encodeURIComponent(at(5))}`);
    const { items, claims } = take(walk, body([item("a", 5), item("b", 5), item("c", 5), item("d", 1)]));
    expect(uuids(items)).toEqual(["c", "d"]);
    expect(claims).toEqual([[null, at(5)]]);
  });

  it("leaves a moment open that even the largest page does not get past, says so, and goes on below it", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    const page = body([item("a", 5), item("b", 5)], "/stays");
    take(walk, page);
    take(walk, page);
    const stuck = take(walk, page).problem ?? take(walk, page).problem;
    expect(stuck?.code).toBe("stuck");
    expect(stuck?.message).toMatch(/cannot be read at 2026-01-01T00:00:00.000005Z/);
    expect(walk.path).toContain(`start=${encodeURIComponent(at(4))}`);
    expect(take(walk, body([item("z", 1)])).claims).toEqual([[null, at(4)]]);
  });

  it("never follows a link twice and ends, whatever the links and pages are (I7)", () => {
    const pages = fc.record({
      places: fc.array(place, { maxLength: 3 }).map((moments) => moments.sort((a, b) => b - a)),
      next: fc.constantFrom("/a", "/b", "/c", undefined),
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
            .map((moment) => item(`r${moment}`, moment))
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

  it("takes an empty page that links to itself for the end, with a warning, and claims only what it saw", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 5)], "/end"));
    const { claims, warning, problem, endOfList } = take(walk, body([], "/end"));
    expect(walk.path).toBeUndefined();
    expect(problem).toBeUndefined();
    expect(warning).toMatch(/^The list of survey "s1" ends with an empty page/);
    expect(endOfList).toBe(false);
    expect(claims.every(([older]) => older !== null)).toBe(true);
  });

  it("leaves out an unreadable item, names the place, and claims nothing around it (S11)", () => {
    const walk = walkOf({ older: null, newer: undefined }, 9);
    const { items, claims, problem } = take(
      walk,
      body([item("a", 9), item("b", 8), item("c", 7), null, item("d", 3), item("e", 1)]),
    );
    expect(uuids(items)).toEqual(["a", "b", "c", "d", "e"]);
    expect(problem?.code).toBe("unreadable_item");
    expect(problem?.message).toContain(`after ${at(7)}`);
    const covered = (moment: number): boolean =>
      claims.some(([older, newer]) => (older === null || older < at(moment)) && at(moment) < newer);
    expect(claims).toEqual([
      [at(8), at(9)],
      [null, at(2)],
    ]);
    // The moments of its neighbours stay open too: it may share one of them.
    expect([7, 5, 3, 1].map(covered)).toEqual([false, false, false, true]);
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
    take(walk, body([item("a", 9), null], "/next"));
    expect(take(walk, body([item("z", 1)]))).toMatchObject({ below: undefined, claims: [] });
  });

  it("does not trust an empty page in mid-list: what it left out stays open, and is told", () => {
    const walk = walkOf({ older: null, newer: undefined }, 2);
    take(walk, body([item("a", 9), item("b", 8)], "/1"));
    expect(take(walk, body([], "/2")).problem).toBeUndefined();
    const { items, claims, problem } = take(walk, body([item("e", 3), item("f", 2)]));
    expect(uuids(items)).toEqual(["e", "f"]);
    expect(claims).toEqual([[null, at(2)]]);
    expect(problem?.message).toBe(
      `The list of survey "s1" held an empty page with more behind it, after ${at(8)}. What it may have left out is read again by the next sync. Report this to the service.`,
    );
  });
});
