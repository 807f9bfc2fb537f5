import { expect, it } from "vitest";
import type { Item } from "../../../../connector/core/lists/item.ts";
import { SeenItems } from "../../../../connector/core/lists/seen-items.ts";
import { at } from "../coverage/support/timestamps.ts";

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
