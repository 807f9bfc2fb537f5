import { expect, it } from "vitest";
import type { Page } from "../../../../connector/core/client/page.ts";
import { AttributeWalk } from "../../../../connector/core/lists/attribute-walk.ts";

const FIRST = "/respondents/anna/attributes?items_per_page=2";
const LARGEST = "/respondents/anna/attributes?items_per_page=100";
const [SECOND, THIRD] = ["2", "3"].map((name) => `/respondents/anna/attributes?page=${name}`) as [
  string,
  string,
];
const page = (ids: readonly unknown[], next?: string): Page => ({
  ...{ items: ids.map((id) => ({ id })), next, hasMore: next !== undefined },
});
/** The paths of a walk over these pages, and what the pages brought. */
function walked(...pages: readonly Page[]) {
  const walk = new AttributeWalk("anna", 2);
  const paths = [walk.path];
  const brought = pages.map((each) => {
    const { items, problem } = walk.accept(each);
    paths.push(walk.path);
    return [items.map(({ id }) => id), problem?.code];
  });
  return { paths, brought };
}

it("delivers each attribute once, and leaves out what has no usable id", () => {
  const { paths, brought } = walked(page([1, 2], SECOND), page([2, "3", null, 1.5, 4], THIRD), page([5]));
  expect(paths).toEqual([FIRST, SECOND, THIRD, undefined]);
  expect(brought).toEqual([
    [[1, 2], undefined],
    [[4], "unreadable_item"],
    [[5], undefined],
  ]);
});

it("asks again with the largest page if the links lead in a circle, once", () => {
  const { paths, brought } = walked(page([1], SECOND), page([1], FIRST), page([1, 2], LARGEST));
  expect(paths).toEqual([FIRST, SECOND, LARGEST, undefined]);
  expect(brought.at(-1)).toEqual([[2], "stuck"]);
});

it("follows no link to somebody else's list", () => {
  const { paths, brought } = walked(page([1], "/respondents/bert/attributes?page=2"));
  expect([paths, brought]).toEqual([[FIRST, undefined], [[[1], "refused_link"]]]);
});
