import { expect, it } from "vitest";
import { type PageFacts, PaginationGuard } from "../../../../connector/core/lists/pagination-guard.ts";

const facts = (path: string, next: string | undefined, more: Partial<PageFacts> = {}): PageFacts => ({
  path,
  next,
  hasNews: true,
  hasUnreadable: false,
  moved: true,
  ...more,
});
/** What follows pages with these paths and links. */
function kinds(pages: readonly (readonly [path: string, next: string])[], more: Partial<PageFacts> = {}) {
  const guard = new PaginationGuard();
  return pages.map(([path, next]) => guard.after(facts(path, next, more)).kind);
}

it("no link is followed twice since the last news (I7)", () => {
  const circle = [
    ["a", "b"],
    ["b", "c"],
    ["c", "a"],
  ] as const;
  expect(kinds(circle, { hasNews: false })).toEqual(["follow", "follow", "stuck"]);
  expect(kinds(circle), "there was news").toEqual(["follow", "follow", "follow"]);
  expect(kinds([["a", "a"]])).toEqual(["stuck"]);
});

it.each([
  ["20 pages in a row bring nothing new", { hasNews: false }, 20],
  ["100 pages in a row bring unreadable items", { hasNews: false, hasUnreadable: true }, 100],
  ["1000 pages bring news without moving down", { moved: false }, 1000],
  ["a list continues and moves down", {}, 2000],
])("at most %s", (_, more, most) => {
  const pages = Array.from({ length: 2000 }, (_, page) => [`${page}`, `${page + 1}`] as const);
  const followed = kinds(pages, more).indexOf("stuck");
  expect(followed === -1 ? 2000 : followed).toBe(most);
});

it("news begin the count again", () => {
  const guard = new PaginationGuard();
  const all = Array.from(
    { length: 60 },
    (_, page) => guard.after(facts(`${page}`, `${page + 1}`, { hasNews: page % 20 === 19 })).kind,
  );
  expect(new Set(all)).toEqual(new Set(["follow"]));
});
