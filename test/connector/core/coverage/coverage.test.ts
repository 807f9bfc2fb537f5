import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  add,
  coverageOf,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  isStrictlyInside,
  liesIn,
  outside,
  partsIn,
  remove,
  unionOfGaps,
} from "../../../../connector/core/coverage/coverage.ts";
import { at, place, RUNS } from "./support/timestamps.ts";

const range = (older: number, newer = older): Interval => [at(older), at(newer)];
const interval: fc.Arbitrary<Interval> = fc
  .tuple(fc.option(place, { freq: 8 }), place)
  .map(([older, newer]) =>
    older === null ? [null, at(newer)] : range(Math.min(older, newer), Math.max(older, newer)),
  );
const intervals = fc.array(interval, { maxLength: 6 });
const gap: fc.Arbitrary<Gap> = fc
  .tuple(fc.option(place, { freq: 3 }), fc.option(place, { freq: 3 }))
  .filter(([older, newer]) => older === null || newer === null || older < newer)
  .map(([older, newer]) => ({
    older: older === null ? null : at(older),
    newer: newer === null ? undefined : at(newer),
  }));
const everyPlace = Array.from({ length: 33 }, (_, number) => at(number));
const holds = ([older, newer]: Interval, timestamp: string): boolean =>
  (older === null || older <= timestamp) && timestamp <= newer;
/** Checks a property of everything that the arbitraries give. */
const always = <Values extends [unknown, ...unknown[]]>(
  ...property: [...{ [Key in keyof Values]: fc.Arbitrary<Values[Key]> }, (...values: Values) => void]
): void => fc.assert(fc.property(...property), RUNS);

describe("coverage", () => {
  it("is sorted and disjoint, and covers what its intervals cover, however they come", () => {
    always(intervals, interval, (given, added) => {
      const coverage = coverageOf([...given, added]);
      for (const timestamp of everyPlace)
        expect(coverage.some((each) => holds(each, timestamp))).toBe(
          [...given, added].some((each) => holds(each, timestamp)),
        );
      coverage.slice(1).forEach(([older], index) => {
        expect(older !== null && older > coverage[index]![1]).toBe(true);
      });
      const isPoint = added[0] === added[1];
      const grown = [...coverageOf(given)];
      const isChanged = add(grown, added);
      expect(grown).toEqual(isPoint ? coverageOf(given) : coverage);
      expect(isChanged).toBe(JSON.stringify(grown) !== JSON.stringify(coverageOf(given)));
    });
  });

  it("leaves as gaps all that is wanted and not strictly inside, and nothing else (I3)", () => {
    expect(isStrictlyInside([range(3, 5)], at(3)) || isStrictlyInside([range(3, 5)], at(5))).toBe(false);
    always(gap, intervals, (wanted, given) => {
      const coverage = coverageOf(given.filter(([older, newer]) => older !== newer));
      const gaps = gapsIn(wanted, coverage);
      gaps.slice(1).forEach((each, index) => {
        expect(gaps[index]!.newer! < each.older!).toBe(true);
      });
      for (const timestamp of everyPlace) {
        // A lower edge that is also the lower end of what is wanted was read down to that end.
        const isEnd = timestamp === wanted.older;
        if (isEnd && coverage.some(([older, newer]) => older === timestamp && older < newer)) continue;
        const isDue = liesIn([wanted], timestamp) && !isStrictlyInside(coverage, timestamp);
        expect(liesIn(gaps, timestamp)).toBe(isDue);
      }
    });
  });

  it("of several streams leaves gaps that hold the same timestamps, each once", () => {
    always(fc.array(gap, { maxLength: 6 }), (gaps) => {
      const union = unionOfGaps(gaps);
      for (const timestamp of everyPlace)
        expect(union.filter((each) => liesIn([each], timestamp)).length).toBe(
          gaps.some((each) => liesIn([each], timestamp)) ? 1 : 0,
        );
    });
  });
});

it.each<[string, Interval, readonly Interval[]]>([
  ["an edge of a gap above it", range(5, 10), [range(10)]],
  ["an edge of a gap below it", range(20, 25), [range(20)]],
  ["nothing between two gaps", range(21, 29), []],
  ["its part of each gap", range(15, 35), [range(15, 20), range(30, 35)]],
  ["nothing below a gap's older end", [null, at(12)], [range(10, 12)]],
])("the parts of an interval in gaps are %s", (_, interval, parts) => {
  const gaps = [
    { older: at(10), newer: at(20) },
    { older: at(30), newer: undefined },
  ];
  expect(partsIn(gaps, interval)).toEqual(parts);
});

it.each([5, 9])("a point at the edge of a hole, at %i, is outside of it", (place) => {
  expect(outside([range(5, 9)], range(place))).toEqual([range(place)]);
});

describe("a hole", () => {
  it("is cut out: nothing inside it counts as delivered, and everything outside of it stays (I2)", () => {
    always(intervals, intervals, (given, ranges) => {
      const [coverage, holes] = [coverageOf(given), coverageOf(ranges.map(holeAround))];
      const left = [...coverage];
      const areChanged = holes.map((hole) => remove(left, hole));
      expect(areChanged.includes(true)).toBe(JSON.stringify(left) !== JSON.stringify(coverage));
      for (const timestamp of everyPlace) {
        if (isStrictlyInside(holes, timestamp)) expect(isStrictlyInside(left, timestamp)).toBe(false);
        else if (!holes.some((hole) => hole.includes(timestamp)))
          expect(isStrictlyInside(left, timestamp)).toBe(isStrictlyInside(coverage, timestamp));
      }
      expect(coverageOf(left), "it stays sorted and disjoint").toEqual(left);
    });
  });

  it.each([
    ["a microsecond", 7, 7, 6, 8],
    ["a millisecond", 7_000, 7_000, 6_000, 8_000],
    ["a second", 7_000_000, 7_000_000, 6_000_000, 8_000_000],
    ["its own unit at each end", 1_000_000, 2_000_001, 0, 2_000_002],
  ])("ends %s next to what could not be delivered", (_, older, newer, from, to) => {
    expect(holeAround(range(older, newer))).toEqual(range(from, to));
  });
});
