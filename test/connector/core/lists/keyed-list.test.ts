import { expect, it } from "vitest";
import { KeyedList } from "../../../../connector/core/lists/keyed-list.ts";
import { isObject } from "../../../../connector/core/text/json.ts";
import { say } from "../../../../connector/core/text/message.ts";

/** What pages bring of a list: ids, the unreadable ones, and the next path. */
function walked(...pages: readonly (readonly [ids: readonly unknown[], next?: string])[]) {
  const list = new KeyedList<object>({
    path: "/list?n=2",
    largest: "/list?n=100",
    parse: (item) => (isObject(item) && typeof item.id === "number" ? { ...item, id: item.id } : undefined),
    list: say`things`,
  });
  return pages.map(([ids, next]) => {
    const page = list.accept({ items: ids.map((id) => ({ id })), hasMore: next !== undefined, next });
    return [page.items.length, page.unreadable, page.problem?.code, list.path];
  });
}

it("brings each item once, and counts those that cannot be read on each page", () => {
  expect(walked([[1, 2, null], "/list?p=2"], [[2, 3, "4", "5"]])).toEqual([
    [2, 1, undefined, "/list?p=2"],
    [1, 2, undefined, undefined],
  ]);
});

it("in a circle is asked for once with the largest page, then it ends with an error", () => {
  const circle = [[1], "/list?n=2"] as const;
  expect(walked(circle, circle)).toEqual([
    [1, 0, undefined, "/list?n=100"],
    [0, 0, "broken_answer", undefined],
  ]);
});

it("ends at a link that leads out of it", () => {
  expect(walked([[1], "/other?p=2"])).toEqual([[1, 0, "refused_link", undefined]]);
});
