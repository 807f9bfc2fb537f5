import { afterEach, describe, expect, it, vi } from "vitest";
import type { Coverage, Interval } from "../../../../connector/core/coverage/coverage.ts";
import { CoverageMap } from "../../../../connector/core/coverage/coverage-map.ts";
import { EMPTY_STATE, parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import { type Settlement, StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const SECOND = 1_000_000;
const MINUTE = 60 * SECOND;

type Options = ConstructorParameters<typeof StreamCursor>[0];
function cursorOf(state: object = {}, options: Partial<Options> = {}): StreamCursor {
  return new StreamCursor({
    initialState:
      Object.keys(state).length === 0
        ? EMPTY_STATE
        : parseStreamState({ version: 1, surveys: {}, ...state }, "s"),
    ...{ surveyIds: ["s"], respondentUuids: [], startDate: undefined, endDate: undefined, lookbackMs: 0 },
    ...{ present: PRESENT, bound: undefined, readsListsOfResponses: false, personalData: undefined },
    ...options,
  });
}
const between = (older: number | null, newer: number): Interval => [
  older === null ? null : at(older),
  at(newer),
];
const placeAt = (number: number) => ({ surveyId: "s", timestamp: at(number) });
/** A part of the survey in which nothing is open. */
const settled = (older: number | null, newer: number, newestSeen: number | undefined): Settlement => ({
  ...{ surveyId: "s", intervals: [between(older, newer)], upTo: undefined, isRetry: false },
  newestSeen: newestSeen === undefined ? undefined : at(newestSeen),
  ...{ taken: 0, delivered: 0, open: [], doubtful: 0 },
});
const stateOf = (cursor: StreamCursor) => cursor.state().toJSON();
const coveredBy = (cursor: StreamCursor): Coverage => stateOf(cursor).surveys.s ?? [];
const openIn = (cursor: StreamCursor): Coverage => stateOf(cursor).open?.s ?? [];

describe("the gaps of a survey", () => {
  it("are all between the dates in a first sync, both inclusive", () => {
    expect(cursorOf().gapsOfSurvey("s")).toEqual([{ older: null, newer: undefined }]);
    const cursor = cursorOf({}, { startDate: at(3), endDate: at(9) });
    expect(cursor.gapsOfSurvey("s")).toEqual([{ older: at(3), newer: at(9) }]);
  });

  it("are what is not strictly inside of the state's coverage", () => {
    const cursor = cursorOf({ surveys: { s: [between(3, 9), between(12, 15)] } });
    expect(cursor.gapsOfSurvey("s")).toEqual([
      { older: null, newer: at(3) },
      { older: at(9), newer: at(12) },
      { older: at(15), newer: undefined },
    ]);
  });

  it("are all above the collected_at of a state that was written by hand, in every survey", () => {
    const initialState = { ...EMPTY_STATE, upTo: at(9) };
    const cursor = cursorOf({}, { initialState, surveyIds: ["s", "t"] });
    for (const id of ["s", "t"])
      expect(cursor.gapsOfSurvey(id)).toEqual([{ older: at(9), newer: undefined }]);
  });

  it("are none if the survey is not configured; its entry in the state stays", () => {
    const cursor = cursorOf({ surveys: { t: [between(3, 9)] }, open: { t: [between(4, 4)] } });
    expect([cursor.reads("s"), cursor.reads("t"), cursor.gapsOfSurvey("t")]).toEqual([true, false, []]);
    expect(stateOf(cursor)).toMatchObject({ surveys: { t: [between(3, 9)] }, open: { t: [between(4, 4)] } });
  });

  it("hold what the lookback re-opens, which is out of the state until it is read again (I5)", () => {
    const cursor = cursorOf({ surveys: { s: [between(null, 9000)] } }, { lookbackMs: 2 });
    expect(cursor.gapsOfSurvey("s")).toEqual([{ older: at(7000), newer: undefined }]);
    expect(coveredBy(cursor)).toEqual([between(null, 7000), between(9000, 9000)]);
    cursor.settle(settled(7000, 9000, undefined));
    expect(coveredBy(cursor)).toEqual([between(null, 9000)]);
  });
});

describe("what is settled", () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ["lost something", between(4, 9)],
    ["rose above what was seen", between(3, 10)],
  ])("is a defect if the survey's coverage %s by it", (_, after) => {
    const cursor = cursorOf({ surveys: { s: [between(3, 7)] } });
    const before = [between(3, 7)];
    const get = vi.spyOn(CoverageMap.prototype, "get").mockReturnValue([after]);
    get.mockReturnValueOnce(before).mockReturnValueOnce(before).mockReturnValueOnce(before);
    expect(() => cursor.settle(settled(7, 9, 9))).toThrow(
      'the state of survey "s" lost something, or rose above what was seen',
    );
  });

  it("is covered, and what could not be delivered of it is open", () => {
    const cursor = cursorOf();
    cursor.settle({ ...settled(3, 9, 9), taken: 3, delivered: 2, open: [placeAt(5)] });
    expect([coveredBy(cursor), openIn(cursor)]).toEqual([[between(3, 9)], [between(5, 5)]]);
  });

  it.each([
    ["one is missing", { taken: 3, delivered: 2 }],
    ["one is there twice", { taken: 1, delivered: 1, open: [placeAt(5)] }],
    ["one more is in doubt than was taken", { taken: 0, doubtful: 1 }],
  ])("is accounted for: it is a defect if %s, and nothing is covered", (_, counts) => {
    const cursor = cursorOf();
    expect(() => cursor.settle({ ...settled(3, 9, 9), ...counts })).toThrow(
      expect.objectContaining({
        code: "defect",
        message: expect.stringContaining('of survey "s" are unaccounted for'),
      }),
    );
    expect(coveredBy(cursor)).toEqual([]);
  });

  it("is covered no higher than the newest response that this sync or an earlier one has seen (I2)", () => {
    const cursor = cursorOf({}, { endDate: at(30) });
    cursor.settle(settled(null, 30, undefined));
    expect(coveredBy(cursor)).toEqual([]);
    cursor.settle(settled(5, 30, 9));
    expect(coveredBy(cursor)).toEqual([between(5, 9)]);
    cursor.settle(settled(null, 30, undefined));
    expect(coveredBy(cursor)).toEqual([between(null, 9)]);
  });

  it("is covered no higher than the bound, the service's present at the first page (I6)", () => {
    const bound = { at: at(7) };
    const cursor = cursorOf({}, { bound });
    cursor.settle({ ...settled(8, 12, 12), intervals: [between(8, 12), between(3, 8)] });
    expect(coveredBy(cursor)).toEqual([between(3, 7)]);
    expect([7, 8].map((number) => cursor.isWithinBound(at(number)))).toEqual([true, false]);
  });

  it("has no bound in a stream of the surveys' own responses", () => {
    const cursor = cursorOf();
    cursor.settle(settled(3, 12, 12));
    expect(coveredBy(cursor)).toEqual([between(3, 12)]);
    expect(cursor.isWithinBound(at(9000))).toBe(true);
  });

  it("is no longer open, whether it was read because of that or because of a gap", () => {
    for (const isRetry of [false, true]) {
      const cursor = cursorOf({ surveys: { s: [between(null, 20)] }, open: { s: [between(3, 9)] } });
      cursor.settle({ ...settled(5, 7, undefined), isRetry });
      expect(openIn(cursor)).toEqual([between(3, 4), between(8, 9)]);
      expect(coveredBy(cursor)).toEqual([between(null, 20)]);
    }
  });

  it("is open still above what was read, at a cut whose own timestamp another slice reads", () => {
    const cursor = cursorOf({ open: { s: [between(3, 12)] } });
    cursor.settle({ ...settled(5, 9, 20), upTo: at(8) });
    expect([coveredBy(cursor), openIn(cursor)]).toEqual([[between(5, 9)], [between(3, 4), between(9, 12)]]);
  });

  it("covers nothing if it was read only because of what was open", () => {
    const cursor = cursorOf({ open: { s: [between(3, 9)] } });
    cursor.settle({ ...settled(3, 9, 9), isRetry: true });
    expect([coveredBy(cursor), openIn(cursor)]).toEqual([[], []]);
  });
});

describe("a range that may hold something unread", () => {
  it("is open if it meets a gap, or what was open and was not read since", () => {
    const cursor = cursorOf({ surveys: { s: [between(null, 20)] }, open: { s: [between(3, 9)] } });
    for (const [older, newer] of [
      [11, 13],
      [8, 10],
      [19, 21],
    ] as const)
      cursor.leaveOpen("s", between(older, newer));
    expect(openIn(cursor)).toEqual([between(3, 10), between(19, 21)]);
    cursor.leaveOpen("t", between(1, 2));
    expect(Object.keys(stateOf(cursor).open ?? {})).toEqual(["s"]);
  });

  it("is left to the next sync if it begins above the bound", () => {
    const cursor = cursorOf({}, { bound: { at: at(7) } });
    cursor.leaveOpen("s", between(8, 9));
    expect(openIn(cursor)).toEqual([]);
    cursor.leaveOpen("s", between(6, 9));
    expect(openIn(cursor)).toEqual([between(6, 9)]);
    const first = cursorOf({}, { bound: { at: at(7) } });
    first.leaveOpen("s", between(null, 9));
    expect(openIn(first)).toEqual([between(null, 9)]);
  });

  it.each([
    [null, 5],
    [9, 12],
  ])("is open if it meets the dates of this sync at all: from %s to %i", (older, newer) => {
    const cursor = cursorOf({}, { endDate: at(9) });
    cursor.leaveOpen("s", between(older, newer));
    expect(openIn(cursor)).toEqual([between(older, newer)]);
  });
});

describe("a response", () => {
  const STATE = { surveys: { s: [between(null, 20)] }, open: { s: [between(3, 9)] } };

  it("is taken with a gap, or with what was open and was not read since", () => {
    const cursor = cursorOf(STATE);
    const takes = (isRetry: boolean) =>
      [5, 12, 20, 25].map((number) => cursor.takes(placeAt(number), isRetry));
    expect(takes(false)).toEqual([true, false, true, true]);
    expect(takes(true)).toEqual([true, false, false, false]);
    cursor.settle({ ...settled(4, 6, undefined), isRetry: true });
    expect(takes(false)).toEqual([false, false, true, true]);
  });

  it("was delivered if it lies strictly inside of the coverage at the start, and nothing is open there", () => {
    const cursor = cursorOf(STATE);
    const wasDelivered = () =>
      [2, 3, 9, 10, 19, 20, 21].map((number) => cursor.wasDelivered(placeAt(number)));
    const expected = [true, false, false, true, true, false, false];
    expect(wasDelivered()).toEqual(expected);
    cursor.settle(settled(3, 30, 30));
    expect(wasDelivered()).toEqual(expected);
    expect(cursor.wasDelivered({ ...placeAt(2), surveyId: "t" })).toBe(false);
    const isOpenBelow = cursorOf({ ...STATE, open: { s: [between(null, 9)] } });
    expect([2, 10].map((number) => isOpenBelow.wasDelivered(placeAt(number)))).toEqual([false, true]);
  });

  it("was delivered if all of the unit of time that it shows was", () => {
    const [open, end] = [10 * SECOND + 500_000, 20 * SECOND + 500_000];
    const cursor = cursorOf({ surveys: { s: [between(null, end)] }, open: { s: [between(open, open)] } });
    const delivered = (numbers: number[]) => numbers.filter((number) => cursor.wasDelivered(placeAt(number)));
    const seconds = [9, 10, 11, 12, 19, 20].map((number) => number * SECOND);
    expect(delivered(seconds)).toEqual([9, 12, 19].map((number) => number * SECOND));
    const milliseconds = [-2, -1, 0, 1, 2].map((count) => open + 1000 * count);
    expect(delivered(milliseconds)).toEqual(milliseconds.filter((number) => number !== open));
    const microseconds = [-1, 0, 1].map((count) => open + count);
    expect(delivered(microseconds)).toEqual([open - 1, open + 1]);
  });

  it("was covered if an earlier sync was done with it, the edges and the lookback included", () => {
    const surveys = { s: [between(2000, 9000), between(12_000, 12_000)] };
    const cursor = cursorOf({ surveys, open: { s: [between(5000, 5000)] } }, { lookbackMs: 2 });
    const covered = [1000, 2000, 4000, 5000, 8000, 9000, 12_000].filter((number) =>
      cursor.wasCovered(placeAt(number)),
    );
    expect(covered).toEqual([2000, 4000, 8000, 9000]);
    cursor.settle(settled(null, 30_000, 30_000));
    expect([1000, 5000].map((number) => cursor.wasCovered(placeAt(number)))).toEqual([false, false]);
    expect(cursor.wasCovered({ ...placeAt(4000), surveyId: "t" })).toBe(false);
  });
});

describe("below a timestamp, this sync reads", () => {
  const whole = (cursor: StreamCursor) =>
    [2, 3, 9, 20, 21].filter((number) => cursor.isWholeBelow(at(number)));

  it("nothing if neither a gap nor an open range of any survey reaches there", () => {
    const surveys = { s: [between(null, 20)], t: [between(null, 9)] };
    expect(whole(cursorOf({ surveys }))).toEqual([2, 3, 9, 20]);
    expect(whole(cursorOf({ surveys }, { surveyIds: ["s", "t"] }))).toEqual([2, 3, 9]);
    const open = { s: [between(3, 3)] };
    expect(whole(cursorOf({ surveys, open }, { surveyIds: ["s", "t"] }))).toEqual([2, 3]);
  });

  it("something in any case if a gap or an open range reaches to the beginning", () => {
    expect(whole(cursorOf({ surveys: { s: [between(3, 20)] } }))).toEqual([]);
    const state = { surveys: { s: [between(null, 20)] }, open: { s: [between(null, 2)] } };
    expect(whole(cursorOf(state))).toEqual([]);
  });

  it("nothing if there is no survey", () => {
    expect(whole(cursorOf({}, { surveyIds: [] }))).toEqual([2, 3, 9, 20, 21]);
  });
});

describe("an open range is tried again", () => {
  const STATE = { surveys: { s: [between(null, 20)] }, open: { s: [between(3, 5), between(9, 11)] } };

  it("unless it was read, or will be with a gap", () => {
    const cursor = cursorOf(STATE);
    expect(cursor.toRetry("s")).toEqual([between(3, 5), between(9, 11)]);
    cursor.settle({ ...settled(8, 30, undefined), isRetry: true });
    expect(cursor.toRetry("s")).toEqual([between(3, 5)]);
    expect(cursorOf({ open: STATE.open }).toRetry("s")).toEqual([]);
    const meetsGap = { surveys: { s: [between(null, 10)] }, open: STATE.open };
    expect(cursorOf(meetsGap).toRetry("s")).toEqual([between(3, 5), between(9, 11)]);
  });

  it.each([
    [9, 12, []],
    [10, 11, []],
    [8, 11, [between(8, 11)]],
    [10, 13, [between(10, 13)]],
    [13, 14, [between(13, 14)]],
    [null, 2, []],
    [null, 4, [between(null, 4)]],
    [16, 20, []],
  ])("unless one gap holds all of it: from %s to %s", (older, newer, left) => {
    const surveys = { s: [between(3, 9), between(12, 15)] };
    expect(cursorOf({ surveys, open: { s: [between(older, newer)] } }).toRetry("s")).toEqual(left);
  });

  it("within the dates of this sync", () => {
    const cursorWithin = (startDate: number, endDate: number) =>
      cursorOf(STATE, { startDate: at(startDate), endDate: at(endDate) });
    expect(cursorWithin(4, 8).toRetry("s")).toEqual([between(4, 5)]);
    expect(cursorWithin(6, 10).toRetry("s")).toEqual([between(9, 10)]);
    expect(cursorWithin(6, 8).toRetry("s")).toEqual([]);
    const taken = [3, 4, 5, 9, 10, 11].filter((number) => cursorWithin(4, 10).takes(placeAt(number), true));
    expect(taken).toEqual([4, 5, 9, 10]);
  });

  it("if its survey is configured", () => {
    expect(cursorOf({ ...STATE, surveys: {} }, { surveyIds: ["t"] }).toRetry("t")).toEqual([]);
  });
});

describe("the state", () => {
  it("never changes once it has left (I4)", () => {
    const cursor = cursorOf({ open: { s: [between(3, 9)] }, open_next: ["s", at(5)] });
    const before = cursor.state();
    const text = JSON.stringify(before);
    cursor.settle({ ...settled(4, 12, 12), taken: 1, open: [placeAt(5)] });
    cursor.stopTriesAt(undefined);
    expect(JSON.stringify(before)).toBe(text);
    expect(JSON.stringify(cursor.state())).not.toBe(text);
    expect(cursor.state()).toBe(cursor.state());
  });

  it("holds surveys alone if there is nothing else to say", () => {
    expect(stateOf(cursorOf({}, { startDate: at(3) }))).toEqual({ version: 1, surveys: {} });
  });

  it("holds what is open, and where the next sync goes on with it", () => {
    const cursor = cursorOf({
      surveys: { s: [between(null, 20)] },
      open: { s: [between(3, 9)] },
      open_next: ["s", at(5)],
    });
    expect(cursor.openNext).toEqual(["s", at(5)]);
    expect(stateOf(cursor)).toMatchObject({ open: { s: [between(3, 9)] }, open_next: ["s", at(5)] });
    cursor.stopTriesAt(["s", at(4)]);
    expect(stateOf(cursor).open_next).toEqual(["s", at(4)]);
    cursor.settle({ ...settled(3, 9, undefined), isRetry: true });
    expect(stateOf(cursor)).toEqual({ version: 1, surveys: { s: [between(null, 20)] } });
  });

  it("holds the start date and the configured people in a stream of people's responses only", () => {
    const options = { startDate: at(3), respondentUuids: ["ann"], personalData: "hashed" };
    const written = [true, false].map((readsListsOfResponses) => {
      const cursor = cursorOf({}, { ...options, readsListsOfResponses });
      cursor.configured.wereRead(at(9), false, true);
      return stateOf(cursor);
    });
    expect(written).toEqual([
      {
        ...{ version: 1, surveys: {}, start_date: at(3), personal_data: "hashed" },
        configured_respondents: { fingerprint: expect.any(String), collected_at: at(9) },
      },
      { version: 1, surveys: {}, personal_data: "hashed" },
    ]);
  });
});

describe("a start date that moves back", () => {
  const STATE = {
    ...{ surveys: { s: [between(3, 9)] }, open: { s: [between(5, 5)] }, open_next: ["s", at(5)] },
    ...{ start_date: at(3), configured_respondents: { fingerprint: "f", collected_at: at(9) } },
  };

  it.each([
    ["back", at(2)],
    ["away", undefined],
  ])("makes a stream of people's responses start over (it moves %s)", (_, startDate) => {
    const cursor = cursorOf(STATE, { readsListsOfResponses: true, startDate, respondentUuids: ["ann"] });
    expect(cursor.gapsOfSurvey("s")).toEqual([{ older: startDate ?? null, newer: undefined }]);
    expect(stateOf(cursor)).toEqual({ version: 1, surveys: {}, ...(startDate && { start_date: startDate }) });
    expect([cursor.openNext, cursor.configured.deliveredBelow]).toEqual([undefined, undefined]);
  });

  it.each([
    ["another stream", { startDate: at(2) }],
    ["a start date that stays", { startDate: at(3), readsListsOfResponses: true }],
    ["a start date that moves on", { startDate: at(4), readsListsOfResponses: true }],
  ])("keeps the state of %s", (_, options) => {
    const { start_date, configured_respondents, ...kept } = STATE;
    expect(stateOf(cursorOf(STATE, options))).toMatchObject(kept);
  });
});

describe("a state above the present (S12)", () => {
  it("is cut there, and named if it is above by more than a minute", () => {
    const surveys = {
      s: [between(null, 5 * MINUTE)],
      t: [between(null, 9 * MINUTE)],
      u: [between(null, MINUTE)],
    };
    const cursor = cursorOf({ surveys }, { surveyIds: ["s", "t", "u"], present: at(4.5 * MINUTE) });
    expect(stateOf(cursor).surveys).toEqual({
      ...{ s: [between(null, 4.5 * MINUTE)], t: [between(null, 4.5 * MINUTE)], u: [between(null, MINUTE)] },
    });
    expect(cursor.cutAtPresent).toEqual(["t"]);
  });

  it("has its lookback below the present", () => {
    const surveys = { s: [between(null, 5 * MINUTE)] };
    const cursor = cursorOf({ surveys }, { present: at(4 * MINUTE), lookbackMs: 60_000 });
    expect(cursor.gapsOfSurvey("s")).toEqual([{ older: at(3 * MINUTE), newer: undefined }]);
  });

  it("is cut there as well in what it says of configured people", () => {
    const options = { readsListsOfResponses: true, respondentUuids: ["ann"] };
    const earlier = cursorOf({}, options);
    earlier.configured.wereRead(at(9 * MINUTE), false, true);
    const cursor = cursorOf(stateOf(earlier), { ...options, present: at(4 * MINUTE) });
    expect(cursor.configured.deliveredBelow).toEqual(at(4 * MINUTE));
    const byHand = { ...EMPTY_STATE, upTo: at(9 * MINUTE) };
    const other = cursorOf({}, { ...options, initialState: byHand, present: at(4 * MINUTE) });
    expect(other.configured.deliveredBelow).toEqual(at(4 * MINUTE));
  });
});
