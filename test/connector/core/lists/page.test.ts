import { describe, expect, it } from "vitest";
import { parsePage } from "../../../../connector/core/lists/page.ts";

const body = (data: unknown, pagination: unknown = { has_more: false }): string =>
  JSON.stringify({ pagination_data: pagination, data });
describe("the envelope", () => {
  it("ends the list when has_more is false, though a next_url is there (S4)", () => {
    expect(parsePage(body([1], { has_more: false, next_url: "/x" }))).toEqual({
      items: [1],
      hasMore: false,
      next: undefined,
    });
  });

  it("gives the link unchanged when has_more is true", () => {
    expect(parsePage(body([1], { has_more: true, next_url: "/x?a[]=%20" })).next).toBe("/x?a[]=%20");
  });

  it("may go on after a page without items: its walk decides what that means", () => {
    const page = { items: [], hasMore: true, next: "/x?start=1" };
    expect(parsePage(body([], { has_more: true, next_url: "/x?start=1" }))).toEqual(page);
  });

  it.each([
    ["", "is empty"],
    ["<html>\n <p>Back   soon</p>", 'is not JSON (it begins "<html> <p>Back soon</p>")'],
    ["null", 'has no pagination_data (it begins "null")'],
    ["[]", 'has no pagination_data (it begins "[]")'],
    ["{}", 'has no pagination_data (it begins "{}")'],
    [JSON.stringify({ pagination_data: { has_more: false } }), "has no data list"],
    [body({}), "has no data list"],
    [body([], {}), "does not say whether there are more pages (has_more)"],
    [body([], { has_more: "false" }), "does not say whether there are more pages (has_more)"],
    [body([1], { has_more: true }), "says that there are more pages (has_more) and has no next_url"],
    [
      body([1], { has_more: true, next_url: null }),
      "says that there are more pages (has_more) and has no next_url",
    ],
  ])("%j is broken and asked for again, never taken for the end: it %s", (text, what) => {
    expect(() => parsePage(text)).toThrow(expect.objectContaining({ code: "broken_answer", message: what }));
  });
});

it("1,001 items are too much for a page, and it is not asked for again", () => {
  const error = {
    code: "too_large",
    kind: "system",
    message: expect.stringContaining("a page of 1,001 items"),
  };
  expect(() => parsePage(body(Array(1001).fill(1)))).toThrow(expect.objectContaining(error));
});

it("1,000 items are not", () => {
  expect(parsePage(body(Array(1000).fill({ long: "x".repeat(600) }))).items).toHaveLength(1000);
});

it("a page may begin with a byte order mark", () => {
  expect(parsePage(`\uFEFF${body([1])}`).items).toEqual([1]);
});
