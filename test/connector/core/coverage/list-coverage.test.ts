import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Coverage,
  type Gap,
  type Interval,
  isStrictlyInside,
} from "../../../../connector/core/coverage/coverage.ts";
import { ListCoverage } from "../../../../connector/core/coverage/list-coverage.ts";
import { at, PRESENT, RUNS } from "./support/timestamps.ts";

const ALL: Gap = { older: null, newer: undefined };
/** A list in a sync that has seen a response at 100. */
function listOf(stored: Coverage = [], wanted = ALL, lookbackMs = 0): ListCoverage {
  const list = new ListCoverage(stored, { wanted, lookbackMs, present: PRESENT });
  list.sees(at(100));
  return list;
}
const range = (older: number, newer = older): Interval => [at(older), at(newer)];

describe("a hole", () => {
  it("stays out of what was covered before, and out of what is covered later", () => {
    const list = listOf();
    list.cover([null, at(9)], false);
    expect(list.leave([range(5)])).toEqual([range(5)]);
    const left = [
      [null, at(4)],
      [at(6), at(9)],
    ];
    expect(list.covered).toEqual(left);
    list.cover([null, at(9)], false);
    expect(list.covered).toEqual(left);
  });

  it("leaves another response of its timestamp unread, whichever page shows it", () => {
    const list = listOf();
    list.leave([range(5)]);
    // The page above ends at the timestamp, and the one below begins there.
    list.cover(range(5, 9), false);
    list.cover([null, at(5)], false);
    expect([4, 5, 6].filter((number) => isStrictlyInside(list.covered, at(number)))).toEqual([]);
    expect([3, 7].filter((number) => isStrictlyInside(list.covered, at(number)))).toEqual([3, 7]);
  });

  it("is only what this sync reads, and a gap of the next one", () => {
    const list = listOf([range(10, 20), range(30, 40)], { older: at(10), newer: at(60) });
    expect(list.gaps).toEqual([
      { older: at(20), newer: at(30) },
      { older: at(40), newer: at(60) },
    ]);
    expect(list.leave([range(15), range(25, 35), range(50, 70)])).toEqual([range(25, 30), range(50, 60)]);
    expect(list.covered).toEqual([range(10, 20), range(31, 40)]);
    expect([range(26, 29), range(28, 31), range(15)].map((each) => list.isLeft(each))).toEqual([
      ...[true, false, false],
    ]);
  });

  it("is the only thing that is not delivered in what was covered, in any order of events", () => {
    const event = fc.record({
      isHole: fc.boolean(),
      places: fc.tuple(fc.integer({ min: 1, max: 29 }), fc.integer({ min: 1, max: 29 })),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const list = listOf();
        const holes: Interval[] = [];
        const covered: Interval[] = [];
        for (const { isHole, places } of events) {
          const each = range(Math.min(...places), Math.max(...places));
          if (isHole) {
            list.leave([each]);
            holes.push(each);
          } else {
            list.cover(each, false);
            covered.push(each);
          }
        }
        const isIn = (ranges: readonly Interval[], n: number, margin: number): boolean =>
          ranges.some(([older, newer]) => older! <= at(n + margin) && at(n - margin) <= newer);
        for (let n = 2; n <= 28; n++) {
          const isDelivered = isStrictlyInside(list.covered, at(n));
          if (isIn(holes, n, 0)) expect(isDelivered).toBe(false);
          if (isDelivered) expect(isIn(covered, n, 0)).toBe(true);
          const isInside = covered.some(([older, newer]) => older! < at(n) && at(n) < newer);
          if (isInside && !isIn(holes, n, 1)) expect(isDelivered).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

describe("what a list covers", () => {
  it("ends at the newest item that was seen, unless the list was read whole", () => {
    const list = new ListCoverage([], { wanted: ALL, lookbackMs: 0, present: PRESENT });
    list.cover([null, at(50)], false);
    expect(list.covered, "nothing was seen").toEqual([]);
    list.sees(at(20));
    list.sees(at(10));
    list.cover(range(30, 50), false);
    list.cover([null, at(50)], false);
    expect(list.covered).toEqual([[null, at(20)]]);
    list.cover([null, at(50)], true);
    expect(list.covered).toEqual([[null, at(50)]]);
  });

  it("begins without the lookback, whose newest timestamp stays as a point", () => {
    const list = listOf([[null, at(9_000)]], ALL, 5);
    expect(list.covered).toEqual([
      [null, at(4_000)],
      [at(9_000), at(9_000)],
    ]);
    expect(list.gaps).toEqual([{ older: at(4_000), newer: undefined }]);
  });

  it("begins without points that an earlier sync left, and not above the present (S12)", () => {
    const options = { wanted: ALL, lookbackMs: 0, present: at(20) };
    const list = new ListCoverage([range(3, 3), range(5, 9), range(15, 30)], options);
    expect(list.covered).toEqual([range(5, 9), range(15, 20)]);
  });
});

describe("of more than a thousand intervals", () => {
  /** Holes a microsecond wide, of which a sync begins with `count`; `read`: what it leaves of each, and reads else. */
  function fragmented(count: number, read: (place: number) => readonly Interval[]): ListCoverage {
    const stored = Array.from({ length: count }, (_, n): Interval => range(10 * n, 10 * n + 8));
    const list = listOf(stored, { older: at(0), newer: at(10 * count - 2) });
    expect(list.gaps).toHaveLength(count);
    for (let n = 0; n < count; n++) list.leave(read(10 * n + 9));
    return list;
  }

  it("the oldest holes that are holes again are given up, and no more than must be", () => {
    const list = fragmented(1_200, (place) => [range(place)]);
    expect(list.giveUp()).toBe(200);
    expect([list.covered.length, list.covered[0]]).toEqual([1_000, range(0, 2_008)]);
    expect(list.giveUp()).toBe(0);
  });

  it("none is given up of a thousand", () => {
    expect(fragmented(1_000, (place) => [range(place)]).giveUp()).toBe(0);
  });

  it("a gap is not given up that did not fail now, or of which a part could be read", () => {
    expect(fragmented(1_200, () => []).giveUp()).toBe(0);
    const wide = Array.from({ length: 1_200 }, (_, n): Interval => range(10 * n + 1, 10 * n + 5));
    const list = listOf(wide, { older: at(1), newer: at(11_995) });
    for (let n = 0; n < 1_200; n++) list.leave([range(10 * n + 7)]);
    expect([list.giveUp(), list.covered.length]).toEqual([0, 1_200]);
  });
});
