import fc from "fast-check";
import { expect, it } from "vitest";
import { scanJson } from "../../../connector/core/client/json-scan.ts";

const depthOf = (value: unknown): number =>
  typeof value !== "object" || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));
const containersIn = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, each) => sum + containersIn(each), 1);

it("counts the levels and containers of any JSON, whatever its strings hold", () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.string({ unit: fc.constantFrom('"', "\\", "{", "[", "]", "}", "a", "1", "é") }),
      fc.double(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: fc.constantFrom('"', "\\", "[", "x") }), tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2), (json, space) => {
      const facts = scanJson(JSON.stringify(json, undefined, space));
      expect([facts.depth, facts.containers]).toEqual([depthOf(json), containersIn(json)]);
    }),
    { numRuns: 2000 },
  );
});

it("finds each number that could change, and none inside a string", () => {
  expect(scanJson('{"a":1234567890123456}').hasLongNumber).toBe(true);
  expect(scanJson("[-123456789012345]").hasLongNumber).toBe(true);
  expect(scanJson("[1E5]").hasLongNumber).toBe(true);
  expect(scanJson("[12345678901234, 0.5]").hasLongNumber).toBe(false);
  expect(scanJson('["12345678901234567890", "1e5", "\\" 1e5"]').hasLongNumber).toBe(false);
});

it("ends for a text that is not JSON", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void scanJson(text)));
  for (const text of ['"', '{"a', "]]]]", "-", "1e", '"\\'.repeat(50_000)]) scanJson(text);
});
