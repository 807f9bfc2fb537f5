import { beforeEach, expect, it } from "vitest";
import { SeenItems } from "../../../../connector/core/lists/seen-items.ts";
import { at } from "../coverage/support/timestamps.ts";

let seen: SeenItems;
beforeEach(() => {
  seen = new SeenItems();
});

/** Takes items with these uuids, and returns which of them came for the first time. */
const take = (seconds: number, ...uuids: readonly string[]): string[] =>
  uuids.filter((uuid) =>
    seen.add({ uuid, timestamp: at(seconds), response: {}, survey: undefined, raw: {} }),
  );

/** The same, and the page ends with them. */
function page(seconds: number, ...uuids: readonly string[]): string[] {
  const news = take(seconds, ...uuids);
  seen.nextPage();
  return news;
}

it("an item comes once in its page, and not again in the next one", () => {
  expect(page(9, "a", "a", "b")).toEqual(["a", "b"]);
  expect(page(8, "b", "c")).toEqual(["c"]);
  expect(page(9, "late", "late")).toEqual(["late"]);
  expect(page(9, "late")).toEqual([]);
});

it("an item that each page repeats stays known", () => {
  page(9, "a");
  for (const seconds of [8, 7, 6, 5]) {
    expect(take(seconds, `new at ${seconds}`)).toHaveLength(1);
    expect(page(9, "a")).toEqual([]);
  }
});

it("an empty page makes nothing forgotten", () => {
  page(8, "b");
  page(9, "late");
  page(8);
  expect(page(9, "late")).toEqual([]);
});

it("all items of the lowest timestamp are known, however many pages hold them", () => {
  for (const uuid of ["a", "b", "c", "d"]) page(9, uuid);
  expect(page(9, "a", "b", "c", "d")).toEqual([]);
});

it("what lies above the lowest timestamp is forgotten after two pages, so that memory does not grow", () => {
  page(9, "a");
  page(8, "b");
  page(9, "late");
  page(7, "c");
  page(6, "d");
  expect(page(9, "a", "late")).toEqual(["a", "late"]);
  expect(seen.lowest).toBe(at(6));
});
