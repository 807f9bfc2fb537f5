import { describe, expect, it } from "vitest";
import { type PageFacts, PaginationGuard } from "../../../../connector/core/lists/pagination-guard.ts";

const facts = (path: string, next: string | undefined, more: Partial<PageFacts> = {}): PageFacts => ({
  ...{ path, next, itemCount: 1, hasNews: true, hasUnreadable: false, moved: true },
  ...more,
});
/** How many pages of an endless list are followed before the walk is stuck. */
function followed(more: Partial<PageFacts>, most = 2000): number {
  const guard = new PaginationGuard();
  for (let page = 0; page < most; page++)
    if (guard.after(facts(`${page}`, `${page + 1}`, more)).kind !== "follow") return page;
  return most;
}

describe("what follows a page (S3, S4, I7)", () => {
  it("is its link, or the end if it has none", () => {
    const guard = new PaginationGuard();
    expect(guard.after(facts("a", "b"))).toEqual({ kind: "follow", path: "b" });
    expect(guard.after(facts("b", undefined, { itemCount: 0 }))).toEqual({ kind: "end" });
  });

  it("is never a link that was followed since the last news, its own one included", () => {
    expect(new PaginationGuard().after(facts("a", "a"))).toEqual({ kind: "stuck" });
    const guard = new PaginationGuard();
    const old = { hasNews: false };
    expect([
      guard.after(facts("a", "b", old)).kind,
      guard.after(facts("b", "c", old)).kind,
      guard.after(facts("c", "a", old)).kind,
    ]).toEqual(["follow", "follow", "stuck"]);
  });

  it("may be a link that was followed before the last news", () => {
    const guard = new PaginationGuard();
    guard.after(facts("a", "b"));
    expect(guard.after(facts("b", "a"))).toEqual({ kind: "follow", path: "a" });
  });

  it("is the same page once more if an empty one leads nowhere, and then the end", () => {
    const guard = new PaginationGuard();
    const empty = { itemCount: 0, hasNews: false };
    expect([
      guard.after(facts("a", "a", empty)),
      guard.after(facts("a", "a", empty)),
      guard.after(facts("b", "b", empty)),
    ]).toEqual([{ kind: "again" }, { kind: "ended by an empty page" }, { kind: "again" }]);
  });

  it("is nothing after 20 pages in a row that bring nothing new, or 100 of unreadable items", () => {
    expect(followed({ hasNews: false })).toBe(20);
    expect(followed({ hasNews: false, hasUnreadable: true })).toBe(100);
    expect(followed({})).toBe(2000);
  });

  it("is nothing after 1000 pages that bring news without moving down", () => {
    expect(followed({ moved: false })).toBe(1000);
  });

  it("counts from the last news, and from the last move", () => {
    const guard = new PaginationGuard();
    const kinds = Array.from({ length: 60 }, (_, page) =>
      guard.after(facts(`${page}`, `${page + 1}`, { hasNews: page % 20 === 19 })),
    );
    expect(new Set(kinds.map(({ kind }) => kind))).toEqual(new Set(["follow"]));
  });
});
