import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Coverage,
  coverageOf,
  cutOut,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  isStrictlyInside,
  liesIn,
  unionOfGaps,
  withoutLookback,
} from "../../../../connector/core/coverage/coverage.ts";
import { ListCoverage } from "../../../../connector/core/coverage/list-coverage.ts";
import { at, PRESENT, place, RUNS } from "./support/timestamps.ts";

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
      expect(coverageOf([...coverageOf(given), added])).toEqual(coverage);
    });
  });

  it("leaves as gaps all that is wanted and not strictly inside, and nothing else (I3)", () => {
    expect(isStrictlyInside([range(3, 5)], at(3)) || isStrictlyInside([range(3, 5)], at(5))).toBe(false);
    always(gap, intervals, (wanted, given) => {
      const coverage = coverageOf(given);
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

  it("leaves its lookback out once, however many syncs end before they read it again (I5)", () => {
    const coverage: Coverage = [range(1_000, 2_000), [at(5_000), at(20_000)]];
    const once = withoutLookback(coverage, 5);
    expect(once).toEqual([range(1_000, 2_000), range(5_000, 15_000), range(20_000)]);
    let again = once;
    for (let sync = 0; sync < 24; sync++) again = withoutLookback(again, 5);
    expect(again).toEqual(once);
    expect(withoutLookback(coverage, 0)).toBe(coverage);
  });
});

describe("a hole", () => {
  it("is cut out: nothing inside it counts as delivered, and everything outside of it stays (I2)", () => {
    always(intervals, intervals, (given, ranges) => {
      const [coverage, holes] = [coverageOf(given), coverageOf(ranges.map(holeAround))];
      const left = cutOut(coverage, holes);
      for (const timestamp of everyPlace) {
        if (isStrictlyInside(holes, timestamp)) expect(isStrictlyInside(left, timestamp)).toBe(false);
        else if (!holes.some((hole) => hole.includes(timestamp)))
          expect(isStrictlyInside(left, timestamp)).toBe(isStrictlyInside(coverage, timestamp));
      }
      expect(coverageOf(left), "it stays sorted and disjoint").toEqual(left);
      for (const [older, newer] of coverage)
        if (older === newer) expect(left, "a point stays").toContainEqual([older, newer]);
    });
  });

  it.each([
    ["a microsecond", 7, 7, 6, 8],
    ["a millisecond", 7_000, 7_000, 6_000, 8_000],
    ["a second", 7_000_000, 7_000_000, 6_000_000, 8_000_000],
    ["its own unit at each end", 1_000_000, 2_000_001, 0, 2_000_002],
  ])("ends %s beside what could not be delivered", (_, older, newer, from, to) => {
    expect(holeAround(range(older, newer))).toEqual(range(from, to));
  });
});

describe("a list in a sync", () => {
  /** One that has seen a response at 100. */
  function listOf(stored: Coverage, wanted: Gap, lookbackMs = 0): ListCoverage {
    const list = new ListCoverage(stored, { wanted, lookbackMs, present: PRESENT });
    list.sees(at(100));
    return list;
  }
  const ALL: Gap = { older: null, newer: undefined };

  it("leaves a hole in what was covered before and later, only where this sync reads", () => {
    const list = listOf([range(10, 20), range(30, 40)], { older: at(10), newer: at(60) });
    expect(list.gaps).toEqual([
      { older: at(20), newer: at(30) },
      { older: at(40), newer: at(60) },
    ]);
    expect(list.leave([range(15), range(25, 35), range(50, 70)])).toEqual([range(25, 30), range(50, 60)]);
    expect(list.covered).toEqual([range(10, 20), range(31, 40)]);
    list.cover(range(20, 30), false);
    expect(list.covered).toEqual([range(10, 24), range(31, 40)]);
  });

  it("covers no more than the newest item that was seen, unless the list was read whole", () => {
    const list = listOf([], ALL);
    list.cover([null, at(200)], false);
    expect(list.covered).toEqual([[null, at(100)]]);
    list.cover([null, at(200)], true);
    expect(list.covered).toEqual([[null, at(200)]]);
  });

  it("begins without the lookback, without points that an earlier sync left, and not above the present (S12)", () => {
    const options = { wanted: ALL, lookbackMs: 0, present: at(20_000) };
    const stored = [range(3), range(5, 9), range(15, 30_000)];
    expect(new ListCoverage(stored, options).covered).toEqual([range(5, 9), range(15, 20_000)]);
    const list = new ListCoverage(stored, { ...options, lookbackMs: 5 });
    expect(list.covered).toEqual([range(5, 9), range(15, 15_000), range(20_000)]);
    expect(list.gaps.at(-1)).toEqual({ older: at(15_000), newer: undefined });
  });
});
