import type { SurveyExportError } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePage } from "../../../../connector/core/client/page.ts";
import { type ItemPage, parseItemPage, UnreadableItem } from "../../../../connector/core/lists/item.ts";
import { fixed, say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const body = (data: unknown, pagination: unknown = { has_more: false }): string =>
  JSON.stringify({ pagination_data: pagination, data });
const parseItems = (text: string, notAfter?: ReturnType<typeof at>): ItemPage =>
  parseItemPage(text, notAfter, PRESENT);
const complaint = (read: () => unknown): string => {
  try {
    read();
  } catch (thrown) {
    expect((thrown as SurveyExportError).code).toBe("broken_answer");
    return (thrown as SurveyExportError).message;
  }
  return "nothing";
};

describe("the envelope", () => {
  it("ends the list when has_more is false, though a next_url is there (S4)", () => {
    expect(parsePage(body([1], { has_more: false, next_url: "/x" }))).toEqual({
      items: [1],
      hasMore: false,
      next: undefined,
    });
  });

  it("gives the link as it came when has_more is true", () => {
    expect(parsePage(body([], { has_more: true, next_url: "/x?a[]=%20" })).next).toBe("/x?a[]=%20");
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
    [body([], { has_more: true }), "says that there are more pages (has_more) and has no next_url"],
    [
      body([], { has_more: true, next_url: "" }),
      "says that there are more pages (has_more) and has no next_url",
    ],
    [
      body([], { has_more: true, next_url: null }),
      "says that there are more pages (has_more) and has no next_url",
    ],
  ])("%j is broken and asked for again, never taken for the end: it %s", (text, what) => {
    expect(complaint(() => parsePage(text))).toBe(what);
  });

  it("never shows more than the start of a body, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        expect(complaint(() => parsePage(text)).length).toBeLessThan(1200);
      }),
      { numRuns: 1000 },
    );
  });
});

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

describe("a page", () => {
  it("may begin with a byte order mark", () => {
    expect(parsePage(`\uFEFF${body([1])}`).items).toEqual([1]);
  });

  it("with more objects than 100 responses can hold is refused before it is parsed", () => {
    const text = body(Array.from({ length: 400_000 }, () => ({})));
    expect(() => parsePage(text)).toThrow(/more than 250,000 objects/);
  });
});

describe("an item", () => {
  const response = { uuid: "r1", collected_at: at(5) };

  it("may be wrapped or be the response itself, in one list (S5)", () => {
    const { items } = parseItems(body([{ survey: { id: "s" }, response }, response]));
    expect(items).toMatchObject([
      { uuid: "r1", timestamp: at(5), survey: { id: "s" } },
      { uuid: "r1", timestamp: at(5), survey: undefined },
    ]);
  });

  it.each([
    [null, undefined, "it is not an object"],
    [7, undefined, "it is not an object"],
    ["text", undefined, "it is not an object"],
    [[], undefined, "it is not an object"],
    [{}, undefined, "its uuid is missing or not a text"],
    [{ response: null }, undefined, "its uuid is missing or not a text"],
    [{ ...response, uuid: 7 }, undefined, "its uuid is missing or not a text"],
    [{ ...response, uuid: "" }, undefined, "its uuid is missing or not a text"],
    [{ ...response, collected_at: "yesterday" }, "r1", "its collected_at is missing or not a timestamp"],
    [{ response: { uuid: "r1" } }, "r1", "its collected_at is missing or not a timestamp"],
    [{ ...response, answers: deep(80) }, "r1", "it is nested too deeply"],
  ])("that cannot be read leaves a note of what is wrong in its place: %j (S11)", (item, uuid, reason) => {
    expect(parseItems(body([item])).items).toEqual([new UnreadableItem(uuid, say`${fixed(reason)}`)]);
  });

  it("newer than the one before it leaves the page readable, which says that it is not in order (S1)", () => {
    const page = parseItems(body([response, { uuid: "r2", collected_at: at(6) }]));
    expect([page.items.length, page.isOrdered]).toEqual([2, false]);
    expect(parseItems(body([response, { uuid: "r2", collected_at: at(5) }])).isOrdered).toBe(true);
  });

  it("that is the first readable one and newer than what was asked for makes the page a broken one (S1)", () => {
    const tooNew = `begins above what was requested (${at(5)} is later than ${at(4)})`;
    for (const items of [[response], [{ uuid: "r2" }, response]])
      expect(complaint(() => parseItems(body(items), at(4)))).toBe(tooNew);
    expect(parseItems(body([response]), at(5)).items).toHaveLength(1);
    const later = body([{ uuid: "r2", collected_at: at(4) }, response]);
    expect(parseItems(later, at(4)).isOrdered).toBe(false);
  });
});
