import { describe, expect, it } from "vitest";
import { coverageOf } from "../../../connector/core/coverage/coverage.ts";
import { CoverageTracker } from "../../../connector/core/lists/coverage-tracker.ts";
import { at } from "../coverage/timestamps.ts";

const read = (top: number | undefined, report: (tracker: CoverageTracker) => void) => {
  const tracker = new CoverageTracker(top === undefined ? undefined : at(top));
  report(tracker);
  const { covered, open } = tracker.take();
  return { covered: coverageOf(covered), open: coverageOf(open) };
};
const covered = (top: number | undefined, report: (tracker: CoverageTracker) => void) => {
  const { covered: intervals, open } = read(top, report);
  expect(open).toEqual([]);
  return intervals;
};

describe("the coverage of a walk (I2)", () => {
  it("is nothing of its last item's timestamp, of which more may follow on the next page", () => {
    const intervals = covered(undefined, (tracker) => {
      for (const timestamp of [9, 7, 5, 5]) tracker.item(at(timestamp));
      tracker.pageEnd();
    });
    expect(intervals).toEqual([[at(7), at(9)]]);
  });

  it("is nothing at all while a single timestamp fills the page", () => {
    const intervals = covered(9, (tracker) => {
      for (const timestamp of [9, 9, 9]) tracker.item(at(timestamp));
      tracker.pageEnd();
    });
    expect(intervals).toEqual([]);
  });

  it("goes down to the end only when the end was reached", () => {
    const intervals = covered(9, (tracker) => {
      tracker.item(at(7));
      tracker.reached(at(2));
    });
    expect(intervals).toEqual([[at(2), at(9)]]);
  });

  it("is the whole interval when it was requested from a known timestamp and is empty, and nothing when its top is not known", () => {
    expect(covered(9, (tracker) => tracker.reached(null))).toEqual([[null, at(9)]]);
    expect(covered(undefined, (tracker) => tracker.reached(null))).toEqual([]);
  });

  it("goes on across an item that cannot be read, and the range between its neighbours is open", () => {
    const { covered: intervals, open } = read(undefined, (tracker) => {
      tracker.item(at(9));
      tracker.item(at(7));
      tracker.unreadable();
      tracker.item(at(4));
      tracker.item(at(3));
      tracker.reached(null);
    });
    // It may lie at 7 or at 4, after or before the item that can be read.
    expect([intervals, open]).toEqual([[[null, at(9)]], [[at(4), at(7)]]]);
  });

  it("leaves open what lies above an unreadable first item, and below an unreadable last one", () => {
    expect(
      read(9, (tracker) => {
        tracker.unreadable();
        tracker.item(at(4));
        tracker.reached(at(1));
      }),
    ).toEqual({ covered: [[at(1), at(9)]], open: [[at(4), at(9)]] });
    expect(
      read(9, (tracker) => {
        tracker.unreadable();
        tracker.reached(at(1));
      }),
    ).toEqual({ covered: [[at(1), at(9)]], open: [[at(1), at(9)]] });
  });

  it("leaves a timestamp open that the links do not get past", () => {
    const { covered: intervals, open } = read(9, (tracker) => {
      for (const timestamp of [8, 6, 6]) tracker.item(at(timestamp));
      tracker.giveUp(at(6));
      tracker.item(at(2));
      tracker.reached(null);
    });
    expect([intervals, open]).toEqual([[[null, at(9)]], [[at(6), at(6)]]]);
  });

  it("leaves the range open between two items in the wrong order", () => {
    const { covered: intervals, open } = read(9, (tracker) => {
      tracker.item(at(8));
      tracker.item(at(5));
      tracker.outOfOrder(at(5), at(7));
      tracker.item(at(7));
      tracker.item(at(3));
      tracker.reached(null);
    });
    expect([intervals, open]).toEqual([[[null, at(9)]], [[at(5), at(7)]]]);
  });

  it("stops at the last item if an empty page ended the list", () => {
    const intervals = covered(9, (tracker) => {
      for (const timestamp of [8, 6]) tracker.item(at(timestamp));
      tracker.pageEnd();
      tracker.endedAtLastItem();
    });
    expect(intervals.every(([older]) => older !== null && older >= at(6))).toBe(true);
  });

  it("never reaches above the service's present, whatever its top is (S12)", () => {
    for (const top of [9, undefined]) {
      const intervals = covered(top, (tracker) => {
        tracker.limitTo(at(6));
        tracker.item(at(5));
        tracker.reached(null);
      });
      expect(intervals).toEqual([[null, at(6)]]);
    }
  });

  it("is handed out once", () => {
    const tracker = new CoverageTracker(at(9));
    tracker.reached(null);
    expect(tracker.take().covered).toHaveLength(1);
    expect(tracker.take()).toEqual({ covered: [], open: [] });
  });
});
