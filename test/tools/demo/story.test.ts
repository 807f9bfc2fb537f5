import { expect, test } from "vitest";
import { verdict } from "../../../tools/demo/story.ts";

test("the demo fails if a record is missing", () => {
  const stream = { stream: "answers", there: 3, first: 2, second: 1, again: 1, missing: 0 };
  expect(verdict([stream])).toContain("0 missing. 1 came twice");
  expect(() => verdict([stream, { ...stream, missing: 1 }])).toThrow("1 records are missing.");
});
