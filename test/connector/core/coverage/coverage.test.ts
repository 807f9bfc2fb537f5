import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  adding,
  type Coverage,
  coverageOf,
  edited,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  isStrictlyInside,
  liesIn,
  removing,
  unionOfGaps,
} from "../../../../connector/core/coverage/coverage.ts";
import {
  ListCoverage,
  type ListOptions,
  type Seen,
} from "../../../../connector/core/coverage/list-coverage.ts";
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
      const isPoint = added[0] === added[1];
      expect(edited(coverageOf(given), adding(coverageOf(given), added))).toEqual(
        isPoint ? coverageOf(given) : coverage,
      );
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

describe("a hole", () => {
  it("is cut out: nothing inside it counts as delivered, and everything outside of it stays (I2)", () => {
    always(intervals, intervals, (given, ranges) => {
      const [coverage, holes] = [coverageOf(given), coverageOf(ranges.map(holeAround))];
      const left = holes.reduce((each, hole) => edited(each, removing(each, hole)), coverage);
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
  ])("ends %s beside what could not be delivered", (_, older, newer, from, to) => {
    expect(holeAround(range(older, newer))).toEqual(range(from, to));
  });
});

describe("a list in a sync", () => {
  const ALL: Gap = { older: null, newer: undefined };
  const OPTIONS = { wanted: ALL, lookbackMs: 0, present: PRESENT, isWhole: false };
  const SEEN = { present: PRESENT, isDated: true, newest: at(100), grain: 1 };
  /** One that has seen a response at 100. */
  function listOf(
    stored: Coverage,
    options: Partial<ListOptions> = {},
    seen: Partial<Seen> = {},
  ): ListCoverage {
    const list = new ListCoverage(stored, { ...OPTIONS, ...options });
    list.sees({ ...SEEN, ...seen });
    return list;
  }
  /** What such a list covers when all of it was read. */
  function coveredBy(...given: Parameters<typeof listOf>): Coverage {
    const list = listOf(...given);
    list.cover([null, PRESENT]);
    return list.covered;
  }

  it("leaves a hole in what was covered before and later, only where this sync reads", () => {
    const list = listOf([range(10, 20), range(30, 40)], { wanted: { older: at(10), newer: at(60) } });
    expect(list.gaps).toEqual([
      { older: at(20), newer: at(30) },
      { older: at(40), newer: at(60) },
    ]);
    expect(list.leave([range(15)])).toBe(false);
    expect(list.leave([range(25, 35), range(50, 70)])).toBe(true);
    expect(list.covered).toEqual([range(10, 20), range(31, 40)]);
    list.cover(range(20, 30));
    expect(list.covered).toEqual([range(10, 24), range(31, 40)]);
  });

  it("covers up to one unit above the newest item, which so does not come again, unless the list is read whole", () => {
    expect(coveredBy([])).toEqual([[null, at(101)]]);
    expect(coveredBy([], {}, { newest: at(2_000_000), grain: 1_000_000 })).toEqual([[null, at(3_000_000)]]);
    expect(coveredBy([], { isWhole: true })).toEqual([[null, PRESENT]]);
  });

  it("covers nothing younger than the lookback, in whole units (I5)", () => {
    const read = { present: at(8_700_123), newest: at(8_000_000) };
    expect(coveredBy([], { lookbackMs: 1500 }, read)).toEqual([[null, at(7_200_123)]]);
    expect(coveredBy([], { lookbackMs: 1500 }, { ...read, grain: 1000 })).toEqual([[null, at(7_200_000)]]);
    expect(coveredBy([], { lookbackMs: 1500 }, { ...read, grain: 1_000_000 })).toEqual([
      [null, at(7_000_000)],
    ]);
  });

  it("does not reach higher in a sync that meets nothing new, and keeps what a shorter lookback has covered", () => {
    for (const seen of [{}, { newest: undefined }])
      expect(coveredBy([[null, at(101)]], { lookbackMs: 60_000 }, seen)).toEqual([[null, at(101)]]);
    const stored: Coverage = [[null, at(6_000)], range(7_000, 9_000)];
    expect(coveredBy(stored, { lookbackMs: 4 }, { present: at(10_500) })).toEqual([
      [null, at(6_500)],
      range(7_000, 9_000),
    ]);
  });

  it("counts from the earliest of its pages: what appears between two is on neither", () => {
    const list = listOf([], { lookbackMs: 1 }, { present: at(5_001), newest: at(4_500) });
    list.sees({ ...SEEN, present: at(9_000), newest: undefined, grain: 1000 });
    list.cover([null, at(4_400)]);
    expect(list.covered).toEqual([[null, at(4_001)]]);
  });

  it("takes the newest item for the present if a page does not tell it (S12)", () => {
    const undated = { isDated: false, newest: at(9_000) };
    expect(coveredBy([], { lookbackMs: 1 }, undated)).toEqual([[null, at(8_000)]]);
    expect(coveredBy([], { lookbackMs: 1 }, { ...undated, present: at(7_000) })).toEqual([[null, at(6_000)]]);
    const mixed = listOf([], { lookbackMs: 1 }, undated);
    mixed.sees({ ...SEEN, present: at(9_900) });
    mixed.cover([null, PRESENT]);
    expect(mixed.covered).toEqual([[null, at(8_000)]]);
    const stored: Coverage = [[null, at(3_000)], range(4_000, 8_000)];
    expect(coveredBy(stored, { lookbackMs: 1 }, { ...undated, newest: at(3_500) })).toEqual([
      [null, at(8_000)],
    ]);
  });

  it("begins with what is stored, and not above the present (S12)", () => {
    const list = new ListCoverage([range(5, 9), range(15, 30_000)], { ...OPTIONS, present: at(20_000) });
    expect(list.covered).toEqual([range(5, 9), range(15, 20_000)]);
    expect(list.gaps.at(-1)).toEqual({ older: at(20_000), newer: undefined });
  });
});
