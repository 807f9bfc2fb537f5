import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Coverage,
  clipAbove,
  cover,
  coverageOf,
  type Gap,
  gapsIn,
  holdsAll,
  type Interval,
  isStrictlyInside,
  isWithin,
  liesIn,
  mergedTo,
  NOTHING,
  newestOf,
  reopenNewest,
  unionOfGaps,
  widestOf,
  without,
} from "../../../../connector/core/coverage/coverage.ts";
import { microsecondsBetween } from "../../../../connector/core/coverage/timestamp.ts";
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

  it("has a range strictly inside if all of it is", () => {
    fc.assert(
      fc.property(intervals, place, fc.nat(3), (given, from, length) => {
        const coverage = coverageOf(given);
        const range = everyPlace.slice(from, from + length + 1);
        expect(isStrictlyInside(coverage, range[0]!, range.at(-1)!)).toBe(
          range.every((timestamp) => isStrictlyInside(coverage, timestamp)),
        );
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
            liesIn(gaps, timestamp) ? 1 : 0,
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

describe("a coverage beside another", () => {
  it("holds all of it if adding it changes nothing", () => {
    fc.assert(
      fc.property(intervals, intervals, (one, other) => {
        const [coverage, part] = [coverageOf(one), coverageOf(other)];
        const together = coverageOf([...one, ...other]);
        expect(holdsAll(coverage, part)).toBe(JSON.stringify(together) === JSON.stringify(coverage));
        expect(holdsAll(together, part)).toBe(true);
      }),
      RUNS,
    );
  });
});

describe("a coverage of too many intervals", () => {
  const many: Coverage = [
    [null, at(1)],
    [at(3), at(4)],
    [at(10), at(15)],
    [at(20), at(23)],
    [at(30), at(30)],
  ];

  it("keeps its newest and its widest ones, oldest first; the beginning of time is far away", () => {
    expect(widestOf(3, many)).toEqual([many[0], many[2], many[4]]);
    expect(widestOf(4, many)).toEqual([many[0], many[2], many[3], many[4]]);
  });

  it("is left as it is if they are not too many", () => {
    expect(widestOf(5, many)).toBe(many);
  });
});

describe("closed ranges", () => {
  it("hold both of their ends", () => {
    const ranges: Coverage = [
      [null, at(2)],
      [at(5), at(5)],
    ];
    expect([0, 2, 3, 5, 6].map((number) => isWithin(ranges, at(number)))).toEqual([
      ...[true, true, false, true, false],
    ]);
  });

  it("without an interval hold all that they held outside of it, and nothing inside", () => {
    fc.assert(
      fc.property(intervals, interval, (given, taken) => {
        const ranges = coverageOf(given);
        const left = without(ranges, taken);
        for (const timestamp of everyPlace) {
          expect(isWithin(left, timestamp)).toBe(isWithin(ranges, timestamp) && !holds(taken, timestamp));
        }
        left.slice(1).forEach(([older], index) => {
          expect(older! > left[index]![1]).toBe(true);
        });
      }),
      RUNS,
    );
  });

  it("merged to fewer hold all that they held, and keep the widest distances between them", () => {
    fc.assert(
      fc.property(intervals, fc.integer({ min: 1, max: 4 }), (given, most) => {
        const ranges = coverageOf(given);
        const merged = mergedTo(most, ranges);
        expect(merged).toHaveLength(Math.min(most, ranges.length));
        expect(
          everyPlace.filter((timestamp) => isWithin(ranges, timestamp) && !isWithin(merged, timestamp)),
        ).toEqual([]);
        expect(distances(merged)).toEqual(distances(ranges).slice(0, most - 1));
      }),
      RUNS,
    );
  });

  it("are left as they are if they are few enough", () => {
    const ranges: Coverage = [
      [null, at(2)],
      [at(5), at(5)],
    ];
    expect(mergedTo(2, ranges)).toBe(ranges);
    expect(mergedTo(100, NOTHING)).toBe(NOTHING);
  });
});

/** Between neighbours, the widest first. */
function distances(ranges: Coverage): number[] {
  return ranges
    .slice(1)
    .map(([older], index) => microsecondsBetween(ranges[index]![1], older!))
    .sort((a, b) => b - a);
}
