import { expect, it } from "vitest";
import type { Item } from "../../../../connector/core/lists/item.ts";
import { RecentPages } from "../../../../connector/core/lists/recent-pages.ts";
import { at } from "../coverage/support/timestamps.ts";

const itemAt = (place: number): Item => ({
  uuid: `${place}`,
  timestamp: at(place),
  response: {},
  survey: undefined,
  raw: {},
});

it.each<[string, readonly (readonly number[])[], number | undefined, number | undefined]>([
  ["unknown before the first item", [[]], 10, undefined],
  ["unknown without an oldest item", [[30, 10]], undefined, undefined],
  ["its items in the time from its newest one on", [[30, 20, 10]], 10, 3 / 20],
  ["that of all items, if no more than three pages have come", [[90, 80], [60], [50, 40]], 40, 5 / 50],
  ["that of the last three pages", [[90, 80], [60], [50, 40], [30]], 30, 4 / 30],
  ["without pages that bring nothing new", [[90, 80], [], [], [], [60]], 60, 3 / 30],
  ["finite if all items have one timestamp", [[30, 30]], 30, 2],
])("the density is %s", (_, pages, oldest, expected) => {
  const recent = new RecentPages();
  for (const page of pages) recent.add(page.map(itemAt));
  expect(recent.densityDownTo(oldest === undefined ? undefined : at(oldest))).toBe(expected);
});
