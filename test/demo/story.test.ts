import { expect, test } from "vitest";
import { compareDelivery, messagesIn } from "../../scripts/delivery.ts";
import { verdict } from "../../tools/demo/story.ts";

const keys = (...names: string[]) => new Map([["answers", new Set(names)]]);

test("a comparison counts what is missing and what came twice", () => {
  expect(compareDelivery(keys("a", "b", "c"), keys("a", "b"), keys("b"))).toEqual([
    { stream: "answers", first: 2, second: 1, again: 1, missing: 1 },
  ]);
});

test("the demo fails if a record is missing", () => {
  const stream = { stream: "answers", there: 3, first: 2, second: 1, again: 1, missing: 0 };
  expect(verdict([stream])).toContain("0 missing. 1 came twice");
  expect(() => verdict([stream, { ...stream, missing: 1 }])).toThrow("1 records are missing.");
});

test("a line that a kill cut short is no message", () => {
  expect(messagesIn('{"type":"LOG"}\n{"type":"REC')).toEqual([{ type: "LOG" }]);
});
