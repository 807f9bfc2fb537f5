import { expect, it } from "vitest";
import { PaginationGuard } from "../../../../connector/core/lists/pagination-guard.ts";

/** What follows pages with these paths and links. */
function kinds(
  pages: readonly (readonly [path: string, next: string])[],
  isMoving: (page: number) => boolean,
) {
  const guard = new PaginationGuard();
  return pages.map(([path, next], page) => guard.after({ path, next, moved: isMoving(page) }).kind);
}

it("no link is followed twice until the list goes on (I7)", () => {
  const circle = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
  ] as const;
  expect(kinds(circle, () => false)).toEqual(["follow", "follow", "stuck"]);
  expect(
    kinds(circle, () => true),
    "it goes on",
  ).toEqual(["follow", "follow", "follow"]);
  expect(kinds([["a", "a"]], () => true)).toEqual(["stuck"]);
});

it.each([
  ["at most 100 pages come if it does not", () => false, 100],
  ["all come if it does", () => true, 2000],
  ["which begins the count again", (page: number) => page % 100 === 99, 2000],
])("%s", (_, isMoving, most) => {
  const pages = Array.from({ length: 2000 }, (_, page) => [`${page}`, `${page + 1}`] as const);
  const followed = kinds(pages, isMoving).indexOf("stuck");
  expect(followed === -1 ? 2000 : followed).toBe(most);
});
