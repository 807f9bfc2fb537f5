import { describe, expect, it } from "vitest";
import type { Coverage } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE } from "../../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import type { SurveyStream, WholeSurveyStream } from "../../../../connector/core/streams/definition.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { SurveyStreamProgress } from "../../../../connector/core/sync/stream-progress.ts";
import { Tries, TriesBudget } from "../../../../connector/core/sync/tries.ts";
import { type OnUnreadable, Warnings } from "../../../../connector/core/sync/warnings.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const ODD = 5;
const COVERED: Coverage = [
  [null, at(8)],
  [at(12), at(20)],
];
interface Situation {
  readonly startAt?: number;
  readonly lookbackMs?: number;
  readonly unreadable?: OnUnreadable;
  readonly open?: Coverage;
}

/** A stream of surveys, and pages of survey `s` by hand: the places of their responses, and what they cover. */
function progressing(reads: "survey responses" | "whole surveys", situation: Situation = {}) {
  const { startAt, lookbackMs = 0, unreadable, open = [] } = situation;
  const startDate = startAt === undefined ? undefined : at(startAt);
  const definition = {
    ...{ name: "x", reads },
    records: (given: { uuid: string }) => {
      if (given.uuid === `r${ODD}`) throw new SurveyExportError("system", "unreadable_item", say`It is odd.`);
      return [given];
    },
  } as unknown as SurveyStream | WholeSurveyStream;
  const cursor = new StreamCursor({
    initialState: {
      ...EMPTY_STATE,
      ...(open.length > 0 && { surveys: new Map([["s", COVERED]]), open: new Map([["s", open]]) }),
    },
    ...{ surveyIds: ["s", "t"], respondentUuids: [], startDate, endDate: undefined, lookbackMs },
    ...{ present: PRESENT, bound: undefined, readsListsOfResponses: false, personalData: undefined },
  });
  const warnings = new Warnings(() => {}, unreadable && { unreadable });
  const stream = new SurveyStreamProgress({
    definition,
    cursor,
    warnings,
    began: PRESENT,
    startDate,
    lookbackMs,
  });
  const itemsAt = (places: readonly number[]) =>
    places.map((place) => ({ uuid: `r${place}`, timestamp: at(place) }) as Item);
  const page = (places: readonly number[], covered: Coverage, hole: Coverage = [], survey = "s") => {
    const read = { covered, open: hole, upTo: undefined };
    const slice = {} as never;
    return stream.acceptSurveyPage(
      survey,
      { items: itemsAt(places), read: [{ slice, read }], problem: undefined, warning: undefined },
      at(20),
    );
  };
  const retry = (places: readonly number[], covered: Coverage, hole: Coverage = []) => {
    const budget = new TriesBudget();
    const read = { covered, open: hole, upTo: undefined };
    stream.acceptOpenPage({ surveyId: "s", items: itemsAt(places), read, tries: new Tries(budget) });
    return budget.inVain;
  };
  const state = () => cursor.state().toJSON();
  return { stream, page, retry, state };
}
const types = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type);

describe("a stream of responses", () => {
  it("emits what a page holds, with the survey and the state that covers it", () => {
    const { page, stream } = progressing("survey responses");
    const [event] = page([9, 7], [[at(7), at(20)]]);
    expect(event).toMatchObject({ type: "records", stream: "x", surveyId: "s" });
    if (event?.type !== "records") throw new Error("No records came.");
    expect(event.records).toHaveLength(2);
    expect(event.state.toJSON()).toMatchObject({ surveys: { s: [[at(7), at(20)]] } });
    expect([stream.isIncomplete, stream.finish()]).toEqual([false, []]);
  });

  it("leaves out an item that no record can be made of, keeps its place open, and ends incomplete", () => {
    const { page, state, stream } = progressing("survey responses");
    const events = page([9, ODD], [[null, at(20)]]);
    expect(events).toMatchObject([
      { type: "records", records: [{ uuid: "r9" }] },
      { type: "failure", stream: "x", surveyId: "s", error: { code: "unreadable_item" } },
    ]);
    expect(state().open).toEqual({ s: [[at(ODD), at(ODD)]] });
    expect(stream.isIncomplete).toBe(true);
  });

  it("only warns of it if the user says so, and keeps its place open all the same", () => {
    const { page, state, stream } = progressing("survey responses", { unreadable: "warn" });
    expect(types(page([9, ODD], [[null, at(20)]]))).toEqual(["records"]);
    expect(state().open).toEqual({ s: [[at(ODD), at(ODD)]] });
    expect(stream.isIncomplete).toBe(false);
  });

  it("keeps open what its page may hide", () => {
    const { page, state } = progressing("survey responses");
    page([9], [[null, at(20)]], [[at(3), at(4)]]);
    expect(state().open).toEqual({ s: [[at(3), at(4)]] });
  });

  it("names no survey in a failure of its own", () => {
    const { stream } = progressing("survey responses");
    const error = new SurveyExportError("system", "stuck", say`It is stuck.`);
    expect(stream.failed(error)).toEqual([{ type: "failure", stream: "x", error }]);
  });
});

describe("a page of an open range", () => {
  const open: Coverage = [[at(3), at(6)]];
  const covered: Coverage = [[at(3), at(10)]];

  it.each([
    ["all of it was read", [4], covered, [], 0],
    ["an item of it cannot be read", [ODD], covered, [], 1],
    ["it may hide something", [4], covered, [[at(4), at(4)]], 1],
    ["it covers nothing", [4], [], [], 1],
  ] as const)("was in vain or not: %s", (_, places, read, hole, inVain) => {
    const { retry, state } = progressing("survey responses", { open });
    expect(retry(places, read, hole)).toBe(inVain);
    expect(state().surveys, "gaps are read by themselves").toEqual({ s: COVERED });
  });
});

describe("a stream of whole surveys", () => {
  const wholeOf = ({ stream }: ReturnType<typeof progressing>) =>
    stream
      .finish()
      .flatMap((event) => (event.type === "records" ? [[event.surveyId, ...event.records]] : []));

  it("says at the end how many responses each survey has that was read to its beginning", () => {
    const whole = progressing("whole surveys");
    expect(whole.page([9, 7], [[at(7), at(20)]])).toMatchObject([{ type: "records", records: [] }]);
    whole.page([ODD], [[null, at(7)]]);
    whole.page([8], [[at(8), at(20)]], [], "t");
    expect(wholeOf(whole)).toEqual([["s", { numberOfResponses: 3, older: null, newer: at(20) }]]);
  });

  it("ends at the lookback, and at the start date", () => {
    const whole = progressing("whole surveys", { startAt: 2, lookbackMs: 0.005 });
    whole.page([9], [[at(2), at(20)]]);
    expect(wholeOf(whole)).toEqual([["s", { numberOfResponses: 1, older: at(2), newer: at(15) }]]);
    const point = progressing("whole surveys", { startAt: 2, lookbackMs: 0.018 });
    point.page([9], [[at(2), at(20)]]);
    expect(wholeOf(point)).toEqual([["s", { numberOfResponses: 1, older: at(2), newer: at(2) }]]);
  });

  it("says nothing of a survey whose lookback reaches beyond the start date", () => {
    const whole = progressing("whole surveys", { startAt: 2, lookbackMs: 0.019 });
    whole.page([9], [[at(2), at(20)]]);
    expect(wholeOf(whole)).toEqual([]);
  });

  it.each([
    ["something in it is open", [[null, at(20)]], [[at(3), at(4)]]],
    [
      "a part of it was not read",
      [
        [at(9), at(20)],
        [null, at(5)],
      ],
      [],
    ],
    ["nothing of it is covered", [], []],
    ["its beginning was not reached", [[at(1), at(20)]], []],
  ] as [string, Coverage, Coverage][])("says nothing of a survey if %s", (_, covered, hole) => {
    const whole = progressing("whole surveys");
    whole.page([10], covered, hole);
    whole.page([], []);
    expect(wholeOf(whole)).toEqual([]);
  });
});
