import { expect, it } from "vitest";
import { KeyedList } from "../../../../connector/core/lists/keyed-list.ts";
import { isObject } from "../../../../connector/core/text/json.ts";
import { say } from "../../../../connector/core/text/message.ts";

/** What pages bring of a list that is asked for `size` at a time: ids, the unreadable ones, and the next path. */
function walked(size: number, ...pages: readonly (readonly [ids: readonly unknown[], next?: string])[]) {
  const list = new KeyedList<object>({
    itemsPerPage: size,
    pathOf: (each) => `/list?n=${each}`,
    parse: (item) => (isObject(item) && typeof item.id === "number" ? { ...item, id: item.id } : undefined),
    list: say`things`,
  });
  return pages.map(([ids, next]) => {
    const page = list.accept({ items: ids.map((id) => ({ id })), hasMore: next !== undefined, next });
    return [page.items.length, page.unreadable, page.problem?.code, list.path];
  });
}

it("brings each item once, and counts those that cannot be read on each page", () => {
  expect(walked(2, [[1, 2, null], "/list?p=2"], [[2, 3, "4", "5"]])).toEqual([
    [2, 1, undefined, "/list?p=2"],
    [1, 2, undefined, undefined],
  ]);
});

it.each([
  [2, [undefined, "/list?n=100"]],
  [100, ["broken_answer", undefined]],
])("asked for %i a page, a list in a circle: the largest page is tried once", (size, last) => {
  const circle = walked(size, [[1], "/list?p=2"], [[1], `/list?n=${size}`]);
  expect(circle.at(-1)).toEqual([0, 0, ...last]);
});

it("ends at a link that leads out of it", () => {
  expect(walked(2, [[1], "/other?p=2"])).toEqual([[1, 0, "refused_link", undefined]]);
});
