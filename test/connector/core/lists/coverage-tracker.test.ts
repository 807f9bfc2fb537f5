import { describe, expect, it } from "vitest";
import { coverageOf } from "../../../../connector/core/coverage/coverage.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { CoverageTracker } from "../../../../connector/core/lists/coverage-tracker.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at } from "../coverage/support/timestamps.ts";

const UNREADABLE = new SurveyExportError("system", "unreadable_item", say`It cannot be read.`);
const read = (top: number | undefined, report: (tracker: CoverageTracker) => void) => {
  const tracker = new CoverageTracker(top === undefined ? undefined : at(top));
  report(tracker);
  const { covered, unreadable, doubtful } = tracker.take();
  return { covered: coverageOf(covered), unreadable: unreadable.map(({ range }) => range), doubtful };
};
const covered = (top: number | undefined, report: (tracker: CoverageTracker) => void) => {
  const { covered: intervals, unreadable, doubtful } = read(top, report);
  expect([...unreadable, ...doubtful]).toEqual([]);
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

  it("goes on across an item that cannot be read, and the range between its neighbours is left", () => {
    const { covered: intervals, unreadable } = read(undefined, (tracker) => {
      tracker.item(at(9));
      tracker.item(at(7));
      tracker.missed(UNREADABLE);
      tracker.item(at(4));
      tracker.item(at(3));
      tracker.reached(null);
    });
    // It may lie at 7 or at 4, after or before the item that can be read.
    expect([intervals, unreadable]).toEqual([[[null, at(9)]], [[at(4), at(7)]]]);
  });

  it("leaves what lies above an unreadable first item, and below an unreadable last one", () => {
    expect(
      read(9, (tracker) => {
        tracker.missed(UNREADABLE);
        tracker.item(at(4));
        tracker.reached(at(1));
      }),
    ).toEqual({ covered: [[at(1), at(9)]], unreadable: [[at(4), at(9)]], doubtful: [] });
    expect(
      read(9, (tracker) => {
        tracker.missed(UNREADABLE);
        tracker.reached(at(1));
      }),
    ).toEqual({ covered: [[at(1), at(9)]], unreadable: [[at(1), at(9)]], doubtful: [] });
  });

  it("leaves a timestamp in doubt that the links do not get past", () => {
    const { covered: intervals, doubtful } = read(9, (tracker) => {
      for (const timestamp of [8, 6, 6]) tracker.item(at(timestamp));
      tracker.giveUp(at(6));
      tracker.item(at(2));
      tracker.reached(null);
    });
    expect([intervals, doubtful]).toEqual([[[null, at(9)]], [[at(6), at(6)]]]);
  });

  it("leaves the range in doubt between two items in the wrong order", () => {
    const { covered: intervals, doubtful } = read(9, (tracker) => {
      tracker.item(at(8));
      tracker.item(at(5));
      tracker.outOfOrder(at(5), at(7));
      tracker.item(at(7));
      tracker.item(at(3));
      tracker.reached(null);
    });
    expect([intervals, doubtful]).toEqual([[[null, at(9)]], [[at(5), at(7)]]]);
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
    expect(tracker.take()).toEqual({ covered: [], unreadable: [], doubtful: [] });
  });

  it("keeps its top once an item has come, whatever the service's clock says later", () => {
    const intervals = covered(undefined, (tracker) => {
      for (const timestamp of [9, 7, 5]) tracker.item(at(timestamp));
      tracker.limitTo(at(6));
      tracker.pageEnd();
    });
    expect(intervals).toEqual([[at(7), at(9)]]);
  });

  it("does not go on from an item that is newer than one before it", () => {
    const intervals = covered(undefined, (tracker) => {
      for (const timestamp of [9, 5, 7, 6]) tracker.item(at(timestamp));
      tracker.pageEnd();
    });
    expect(intervals).toEqual([[at(9), at(9)]]);
  });

  it("forgets what could not be read if everything comes again from there", () => {
    const intervals = covered(undefined, (tracker) => {
      tracker.item(at(9));
      tracker.missed(UNREADABLE);
      tracker.restart();
      expect(tracker.isUnbroken).toBe(true);
      tracker.item(at(9));
      tracker.item(at(5));
      tracker.reached(null);
    });
    expect(intervals).toEqual([[null, at(9)]]);
  });

  it.each([
    ["the end of the walk is left", 3, [[at(3), at(5)]]],
    ["the beginning is left", null, [[null, at(5)]]],
    ["an item in the wrong order is left", 7, [[at(5), at(7)]]],
  ] as const)("after an item that cannot be read, the range down to %s", (_, end, left) => {
    const { unreadable } = read(9, (tracker) => {
      tracker.item(at(5));
      tracker.missed(UNREADABLE);
      tracker.reached(end === null ? null : at(end));
    });
    expect(unreadable).toEqual(left);
  });

  it("names the first item of a range that cannot be read, and one without an item is in doubt", () => {
    const tracker = new CoverageTracker(at(9));
    tracker.item(at(8));
    tracker.missed();
    tracker.item(at(6));
    tracker.missed(UNREADABLE);
    tracker.missed(new SurveyExportError("system", "unreadable_item", say`Nor can this.`));
    tracker.item(at(4));
    const { unreadable, doubtful } = tracker.take();
    expect(unreadable).toEqual([{ range: [at(4), at(6)], error: UNREADABLE }]);
    expect(doubtful).toEqual([[at(6), at(8)]]);
  });

  it("goes down to the last item if the list ends with an empty page, and nowhere without an item", () => {
    const intervals = covered(undefined, (tracker) => {
      for (const timestamp of [9, 5]) tracker.item(at(timestamp));
      tracker.endedAtLastItem();
    });
    expect(intervals).toEqual([[at(5), at(9)]]);
    expect(covered(9, (tracker) => tracker.endedAtLastItem())).toEqual([]);
  });

  it("ends with an empty page after an item that cannot be read, which is left (S11)", () => {
    const { covered: intervals, unreadable } = read(9, (tracker) => {
      tracker.item(at(5));
      tracker.missed(UNREADABLE);
      tracker.endedAtLastItem();
    });
    expect([intervals, unreadable]).toEqual([[[at(5), at(9)]], [[at(5), at(5)]]]);
  });

  it("goes down to a timestamp that is given up, which is in doubt", () => {
    const tracker = new CoverageTracker(at(9));
    tracker.item(at(5));
    tracker.giveUp(at(5));
    expect(tracker.take()).toEqual({ covered: [[at(5), at(9)]], unreadable: [], doubtful: [[at(5), at(5)]] });
    expect(tracker.seenWhole).toBe(at(5));
    expect(tracker.take()).toEqual({ covered: [], unreadable: [], doubtful: [] });
  });
});
