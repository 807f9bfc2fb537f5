import { expect, test } from "vitest";
import {
  aligned,
  compareDelivery,
  keysByStream,
  latestRows,
  messagesIn,
} from "../../../tools/demo/delivery.ts";

const keys = (...names: string[]) => new Map([["answers", new Set(names)]]);
const PRIMARY_KEYS = new Map([["answers", ["id"]]]);
const row = (id: number, text: string) => ({ stream: "answers", data: { id, text } });

test("a comparison counts what is missing and what came twice", () => {
  expect(compareDelivery(keys("a", "b", "c"), keys("a", "b"), keys("b"))).toEqual([
    { stream: "answers", first: 2, second: 1, again: 1, missing: 1 },
  ]);
});

test("a line that a kill cut short is no message", () => {
  expect(messagesIn('{"type":"LOG"}\n{"type":"REC')).toEqual([{ type: "LOG" }]);
});

test("of a record that came twice, the key counts once and the later one stays", () => {
  const rows = [row(1, "old"), row(2, "other"), row(1, "new")];
  expect(keysByStream(rows, PRIMARY_KEYS)).toEqual(keys("[1]", "[2]"));
  expect(latestRows("answers", rows, PRIMARY_KEYS)).toEqual([
    { id: 1, text: "new" },
    { id: 2, text: "other" },
  ]);
});

test("a table has names to the left and numbers to the right", () => {
  expect(
    aligned([
      { stream: "answers", missing: 0 },
      { stream: "a", missing: 12_345 },
    ]),
  ).toBe(["stream    missing", "answers         0", "a           12345"].join("\n"));
});
