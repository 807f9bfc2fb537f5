import fc from "fast-check";
import { expect, it } from "vitest";
import { hasMoreContainers } from "../../../connector/core/client/count-containers.ts";

const containersIn = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, each) => sum + containersIn(each), 1);

it("counts the objects and lists of any JSON, whatever its strings hold", () => {
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
      const text = JSON.stringify(json, undefined, space);
      const containers = containersIn(json);
      expect(hasMoreContainers(text, containers)).toBe(false);
      if (containers > 0) expect(hasMoreContainers(text, containers - 1)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it("ends for a text that is not JSON", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => void hasMoreContainers(text, 0)));
  for (const text of ['"', '{"a', "]]]]", "-", "1e", '"\\'.repeat(50_000)]) hasMoreContainers(text, 0);
});
