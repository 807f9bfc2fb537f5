import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Coverage,
  clipAbove,
  cover,
  coverageOf,
  cutOut,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  isStrictlyInside,
  liesIn,
  NOTHING,
  newestOf,
  partsIn,
  reopenNewest,
  unionOfGaps,
} from "../../../../connector/core/coverage/coverage.ts";
import { at, place, RUNS } from "./support/timestamps.ts";

const interval: fc.Arbitrary<Interval> = fc
  .tuple(fc.option(place, { freq: 8 }), place)
  .map(([older, newer]) =>
    older === null ? [null, at(newer)] : [at(Math.min(older, newer)), at(Math.max(older, newer))],
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

describe("coverage", () => {
  it("is sorted and disjoint, and covers what its intervals cover, whatever their order", () => {
    fc.assert(
      fc.property(intervals, (given) => {
        const coverage = coverageOf(given);
        for (const timestamp of everyPlace) {
          expect(coverage.some((each) => holds(each, timestamp))).toBe(
            given.some((each) => holds(each, timestamp)),
          );
        }
        coverage.slice(1).forEach(([older], index) => {
          expect(older !== null && older > coverage[index]![1]).toBe(true);
        });
        expect(coverageOf([...given].reverse())).toEqual(coverage);
        expect(coverageOf(coverage)).toEqual(coverage);
      }),
      RUNS,
    );
  });

  it("is a value: growing it changes nothing that has left in a state (I4)", () => {
    const before: Coverage = Object.freeze([Object.freeze([at(1), at(3)] as const)]);
    expect(coverageOf([...before, [at(2), at(9)]])).toEqual([[at(1), at(9)]]);
    expect(before).toEqual([[at(1), at(3)]]);
  });

  it("grows by one interval as if all of them had come together", () => {
    fc.assert(
      fc.property(intervals, interval, (given, added) => {
        expect(cover(coverageOf(given), added)).toEqual(coverageOf([...given, added]));
      }),
      RUNS,
    );
  });

  it("leaves as gaps all that is wanted and not strictly inside, and nothing else (I3)", () => {
    fc.assert(
      fc.property(gap, intervals, (wanted, given) => {
        const coverage = coverageOf(given);
        const gaps = gapsIn(wanted, coverage);
        for (const timestamp of everyPlace) {
          if (!liesIn([wanted], timestamp)) expect(liesIn(gaps, timestamp)).toBe(false);
          // A lower edge that is also the lower end of what is wanted was read down to that end.
          else if (
            coverage.some(
              ([older, newer]) => older === timestamp && timestamp === wanted.older && older < newer,
            )
          )
            continue;
          else if (!isStrictlyInside(coverage, timestamp)) expect(liesIn(gaps, timestamp)).toBe(true);
          else expect(liesIn(gaps, timestamp)).toBe(false);
        }
      }),
      RUNS,
    );
  });

  it("leaves gaps that are disjoint, oldest first", () => {
    fc.assert(
      fc.property(gap, intervals, (wanted, given) => {
        const gaps = gapsIn(wanted, coverageOf(given));
        gaps.slice(1).forEach((each, index) => {
          expect(gaps[index]!.newer! < each.older!).toBe(true);
        });
      }),
      RUNS,
    );
  });

  it("joins the gaps of several streams into gaps that hold the same timestamps, each once", () => {
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 6 }), (gaps) => {
        const union = unionOfGaps(gaps);
        for (const timestamp of everyPlace) {
          expect(union.filter((each) => liesIn([each], timestamp)).length).toBe(
            gaps.some((each) => liesIn([each], timestamp)) ? 1 : 0,
          );
        }
      }),
      RUNS,
    );
  });

  it("has its newest interval re-opened by the lookback, and only that (I5)", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 8 }),
        (pairs, lookbackMs) => {
          const ms = (count: number) => at(count * 1000);
          const coverage = coverageOf(
            pairs.map(([a, b]): Interval => [ms(Math.min(a, b)), ms(Math.max(a, b))]),
          );
          const reopened = reopenNewest(coverage, lookbackMs);
          const newest = Math.max(...pairs.flat());
          for (let count = 0; count <= 20; count++) {
            const wasInside = isStrictlyInside(coverage, ms(count));
            expect(isStrictlyInside(reopened, ms(count))).toBe(wasInside && count < newest - lookbackMs);
          }
        },
      ),
      RUNS,
    );
  });

  it("is re-opened once, however many syncs end before they read it again (I5)", () => {
    const coverage: Coverage = [[null, at(20_000)]];
    const once = reopenNewest(coverage, 5);
    expect(once).toEqual([
      [null, at(15_000)],
      [at(20_000), at(20_000)],
    ]);
    let again = once;
    for (let sync = 0; sync < 24; sync++) again = reopenNewest(again, 5);
    expect(again).toEqual(once);
  });

  it("loses only what lies above a limit, if it is cut at the service's present (S12)", () => {
    const coverage = coverageOf([
      [at(1), at(3)],
      [at(5), at(9)],
      [at(12), at(14)],
    ]);
    expect(clipAbove(coverage, at(7))).toEqual([
      [at(1), at(3)],
      [at(5), at(7)],
    ]);
    expect(clipAbove(coverage, at(14))).toBe(coverage);
  });

  it("takes time for sorting them, however many intervals a state holds", () => {
    const many = Array.from({ length: 60_000 }, (_, place): Interval => [at(3 * place), at(3 * place + 1)]);
    expect(coverageOf(many.toReversed())).toEqual(many);
  });

  it("is not re-opened without a lookback, and nothing has no newest timestamp", () => {
    const coverage: Coverage = [[null, at(5)]];
    expect(reopenNewest(coverage, 0)).toBe(coverage);
    expect(newestOf(NOTHING)).toBeUndefined();
    expect(reopenNewest(NOTHING, 5)).toEqual([]);
  });
});

describe("a hole", () => {
  it("is cut out: nothing inside it counts as delivered, and everything outside of it stays (I2)", () => {
    fc.assert(
      fc.property(intervals, intervals, (given, ranges) => {
        const [coverage, holes] = [coverageOf(given), coverageOf(ranges.map(holeAround))];
        const left = cutOut(coverage, holes);
        for (const timestamp of everyPlace) {
          const isHole = isStrictlyInside(holes, timestamp);
          const isEdge = holes.some((hole) => hole.includes(timestamp));
          if (isHole) expect(isStrictlyInside(left, timestamp)).toBe(false);
          else if (!isEdge)
            expect(isStrictlyInside(left, timestamp)).toBe(isStrictlyInside(coverage, timestamp));
        }
        expect(coverageOf(left), "it stays sorted and disjoint").toEqual(left);
        for (const [older, newer] of coverage)
          if (older === newer) expect(left, "a point stays").toContainEqual([older, newer]);
      }),
      RUNS,
    );
  });

  it.each([
    ["a microsecond", 7, 7, 6, 8],
    ["a millisecond", 7_000, 7_000, 6_000, 8_000],
    ["a second", 7_000_000, 7_000_000, 6_000_000, 8_000_000],
    ["its own unit at each end", 1_000_000, 2_000_001, 0, 2_000_002],
  ])("ends %s beside what could not be delivered", (_, older, newer, from, to) => {
    expect(holeAround([at(older), at(newer)])).toEqual([at(from), at(to)]);
  });

  it("around what lies below everything begins with time itself", () => {
    expect(holeAround([null, at(7)])).toEqual([null, at(8)]);
  });
});

it("the parts of a range that lie in gaps hold what both hold", () => {
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 6 }), interval, (some, range) => {
      const gaps = unionOfGaps(some);
      const parts = partsIn(gaps, range);
      for (const timestamp of everyPlace) {
        expect(parts.some((part) => holds(part, timestamp))).toBe(
          liesIn(gaps, timestamp) && holds(range, timestamp),
        );
      }
    }),
    RUNS,
  );
});
