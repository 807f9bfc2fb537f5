import { describe, expect, it } from "vitest";
import type { Coverage, Interval } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE, parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import { StreamCursor, type StreamCursorOptions } from "../../../../connector/core/sync/stream-cursor.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const MINUTE = 60_000_000;

function cursorOf(state: object = {}, options: Partial<StreamCursorOptions> = {}): StreamCursor {
  return new StreamCursor({
    initialState: parseStreamState({ version: 1, surveys: {}, ...state }, "x"),
    ...{ surveyIds: ["s"], respondents: [], startDate: undefined, endDate: undefined, lookbackMs: 0 },
    ...{ present: PRESENT, dependsOnStartDate: false, personalData: undefined },
    ...options,
  });
}
const between = (older: number | null, newer: number): Interval => [
  older === null ? null : at(older),
  at(newer),
];
const stateOf = (cursor: StreamCursor) => cursor.state().toJSON();

describe("the gaps of a survey", () => {
  it("are all between the dates in a first sync, both inclusive", () => {
    expect(cursorOf().surveys.gapsOf("s")).toEqual([{ older: null, newer: undefined }]);
    const cursor = cursorOf({}, { startDate: at(3), endDate: at(9) });
    expect(cursor.surveys.gapsOf("s")).toEqual([{ older: at(3), newer: at(9) }]);
  });

  it("are what is not strictly inside of the state's coverage", () => {
    const cursor = cursorOf({ surveys: { s: [between(3, 9), between(12, 15)] } });
    expect(cursor.surveys.gapsOf("s")).toEqual([
      { older: null, newer: at(3) },
      { older: at(9), newer: at(12) },
      { older: at(15), newer: undefined },
    ]);
  });

  it("are what a state of before holds as open", () => {
    const cursor = cursorOf({ surveys: { s: [between(null, 20)] }, open: { s: [between(5, 6)] } });
    expect(cursor.surveys.gapsOf("s")).toEqual([
      { older: at(4), newer: at(7) },
      { older: at(20), newer: undefined },
    ]);
    expect(stateOf(cursor)).toEqual({ version: 1, surveys: { s: [between(null, 4), between(7, 20)] } });
  });

  it("are all above the collected_at of a state that was written by hand, in every survey and list of a person", () => {
    const initialState = { ...EMPTY_STATE, upTo: at(9) };
    const cursor = cursorOf({}, { initialState, surveyIds: ["s", "t"], respondents: ["anna"] });
    const gaps = [cursor.surveys.gapsOf("s"), cursor.surveys.gapsOf("t"), cursor.respondents.gapsOf("anna")];
    for (const each of gaps) expect(each).toEqual([{ older: at(9), newer: undefined }]);
  });

  it("hold what the lookback re-opens, which is out of the state until it is read again (I5)", () => {
    const cursor = cursorOf({ surveys: { s: [between(null, 9000)] } }, { lookbackMs: 2 });
    expect(cursor.surveys.gapsOf("s")).toEqual([{ older: at(7000), newer: undefined }]);
    expect(stateOf(cursor).surveys).toEqual({ s: [between(null, 7000), between(9000, 9000)] });
  });
});

describe("the state", () => {
  it("never changes once it has left (I4)", () => {
    const cursor = cursorOf();
    const before = cursor.state();
    expect(cursor.state()).toBe(before);
    cursor.surveys.of("s").cover(between(null, 9), true);
    cursor.changed();
    expect(before.toJSON()).toEqual({ version: 1, surveys: {} });
    expect(stateOf(cursor)).toEqual({ version: 1, surveys: { s: [between(null, 9)] } });
  });

  it("names every survey, whatever its id is", () => {
    const ids = ["constructor", "toString", "__proto__"];
    const cursor = cursorOf({}, { surveyIds: ids });
    for (const id of ids) cursor.surveys.of(id).cover(between(null, 1), true);
    const { surveys } = stateOf(cursor);
    expect(Object.keys(surveys)).toEqual(ids);
    expect(JSON.stringify(surveys)).toContain('"__proto__"');
  });

  it("keeps the entry of a survey that is not configured now, and nobody who is not", () => {
    const covered: Coverage = [between(3, 9)];
    const state = { surveys: { t: covered }, respondents: { anna: covered, bert: covered } };
    const cursor = cursorOf(state, { respondents: ["anna"] });
    expect([cursor.surveys.reads("s"), cursor.surveys.reads("t")]).toEqual([true, false]);
    expect(stateOf(cursor)).toEqual({ version: 1, surveys: { t: covered }, respondents: { anna: covered } });
  });

  it("holds the start date in a stream that depends on it only, and how personal data is treated", () => {
    const options = { startDate: at(3), personalData: "hashed" };
    expect(stateOf(cursorOf({}, options))).toEqual({ version: 1, surveys: {}, personal_data: "hashed" });
    expect(stateOf(cursorOf({}, { startDate: at(3), dependsOnStartDate: true }))).toEqual({
      ...{ version: 1, surveys: {}, start_date: at(3) },
    });
  });

  it("forgets the oldest holes of a survey that was read to its end, if they are too many", () => {
    const holes = Array.from({ length: 1_001 }, (_, n) => 10 * n + 5);
    const covered = [between(null, 4), ...holes.map((hole) => between(hole + 1, hole + 9))];
    const cursor = cursorOf({ surveys: { s: covered, t: covered } }, { surveyIds: ["s", "t"] });
    for (const id of ["s", "t"]) cursor.surveys.of(id).leave(holes.map((hole) => between(hole, hole)));
    expect(stateOf(cursor).surveys.s).toHaveLength(1_002);
    expect([cursor.giveUp([]), cursor.giveUp(["s"])]).toEqual([0, 2]);
    const { s, t } = stateOf(cursor).surveys;
    expect([s?.length, s?.[0], t?.length]).toEqual([1_000, between(null, 24), 1_002]);
  });
});

describe("a start date that moves back", () => {
  const STATE = {
    ...{ surveys: { s: [between(3, 9)] }, respondents: { anna: [between(3, 9)] }, start_date: at(3) },
  };
  const configured = { respondents: ["anna"], dependsOnStartDate: true };

  it.each([
    ["back", at(2)],
    ["away", undefined],
  ])("makes a stream of people's responses start over (it moves %s)", (_, startDate) => {
    const cursor = cursorOf(STATE, { ...configured, startDate });
    expect(cursor.surveys.gapsOf("s")).toEqual([{ older: startDate ?? null, newer: undefined }]);
    expect(stateOf(cursor)).toEqual({ version: 1, surveys: {}, ...(startDate && { start_date: startDate }) });
  });

  it.each([
    ["another stream", { ...configured, dependsOnStartDate: false, startDate: at(2) }],
    ["a start date that stays", { ...configured, startDate: at(3) }],
    ["a start date that moves on", { ...configured, startDate: at(4) }],
  ])("keeps the state of %s", (_, options) => {
    const { start_date, ...kept } = STATE;
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
    expect(cursor.surveys.cutAtPresent).toEqual(["t"]);
  });

  it("has its lookback below the present", () => {
    const surveys = { s: [between(null, 5 * MINUTE)] };
    const cursor = cursorOf({ surveys }, { present: at(4 * MINUTE), lookbackMs: 60_000 });
    expect(cursor.surveys.gapsOf("s")).toEqual([{ older: at(3 * MINUTE), newer: undefined }]);
  });
});
