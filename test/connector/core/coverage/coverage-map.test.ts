import fc from "fast-check";
import { expect, it } from "vitest";
import type { Coverage } from "../../../../connector/core/coverage/coverage.ts";
import { CoverageMap, type CoverageSnapshot } from "../../../../connector/core/coverage/coverage-map.ts";
import { at, RUNS } from "./support/timestamps.ts";

const coverage: fc.Arbitrary<Coverage> = fc
  .option(fc.nat(30), { nil: undefined })
  .map((place) => (place === undefined ? [] : [[null, at(place)]]));
const change = fc.tuple(
  fc.nat(150).map((number) => `s${number}`),
  coverage,
);

it("a snapshot never changes, and holds what a plain copy would hold (I4)", () => {
  fc.assert(
    fc.property(
      fc.array(change),
      fc.array(fc.array(change, { maxLength: 5 }), { maxLength: 20 }),
      (first, rounds) => {
        const map = new CoverageMap(first);
        const truth = new Map(first);
        const taken: { snapshot: CoverageSnapshot; copy: unknown }[] = [];
        for (const round of rounds) {
          for (const [id, value] of round) {
            map.set(id, value);
            truth.set(id, value);
          }
          const copy = Object.fromEntries([...truth].filter(([, value]) => value.length > 0));
          taken.push({ snapshot: map.snapshot(), copy });
        }
        for (const { snapshot, copy } of taken) expect(snapshot()).toEqual(copy);
      },
    ),
    RUNS,
  );
});

it("names every list, whatever its id is", () => {
  const map = new CoverageMap([]);
  for (const id of ["constructor", "toString", "__proto__"]) map.set(id, [[null, at(1)]]);
  expect(Object.keys(map.snapshot()()).sort()).toEqual(["__proto__", "constructor", "toString"]);
  expect(JSON.stringify(map.snapshot()())).toContain('"__proto__"');
});
