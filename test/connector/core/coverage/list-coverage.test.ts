import { describe, expect, it } from "vitest";
import type { Coverage, Gap, Interval } from "../../../../connector/core/coverage/coverage.ts";
import {
  ListCoverage,
  type ListOptions,
  type Seen,
  seenTogether,
} from "../../../../connector/core/coverage/list-coverage.ts";
import { at, PRESENT } from "./support/timestamps.ts";

const range = (older: number, newer = older): Interval => [at(older), at(newer)];

describe("a list in a sync", () => {
  const ALL: Gap = { older: null, newer: undefined };
  const OPTIONS = { wanted: ALL, lookbackMs: 0, present: PRESENT, isSnapshot: false };
  const SEEN = { present: PRESENT, isDated: true, newest: at(100), grain: 1 };
  /** What a list covers when all of it was read, and a response at 100 was seen unless `seen` says otherwise. */
  function coveredBy(
    stored: Coverage,
    options: Partial<ListOptions> = {},
    ...pages: readonly Partial<Seen>[]
  ): Coverage {
    const list = new ListCoverage(stored, { ...OPTIONS, ...options });
    const all = pages.map((seen) => ({ ...SEEN, ...seen }));
    list.cover(
      [null, PRESENT],
      all.reduce((before, page) => seenTogether(before, page), all[0] ?? SEEN),
    );
    return list.covered;
  }

  it("leaves a hole in what was covered before and later, only where this sync reads", () => {
    const wanted = { older: at(10), newer: at(60) };
    const list = new ListCoverage([range(10, 20), range(30, 40)], { ...OPTIONS, wanted });
    expect(list.gaps).toEqual([
      { older: at(20), newer: at(30) },
      { older: at(40), newer: at(60) },
    ]);
    const ranges = [range(15), range(25, 35), range(50, 70)];
    expect(ranges.map((each) => list.reads(each))).toEqual([false, true, true]);
    for (const each of ranges) list.defer(each);
    expect(list.covered).toEqual([range(10, 20), range(31, 40)]);
    list.cover(range(20, 30), SEEN);
    expect(list.covered).toEqual([range(10, 24), range(31, 40)]);
  });

  it("covers up to one unit above the newest item, which so does not come again, unless the list is read whole", () => {
    expect(coveredBy([])).toEqual([[null, at(101)]]);
    expect(coveredBy([], {}, { newest: at(2_000_000), grain: 1_000_000 })).toEqual([[null, at(3_000_000)]]);
    expect(coveredBy([], { isSnapshot: true })).toEqual([[null, PRESENT]]);
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
    const pages = [
      { present: at(5_001), newest: at(4_500) },
      { present: at(9_000), newest: undefined, grain: 1000 },
    ];
    expect(coveredBy([], { lookbackMs: 1 }, ...pages)).toEqual([[null, at(4_001)]]);
  });

  it("takes the newest item for the present if a page does not tell it (S12)", () => {
    const undated = { isDated: false, newest: at(9_000) };
    expect(coveredBy([], { lookbackMs: 1 }, undated)).toEqual([[null, at(8_000)]]);
    expect(coveredBy([], { lookbackMs: 1 }, { ...undated, present: at(7_000) })).toEqual([[null, at(6_000)]]);
    const mixed = [undated, { present: at(9_900) }];
    expect(coveredBy([], { lookbackMs: 1 }, ...mixed)).toEqual([[null, at(8_000)]]);
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
