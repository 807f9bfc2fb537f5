import { expect, it } from "vitest";
import type { Timestamp } from "../../../../connector/core/coverage/timestamp.ts";
import { CoverageTracker } from "../../../../connector/core/lists/coverage-tracker.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import { parseItemPage } from "../../../../connector/core/lists/item.ts";
import { SeenItems, WalkItems } from "../../../../connector/core/lists/walk-items.ts";
import { ownRequest, type WalkRequest } from "../../../../connector/core/lists/walk-request.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const RANGE = { older: at(30), newer: at(70) };

/**
 * What the last of some pages shows to a walk from 70 to 30 that has asked from 60 on. null cannot be read. `more`: about
 * the request.
 */
function shownOnLast(pages: readonly (readonly (number | null)[])[], more: Partial<WalkRequest> = {}) {
  const tracker = new CoverageTracker(RANGE.newer, new Set());
  const walkItems = new WalkItems(say`things`, tracker);
  const asked = { newer: at(60), size: 100, isExact: false };
  const request = { ...ownRequest(asked, RANGE.older, () => "/list"), ...more };
  const shown = pages.map((places) => {
    const data = places.map((place) => place && { uuid: `${place}`, collected_at: at(place) });
    const body = JSON.stringify({ data, pagination_data: { has_more: false } });
    return walkItems.take(parseItemPage(body, request.newest, PRESENT, true), request, RANGE);
  });
  tracker.reached(RANGE.older);
  const { doubtful, unreadable } = tracker.take();
  return {
    ...shown.at(-1)!,
    items: shown.at(-1)!.items.map(({ uuid }) => Number(uuid)),
    deferred: [...doubtful, ...unreadable.map(({ range }) => range)],
    isPastMargin: walkItems.isPastMargin,
  };
}
const news = { moved: true };
const nothingNew = { items: [], moved: false };
const rangeOf = (older: number, newer: number) => [at(older), at(newer)];

it.each<[string, readonly (readonly (number | null)[])[], object]>([
  [
    "an item at each end is the walk's own",
    [[60, 30]],
    { ...news, items: [60, 30], below: undefined, isPastMargin: true },
  ],
  ["an item above is not", [[61, 60]], { ...news, items: [60] }],
  ["items above alone are none of its own", [[62], [61]], { ...nothingNew, isPastMargin: false }],
  ["nor are the walk's own", [[60, 50], [50]], nothingNew],
  ["newer items that are new do not move it", [[50], [55]], { items: [55], moved: false }],
  ["an item below is not the walk's", [[31, 29, 28]], { items: [31], below: at(29), isUnbroken: true }],
  ["items below alone are past the margin", [[29]], { ...nothingNew, below: at(29), isPastMargin: true }],
  ["an item of the walk may follow it", [[40, 29, 35]], { items: [40, 35], below: undefined }],
  ["so may one above", [[40, 29, 61]], { items: [40], below: undefined }],
  [
    "what cannot be read lies between its neighbours",
    [[50, null, 40, 29]],
    { isUnbroken: true, deferred: [rangeOf(40, 50)] },
  ],
  ["or below the last item", [[50, null, 29]], { isUnbroken: false, deferred: [rangeOf(30, 50)] }],
  ["and belongs to another walk below the end", [[50, 29, null]], { deferred: [] }],
  [
    "but not if the page is in the wrong order: items of the walk may follow",
    [[60, 20, null, 40]],
    { deferred: [rangeOf(30, 40), rangeOf(30, 70), rangeOf(40, 60)] },
  ],
  ["or above", [[null, 61, 50]], { deferred: [] }],
  [
    "but not above a late item from there",
    [[50, null, 61]],
    { deferred: [rangeOf(50, 61), rangeOf(50, 70), rangeOf(30, 50)] },
  ],
  [
    "not even after one below",
    [[null, 29, 61]],
    { deferred: [rangeOf(30, 61), rangeOf(30, 70), rangeOf(30, 70)] },
  ],
  [
    "after the wrong order nothing is proven below, on no later page",
    [[40, 45], [29]],
    { below: at(29), isUnbroken: false, problem: undefined, deferred: [rangeOf(40, 45)] },
  ],
])("%s", (_, pages, expected) => expect(shownOnLast(pages)).toMatchObject(expected));

it("each pair in the wrong order is deferred, and the first is the problem", () => {
  const { problem, deferred } = shownOnLast([[50, 55, 45, 48]]);
  expect(problem?.message).toContain(`${at(55)} comes after ${at(50)}`);
  expect(deferred).toEqual([rangeOf(50, 55), rangeOf(45, 48)]);
});

it.each<[string, Timestamp | undefined, readonly (number | null)[], readonly (readonly string[])[]]>([
  ["begins at the end of what was asked for", at(50), [50, 55], [rangeOf(50, 50)]],
  ["lies above that end", at(50), [45, 55, 58], [rangeOf(45, 50)]],
  [
    "has an unreadable neighbour on a page without such an end",
    undefined,
    [45, null, 55],
    [rangeOf(45, 55), rangeOf(45, 70), rangeOf(45, 55)],
  ],
])(
  "of a pair in the wrong order that %s, no more than was asked for is deferred",
  (_, newest, page, ranges) => {
    expect(shownOnLast([page], { newest }).deferred).toEqual(ranges);
  },
);

it("a request of our own begins above its own items again", () => {
  const tracker = new CoverageTracker(RANGE.newer, new Set());
  const walkItems = new WalkItems(say`things`, tracker);
  walkItems.isPastMargin = true;
  walkItems.restart();
  expect(walkItems.isPastMargin).toBe(false);
});

/** An item at a microsecond. `name` tells it from others of the same one. */
const itemOf = (name: string): Item => ({
  uuid: name,
  timestamp: at(Number.parseInt(name, 10)),
  response: {},
  survey: undefined,
  raw: {},
});
/** The items of the last page that are new after the pages before. */
function newOnLast(...pages: readonly (readonly string[])[]): string[] {
  const seen = new SeenItems();
  const added = pages.map((names) => {
    seen.nextPage();
    return names.filter((name) => seen.add(itemOf(name)));
  });
  return added.at(-1) ?? [];
}

it.each<[string, readonly (readonly string[])[], readonly string[]]>([
  ["of the same page", [["9a", "8", "9a", "8"]], ["9a", "8"]],
  [
    "of the page before",
    [
      ["9a", "9b"],
      ["9a", "9b", "8"],
    ],
    ["8"],
  ],
  ["of the page before an empty one", [["9a", "8"], [], ["9a", "8", "7"]], ["7"]],
  [
    "of the oldest timestamp, however long ago it came",
    [["9a"], ["9b"], ["9c"], ["9a", "9b", "9c", "9d"]],
    ["9d"],
  ],
  [
    "that came twice in a row",
    [
      ["9", "8"],
      ["9", "7"],
      ["9", "6"],
    ],
    ["6"],
  ],
])("an item %s is not new", (_, pages, expected) => expect(newOnLast(...pages)).toEqual(expected));

it("items of two pages before are forgotten, unless they have the oldest timestamp", () => {
  expect(newOnLast(["9a", "9b"], ["8"], ["7"], ["9a", "9b", "7"])).toEqual(["9a", "9b"]);
  expect(newOnLast(["7"], ["8"], ["7b"], ["8"])).toEqual(["8"]);
});

it("the oldest timestamp is that of all pages, in whatever order", () => {
  const seen = new SeenItems();
  expect(seen.oldest).toBeUndefined();
  const oldest = ["9", "7", "8"].map((name) => seen.add(itemOf(name)) && seen.oldest);
  expect(oldest).toEqual([at(9), at(7), at(7)]);
});
