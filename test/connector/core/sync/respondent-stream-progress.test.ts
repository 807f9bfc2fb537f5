import { describe, expect, it } from "vitest";
import type { Coverage } from "../../../../connector/core/coverage/coverage.ts";
import { EMPTY_STATE } from "../../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import type { Item } from "../../../../connector/core/lists/item.ts";
import type { RespondentStream } from "../../../../connector/core/streams/definition.ts";
import { respondentAttributes } from "../../../../connector/core/streams/respondent-attributes.ts";
import { respondentResponses } from "../../../../connector/core/streams/respondent-responses.ts";
import type { ListTask, SyncEvent } from "../../../../connector/core/sync/list-task.ts";
import { RespondentStreamProgress } from "../../../../connector/core/sync/respondent-stream-progress.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import { Tries, TriesBudget } from "../../../../connector/core/sync/tries.ts";
import { type OnUnreadable, Warnings } from "../../../../connector/core/sync/warnings.ts";
import { render, say } from "../../../../connector/core/text/message.ts";
import { SECOND } from "../../../model/support/connection.ts";
import { at } from "../coverage/support/timestamps.ts";

const DAY = 86_400;
const MINUTE_MS = 60_000;
/** The service's present at the first page. All places are in seconds. */
const BOUND = 10 * DAY;
const YOUNG = BOUND - DAY + 1;
const second = (place: number) => at(place * SECOND);
const NOT_FOUND = new SurveyExportError("config", "not_found", say`Not found.`, { status: 404 });
const REFUSED = new SurveyExportError("config", "forbidden", say`Refused.`, { status: 403 });

type Ranges = readonly (readonly [older: number | null, newer: number])[];
const coverageOf = (ranges: Ranges): Coverage =>
  ranges.map(([older, newer]) => [older === null ? null : second(older), second(newer)]);
/** A response of a person at a place; nobody's if there is no person. */
type Given = readonly [person: string | undefined, place: number];

type Answer = readonly number[] | string | SurveyExportError;

interface Start {
  readonly covered?: Ranges;
  readonly open?: Ranges;
  readonly configured?: readonly string[];
  readonly definition?: RespondentStream;
  readonly unreadable?: OnUnreadable;
  /** Whether a page of the sync has come. */
  readonly hasBound?: boolean;
}

/** A stream of people's responses, and pages of a survey that are made by hand. */
function discovering({
  covered = [],
  open = [],
  configured = [],
  definition = respondentResponses,
  unreadable = "fail",
  hasBound = true,
}: Start = {}) {
  const initialState = {
    ...EMPTY_STATE,
    surveys: new Map([["s", coverageOf(covered)]]),
    open: new Map([["s", coverageOf(open)]]),
  };
  const bound = { at: hasBound ? second(BOUND) : undefined };
  const dates = { startDate: undefined, endDate: undefined };
  const cursor = new StreamCursor({
    ...{ initialState, surveyIds: ["s"], respondentUuids: configured, ...dates, bound, lookbackMs: 0 },
    ...{ present: second(BOUND), readsListsOfResponses: true, personalData: undefined },
  });
  const logged: string[] = [];
  const warnings = new Warnings((_, message) => logged.push(render(message)), { unreadable });
  const stream = new RespondentStreamProgress({
    ...{ definition, cursor, bound, respondentUuids: configured, ...dates },
    ...{ warnings, itemsPerPage: 100 },
  });
  const walk = {};
  const budget = new TriesBudget();
  const readOf = (intervals: Ranges, openRanges: Ranges = []) => ({
    ...{ covered: coverageOf(intervals), open: coverageOf(openRanges), upTo: undefined },
  });
  /** A page shows `given` and covers `intervals`, newest first. `empty`: what it proves to be empty of a slice below. */
  const page = (
    given: readonly Given[],
    intervals: Ranges = [],
    openRanges: Ranges = [],
    empty: Ranges = [],
  ): SyncEvent[] => {
    const parts = [
      { slice: walk as never, read: readOf(intervals, openRanges) },
      { slice: {} as never, read: readOf(empty) },
    ];
    const surveyPage = { items: given.map(itemOf), read: parts, problem: undefined, warning: undefined };
    return stream.acceptSurveyPage("s", surveyPage, second(BOUND));
  };
  /** A page that was requested because something was open. */
  const openPage = (given: readonly Given[], intervals: Ranges, openRanges: Ranges = []): SyncEvent[] =>
    stream.acceptOpenPage({
      ...{ surveyId: "s", items: given.map(itemOf), read: readOf(intervals, openRanges) },
      tries: new Tries(budget),
    });
  /** Answers a request with an error, or with the responses of a list or its whole body. @returns for whom it was */
  const answer = (task: ListTask | undefined, list: Answer, nowMs = 0) => {
    if (task === undefined) return undefined;
    const person = task.path!.split("/")[2]!;
    const body = typeof list === "string" ? list : list instanceof Error ? undefined : bodyOf(person, list);
    const events =
      body === undefined
        ? task.fail(list as SurveyExportError, nowMs)
        : task.accept(task.parse(body, second(BOUND)));
    task.returned();
    return { person, events };
  };
  const next = (list: Answer, nowMs = 0) => answer(stream.next(nowMs), list, nowMs)?.person;
  const nextAtTheEnd = (list: Answer, nowMs = 0) => answer(stream.nextAtTheEnd(nowMs), list, nowMs)?.person;
  const state = () => JSON.parse(JSON.stringify(cursor.state()));
  return {
    ...{ stream, page, openPage, next, nextAtTheEnd, answer, state, budget },
    ...{ warnings: logged, deleted: warnings.deleted },
    covered: (): Coverage => state().surveys.s ?? [],
    open: (): Coverage => state().open?.s ?? [],
  };
}

const responseOf = (person: string | undefined, place: number): string => `${person?.toLowerCase()}${place}`;

function itemOf([person, place]: Given): Item {
  const respondent = person === undefined ? undefined : { uuid: person };
  const response = { uuid: responseOf(person, place), collected_at: second(place), respondent };
  return { uuid: response.uuid, timestamp: second(place), response, survey: undefined, raw: response };
}

function bodyOf(person: string, list: readonly number[], link?: string): string {
  const data = list.map((place) => ({
    survey: { id: "s" },
    response: { uuid: responseOf(person, place), collected_at: second(place), respondent: { uuid: person } },
  }));
  const pagination_data = { has_more: link !== undefined, ...(link && { next_url: link }) };
  return JSON.stringify({ pagination_data, data });
}

const points = (...places: number[]): Coverage => places.map((place) => [second(place), second(place)]);
const people = (count: number, from = 0): Given[] =>
  Array.from({ length: count }, (_, number) => [`p${from + number}`, 9]);
const failuresIn = (events: readonly SyncEvent[]): string[] =>
  events.flatMap((event) => (event.type === "failure" ? event.error.message : []));

describe("a page of a survey", () => {
  it("is covered when the last of its people has answered (I6)", () => {
    const { page, next, covered } = discovering();
    page(
      [
        ["ann", 9],
        ["bob", 8],
        ["cem", 7],
      ],
      [[8, 20]],
    );
    expect([next([9]), covered()]).toEqual(["ann", []]);
    expect([next([8]), covered()]).toEqual(["bob", coverageOf([[8, 20]])]);
    expect([next([7]), covered()]).toEqual(["cem", coverageOf([[8, 20]])]);
  });

  it("waits for the people at a timestamp that fills many pages with the one that covers it", () => {
    const { page, next, covered } = discovering();
    page(
      [
        ["ann", 9],
        ["bob", 5],
      ],
      [[9, 20]],
    );
    page([["cem", 5]], [[9, 9]]);
    page([["dan", 3]], [[5, 9]]);
    expect([next([9]), next([5])]).toEqual(["ann", "bob"]);
    expect(covered()).toEqual(coverageOf([[9, 20]]));
    next([5]);
    expect(covered()).toEqual(coverageOf([[5, 20]]));
  });

  it("and the next one both wait for somebody at the edge of the two, since together they put the edge inside", () => {
    const { page, next, covered } = discovering();
    page([["ann", 9]], [[9, 20]]);
    page(
      [
        ["ann", 9],
        ["bob", 3],
      ],
      [[3, 9]],
    );
    page([], [[null, 3]]);
    expect(covered()).toEqual([]);
    expect([next([9]), covered()]).toEqual(["ann", coverageOf([[9, 20]])]);
    expect([next([3]), covered()]).toEqual(["bob", coverageOf([[null, 20]])]);
  });

  it("that covers nothing yet leaves its people to the next one", () => {
    const { page, next, covered, open } = discovering();
    page([["ann", 9]]);
    page([["bob", 3]], [[null, 20]]);
    expect([next(REFUSED), covered()]).toEqual(["ann", []]);
    expect([next([3]), covered(), open()]).toEqual(["bob", coverageOf([[null, 20]]), points(9)]);
  });

  it("that proves a slice below to be empty covers that at once, whoever is to answer", () => {
    const { page, next, covered } = discovering();
    page([["ann", 9]], [[8, 20]], [], [[null, 5]]);
    expect([covered(), next([9])]).toEqual([coverageOf([[null, 5]]), "ann"]);
  });

  it("gives an event with the state if it is covered at once, and none while it waits", () => {
    const { page } = discovering();
    expect(page([["ann", 9]], [[8, 20]])).toEqual([]);
    const events = JSON.parse(JSON.stringify(page([], [[null, 7]])));
    expect(events).toMatchObject([{ records: [], state: { surveys: { s: coverageOf([[null, 7]]) } } }]);
  });

  it("leads to nobody by a response that was delivered before", () => {
    const { page, next } = discovering({ covered: [[null, 10]] });
    page([["ann", 9]]);
    expect(next([])).toBeUndefined();
  });

  it("leaves those below what it covers to the next one", () => {
    const { page, next, covered, open } = discovering();
    page(
      [
        ["ann", 9],
        ["bob", 3],
      ],
      [[5, 20]],
    );
    next([9]);
    expect(covered()).toEqual(coverageOf([[5, 20]]));
    next(REFUSED);
    expect(open()).toEqual([]);
    page([], [[null, 5]]);
    expect([covered(), open()]).toEqual([coverageOf([[null, 20]]), points(3)]);
  });

  it("does not wait for somebody who was read already", () => {
    const { page, next, covered } = discovering();
    page([["ann", 9]]);
    next([9, 8]);
    page([["ann", 8]], [[null, 20]]);
    expect(covered()).toEqual(coverageOf([[null, 20]]));
    expect(next([])).toBeUndefined();
  });

  it("is covered up to the bound, and people above it are read all the same", () => {
    const { page, next, covered } = discovering();
    page([["ann", BOUND + 5]], [[null, BOUND + 5]]);
    expect(covered()).toEqual(coverageOf([[null, BOUND]]));
    expect(next([])).toBe("ann");
  });

  it("is covered with what may be hidden in it as open, unless that lies above the bound", () => {
    const { page, covered, open } = discovering();
    page(
      [],
      [[null, 20]],
      [
        [3, 5],
        [BOUND + 1, BOUND + 2],
      ],
    );
    expect([covered(), open()]).toEqual([coverageOf([[null, 20]]), coverageOf([[3, 5]])]);
  });
});

describe("a page of an open range", () => {
  /** Everything was covered, and ann's response was left open. `hasControl`: bob was read in this sync. */
  function retrying(place: number, { hasControl = false, openRanges = [] as Ranges } = {}) {
    const sync = discovering({ covered: [[null, BOUND]], open: [[place, place]] });
    if (hasControl) sync.page([["bob", BOUND]]);
    if (hasControl) expect(sync.next([BOUND])).toBe("bob");
    sync.openPage([["ann", place]], [[place, place]], openRanges);
    return sync;
  }

  it("closes what was open, and leaves what lies between to the survey's own walk", () => {
    const ranges: Ranges = [
      [null, 5],
      [15, 20],
    ];
    const open: Ranges = [
      [3, 3],
      [17, 17],
    ];
    const sync = discovering({ covered: ranges, open });
    sync.openPage(
      [
        ["ann", 17],
        ["bob", 10],
        ["cem", 3],
      ],
      [[3, 17]],
    );
    expect([sync.next([17]), sync.next([3]), sync.next([])]).toEqual(["ann", "cem", undefined]);
    expect([sync.covered(), sync.open()]).toEqual([coverageOf(ranges), []]);
  });

  it.each([
    ["was of use if the person's list holds what was open", [9], 0],
    ["was in vain, like the request for the person, if the list lacks it", [], 2],
    ["was in vain, like the request for the person, if that fails", REFUSED, 2],
  ])("%s", (_, list, inVain) => {
    const { next, budget } = retrying(9);
    expect(budget).toMatchObject({ inVain: 0, outstanding: 2 });
    expect([next(list), budget]).toMatchObject(["ann", { inVain, outstanding: 0 }]);
  });

  it("was in vain if a part of it could not be read", () => {
    const { next, budget } = retrying(9, { openRanges: [[9, 9]] });
    expect([next([9]), budget]).toMatchObject(["ann", { inVain: 2, outstanding: 0 }]);
  });

  it("was in vain if it covers nothing", () => {
    const { openPage, budget } = discovering();
    openPage([], []);
    expect(budget).toMatchObject({ inVain: 1, outstanding: 0 });
  });

  it.each([
    ["was of use if there is a control, which can show that they were deleted", 9, true, 0],
    ["was in vain if there is none", 9, false, 2],
    ["was in vain if the response is younger than a day", YOUNG, true, 2],
  ])("that led to somebody who is not found %s", (_, place, hasControl, inVain) => {
    const { next, budget } = retrying(place, { hasControl });
    expect([next(NOT_FOUND), budget]).toMatchObject(["ann", { inVain, outstanding: 0 }]);
  });

  it("asks with few attempts for those to whom nothing else led", () => {
    const sync = discovering({ covered: [[null, BOUND]], open: [[9, 9]], configured: ["cem"] });
    sync.openPage([["ann", 9]], [[9, 9]]);
    sync.page([["bob", BOUND]]);
    sync.stream.addConfigured();
    const tasks = [sync.stream.next(0), sync.stream.next(0), sync.stream.next(0)];
    expect(tasks.map((task) => task?.attempts)).toEqual([2, undefined, undefined]);
  });
});

describe("a person's list", () => {
  it("that lacks a response which led there leaves that open at once, and a warning names it", () => {
    const { page, next, covered, open, warnings, stream } = discovering();
    page(
      [
        ["ann", 9],
        ["ann", 7],
      ],
      [[null, 20]],
    );
    next([9]);
    expect([covered(), open()]).toEqual([coverageOf([[null, 20]]), points(7)]);
    expect(warnings).toEqual([expect.stringContaining("lacks a response that survey")]);
    expect([stream.finish(), stream.isIncomplete]).toEqual([[], false]);
  });

  it("that lacked one is not trusted with later ones", () => {
    const { page, next, open } = discovering();
    page([["ann", 9]], [[8, 20]]);
    next([8, 7]);
    page([["ann", 7]], [[null, 8]]);
    expect(open()).toEqual(points(7, 9));
  });

  it.each([
    ["older than all that it held", 4],
    ["newer than all that it held", 12],
  ])("is not trusted with a later response that is %s", (_, place) => {
    const { page, next, open } = discovering();
    page([["ann", 9]]);
    next([11, 9, 5]);
    page([["ann", place]], [[null, 20]]);
    expect(open()).toEqual(points(place));
  });

  it("is trusted with a later response that lies between those that it held", () => {
    const { page, next, open } = discovering();
    page([["ann", 9]]);
    next([11, 9, 5]);
    page([["ann", 6]], [[null, 20]]);
    expect(open()).toEqual([]);
  });

  it("holds a response that led there by its UUID, not by its time", () => {
    const { page, next, open } = discovering();
    page([["ann", 9]], [[null, 20]]);
    next(bodyOf("ann", [9]).replace('"ann9"', '"another"'));
    expect(open()).toEqual(points(9));
  });

  it("is an outage if more lists lack what led there than hold it, ten or more", () => {
    for (const [good, lacking, isOutage] of [
      [4, 6, true],
      [5, 5, false],
      [0, 9, false],
    ] as const) {
      const { page, next, stream } = discovering();
      page(people(good + lacking));
      for (let number = 0; number < good + lacking; number++) next(number < good ? [9] : []);
      expect(failuresIn(stream.finish())).toEqual(
        isOutage ? [expect.stringMatching(/^6 of 10 respondents' lists lack .*looks like an outage/)] : [],
      );
    }
  });
});

describe("somebody who is not found (404)", () => {
  /** A page shows a response of ann, who is not found, and one of bob, who is. */
  function withoutAnn(start: Start = {}, ofAnn = 9, ofBob = 8) {
    const sync = discovering(start);
    sync.page(
      [
        ["ann", ofAnn],
        ["bob", ofBob],
      ],
      [[null, BOUND]],
    );
    expect([sync.next(NOT_FOUND), sync.next([ofBob])]).toEqual(["ann", "bob"]);
    return sync;
  }

  it("holds no page up: what led there is open at once, as an event says", () => {
    const { page, answer, stream } = discovering();
    page([["ann", 9]], [[null, BOUND]]);
    const events = JSON.parse(JSON.stringify(answer(stream.next(0), NOT_FOUND)?.events));
    const state = { surveys: { s: coverageOf([[null, BOUND]]) }, open: { s: points(9) } };
    expect(events).toMatchObject([{ records: [], state }]);
  });

  it("is asked for once more after a minute if nothing else is left, and after a quarter of an hour at the latest", () => {
    const { stream, nextAtTheEnd } = withoutAnn();
    expect(stream.wakeAtMs).toBe(MINUTE_MS);
    expect(nextAtTheEnd([9], MINUTE_MS - 1)).toBeUndefined();
    expect(nextAtTheEnd([9], MINUTE_MS)).toBe("ann");
    const other = withoutAnn();
    expect(other.next([9], 15 * MINUTE_MS - 1)).toBeUndefined();
    expect(other.next([9], 15 * MINUTE_MS)).toBe("ann");
  });

  it("is asked for together with others who have waited for a minute, and only then the control is", () => {
    const { page, next, nextAtTheEnd, answer, stream, open } = discovering();
    page(
      [
        ["ann", 9],
        ["cem", 7],
        ["bob", 8],
      ],
      [[null, 20]],
    );
    expect([next(NOT_FOUND), next(NOT_FOUND, MINUTE_MS), next([8])]).toEqual(["ann", "cem", "bob"]);
    const ann = stream.nextAtTheEnd(MINUTE_MS);
    expect([next([], 2 * MINUTE_MS - 1), next([7], 2 * MINUTE_MS)]).toEqual([undefined, "cem"]);
    expect([answer(ann, NOT_FOUND)?.person, nextAtTheEnd([7], 2 * MINUTE_MS)]).toEqual(["ann", "cem"]);
    expect(open()).toEqual([]);
  });

  it("is decided about together with others who are to be asked for once more", () => {
    const { page, next, nextAtTheEnd, open } = withoutAnn();
    page([["cem", 7]], [[null, BOUND]]);
    expect([next(NOT_FOUND, MINUTE_MS), nextAtTheEnd(NOT_FOUND, MINUTE_MS)]).toEqual(["cem", "ann"]);
    expect(nextAtTheEnd([], 2 * MINUTE_MS - 1)).toBeUndefined();
    expect(nextAtTheEnd(NOT_FOUND, 2 * MINUTE_MS)).toBe("cem");
    expect([nextAtTheEnd([8], 2 * MINUTE_MS), open()]).toEqual(["bob", []]);
  });

  it("and is found then gives what led there", () => {
    const { stream, nextAtTheEnd, open, warnings } = withoutAnn();
    nextAtTheEnd([9], MINUTE_MS);
    expect([open(), stream.wakeAtMs, warnings]).toEqual([[], undefined, []]);
    expect(nextAtTheEnd([])).toBeUndefined();
  });

  it("and fails then leaves it open", () => {
    const { nextAtTheEnd, open, stream } = withoutAnn();
    nextAtTheEnd(REFUSED, MINUTE_MS);
    expect([open(), stream.isIncomplete]).toEqual([points(9), true]);
  });

  it("a second time counts as deleted if the control is good", () => {
    const { nextAtTheEnd, open, stream, deleted } = withoutAnn();
    expect(nextAtTheEnd(NOT_FOUND, MINUTE_MS)).toBe("ann");
    expect(open()).toEqual(points(9));
    expect(nextAtTheEnd([8], MINUTE_MS)).toBe("bob");
    expect([open(), [...deleted]]).toEqual([[], ["ann"]]);
    expect(nextAtTheEnd([], MINUTE_MS)).toBeUndefined();
    expect([stream.finish(), stream.isIncomplete]).toEqual([[], false]);
  });

  it.each([
    ["is empty", []],
    ["is not found", NOT_FOUND],
    ["fails", REFUSED],
  ])("a second time stays open if the control %s, and nothing counts as failed", (_, list) => {
    const { nextAtTheEnd, open, stream, deleted } = withoutAnn();
    nextAtTheEnd(NOT_FOUND, MINUTE_MS);
    expect(nextAtTheEnd(list, MINUTE_MS)).toBe("bob");
    expect([open(), deleted.size]).toEqual([points(9), 0]);
    expect([stream.isGivenUp, stream.isIncomplete]).toEqual([false, false]);
    expect(nextAtTheEnd([], MINUTE_MS)).toBeUndefined();
  });

  it("a second time stays open if nobody's list was good", () => {
    const { page, next, nextAtTheEnd, open } = discovering();
    page([["ann", 9]], [[null, 20]]);
    next(NOT_FOUND);
    expect(nextAtTheEnd(NOT_FOUND, MINUTE_MS)).toBe("ann");
    expect([nextAtTheEnd([], MINUTE_MS), open()]).toEqual([undefined, points(9)]);
  });

  it("is asked for once in a sync if an earlier sync left what led there open: this answer is the second one", () => {
    const { nextAtTheEnd, open, stream } = withoutAnn({ open: [[9, 9]] });
    expect(stream.wakeAtMs).toBeUndefined();
    expect(nextAtTheEnd([8], 0)).toBe("bob");
    expect(open()).toEqual([]);
  });

  it("by one answer alone gives up only what an earlier sync left open", () => {
    const { page, nextAtTheEnd, open } = withoutAnn({ open: [[9, 9]] });
    page([["ann", 6]], [[null, BOUND]]);
    expect([nextAtTheEnd([8], 0), open()]).toEqual(["bob", points(6)]);
    page([["ann", 5]], [[null, BOUND]]);
    expect(open()).toEqual(points(5, 6));
  });

  it("is asked for once in a sync if an earlier sync has covered what led there, which is open until the control is good", () => {
    const { nextAtTheEnd, open, stream } = withoutAnn({ covered: [[null, 9]] }, 9, 12);
    expect([stream.wakeAtMs, open().length]).toEqual([undefined, 1]);
    expect(nextAtTheEnd([8], 0)).toBe("bob");
    expect(open()).toEqual([]);
  });

  it("is asked for once more if an earlier sync knew only one of two responses", () => {
    const { page, next, nextAtTheEnd, open } = discovering({ open: [[9, 9]] });
    page(
      [
        ["ann", 9],
        ["ann", 8],
        ["bob", 7],
      ],
      [[null, 20]],
    );
    expect([next(NOT_FOUND), next([7])]).toEqual(["ann", "bob"]);
    expect(nextAtTheEnd([], 0)).toBeUndefined();
    expect(nextAtTheEnd(NOT_FOUND, MINUTE_MS)).toBe("ann");
    nextAtTheEnd([7], MINUTE_MS);
    expect(open()).toEqual([]);
  });

  it("is asked for once in a sync if what led there is younger than a day, and that stays open", () => {
    const { stream, nextAtTheEnd, open } = withoutAnn({}, YOUNG);
    expect([stream.wakeAtMs, nextAtTheEnd([], MINUTE_MS)]).toEqual([undefined, undefined]);
    expect(open()).toEqual(points(YOUNG));
  });

  it("is asked for once more after all if a later page shows a response that is older than a day", () => {
    const { page, stream, nextAtTheEnd, open } = withoutAnn({}, YOUNG);
    page([["ann", 6]], [[null, BOUND]]);
    expect(stream.wakeAtMs).toBe(MINUTE_MS);
    expect([nextAtTheEnd(NOT_FOUND, MINUTE_MS), nextAtTheEnd([8], MINUTE_MS)]).toEqual(["ann", "bob"]);
    expect(open()).toEqual(points(YOUNG));
  });

  it("keeps a response that is younger than a day open if an older one is closed", () => {
    const { page, next, nextAtTheEnd, open } = discovering();
    page(
      [
        ["ann", YOUNG],
        ["ann", YOUNG - 1],
        ["bob", 7],
      ],
      [[null, BOUND]],
    );
    expect([next(NOT_FOUND), next([7])]).toEqual(["ann", "bob"]);
    expect([nextAtTheEnd(NOT_FOUND, MINUTE_MS), nextAtTheEnd([7], MINUTE_MS)]).toEqual(["ann", "bob"]);
    expect(open()).toEqual(points(YOUNG));
  });

  it("has what a later page shows of them closed with the rest, or open if it is young", () => {
    const { page, nextAtTheEnd, open } = withoutAnn();
    page([["ann", 6]], [[null, BOUND]]);
    expect(open()).toEqual(points(6, 9));
    nextAtTheEnd(NOT_FOUND, MINUTE_MS);
    nextAtTheEnd([8], MINUTE_MS);
    expect(open()).toEqual([]);
    page(
      [
        ["ann", YOUNG],
        ["ann", 5],
      ],
      [[null, BOUND]],
    );
    expect(open()).toEqual(points(YOUNG));
  });

  it("is decided about before the end if a hundred are, and the others at the end", () => {
    const { page, next, nextAtTheEnd, open } = discovering({ open: [[9, 9]] });
    page([["bob", 8], ...people(101)], [[null, 20]]);
    next([8]);
    for (let number = 0; number < 100; number++) expect(next(NOT_FOUND)).toBe(`p${number}`);
    expect([next([8]), next(NOT_FOUND), open()]).toEqual(["bob", "p100", points(9)]);
    expect([nextAtTheEnd([8]), open()]).toEqual(["bob", []]);
  });

  it("is decided about, if a hundred are, after the answers of those who are asked for once more", () => {
    const { page, next, answer, stream, open } = discovering({ open: [[9, 9]] });
    page([["bob", 8], ["ann", 7], ...people(101)], [[null, 20]]);
    expect([next([8]), next(NOT_FOUND)]).toEqual(["bob", "ann"]);
    for (let number = 0; number < 99; number++) next(NOT_FOUND);
    const now = 15 * MINUTE_MS;
    const ann = stream.next(now);
    expect([next(NOT_FOUND, now), next([9], now)]).toEqual(["p99", "p100"]);
    expect([answer(ann, NOT_FOUND)?.person, next([9], now), open()]).toEqual(["ann", "p100", []]);
  });

  it("says nothing of another who gave a response at the same time", () => {
    const { page, next, nextAtTheEnd, open } = discovering();
    page(
      [
        ["ann", 9],
        ["bob", 9],
        ["cem", 9],
      ],
      [[null, 20]],
    );
    expect([next(NOT_FOUND), next(REFUSED), next([9])]).toEqual(["ann", "bob", "cem"]);
    expect([nextAtTheEnd(NOT_FOUND, MINUTE_MS), nextAtTheEnd([9], MINUTE_MS)]).toEqual(["ann", "cem"]);
    expect(open()).toEqual(points(9));
  });

  it("on a later page of their list is a failure", () => {
    const { page, answer, stream, open } = discovering();
    page([["ann", 9]], [[null, 20]]);
    const task = stream.next(0);
    answer(task, bodyOf("ann", [9], "/respondents/ann/responses?page=2"));
    // The link is replaced once by a request of our own.
    expect(answer(task, NOT_FOUND)?.events).toEqual([]);
    expect(failuresIn(answer(task, NOT_FOUND)!.events)).toEqual([
      expect.stringContaining("was not found any more after"),
    ]);
    expect([open(), stream.wakeAtMs]).toEqual([points(9), undefined]);
  });

  it("like all others, ten or more, looks like an outage; what is covered already does not count", () => {
    for (const [count, found, covered, isOutage] of [
      [10, 0, [], true],
      [9, 0, [], false],
      [10, 1, [], false],
      [10, 0, [[null, 9]], false],
    ] as const) {
      const { page, next, stream } = discovering({ covered });
      page(people(count + found));
      for (let number = 0; number < count + found; number++) next(number < count ? NOT_FOUND : [9]);
      expect(failuresIn(stream.finish())).toEqual(
        isOutage ? [expect.stringMatching(/none of the 10 respondents .*looks like an outage/)] : [],
      );
    }
  });
});

describe("somebody who cannot be read", () => {
  it("leaves open what led there and nothing else, and later pages ask no more", () => {
    const { page, next, covered, open, stream } = discovering();
    page(
      [
        ["ann", 9],
        ["bob", 8],
      ],
      [[6, 20]],
    );
    expect([next(REFUSED), next([8])]).toEqual(["ann", "bob"]);
    page([["ann", 5]], [[null, 6]]);
    expect([covered(), open()]).toEqual([coverageOf([[null, 20]]), points(5, 9)]);
    expect([next([]), stream.isIncomplete]).toEqual([undefined, true]);
  });

  it("has what could be read emitted if one item of the list cannot be, and all that led there open", () => {
    const { page, answer, stream, open } = discovering();
    page(
      [
        ["ann", 9],
        ["ann", 7],
      ],
      [[null, 20]],
    );
    const { events } = answer(stream.next(0), bodyOf("ann", [9, 8, 7]).replace('"ann8"', "8"))!;
    expect(events).toMatchObject([{ records: [{ uuid: "ann9" }, { uuid: "ann7" }] }, { type: "failure" }]);
    expect(open()).toEqual(points(7, 9));
  });

  it("by the user's choice is only warned of if one item of the list cannot be, and what led there is open", () => {
    const { page, answer, stream, open, warnings } = discovering({ unreadable: "warn" });
    page([["ann", 9]], [[null, 20]]);
    const { events } = answer(stream.next(0), bodyOf("ann", [9, 8, 7]).replace('"ann8"', "8"))!;
    expect([failuresIn(events), stream.isIncomplete, open()]).toEqual([[], false, points(9)]);
    expect(warnings).toHaveLength(1);
  });

  it("has everything open that led there if one of their attributes cannot be read", () => {
    const { page, next, open } = discovering({ definition: respondentAttributes });
    page([["ann", 9]], [[null, 20]]);
    next(JSON.stringify({ pagination_data: { has_more: false }, data: [{ id: 1 }, { id: "two" }] }));
    expect(open()).toEqual(points(9));
  });

  it("ten in a row lead to the control: if it is good, everybody else is asked for", () => {
    const { page, next, stream } = discovering();
    page([["ann", 9], ...people(15)]);
    expect(next([9])).toBe("ann");
    for (let number = 0; number < 10; number++) expect(next(REFUSED)).toBe(`p${number}`);
    expect(next([9])).toBe("ann");
    expect(next([9])).toBe("p10");
    expect(stream.isGivenUp).toBe(false);
  });

  it.each([
    ["fails", REFUSED, "Refused."],
    ["is empty", [], "is empty now, though it was not earlier in this sync, which looks like an outage."],
  ])("ten in a row and a control that %s end the stream, which says why", (_, list, why) => {
    const { page, next, answer, stream, covered } = discovering();
    page([["ann", 9], ...people(15)], [[8, 20]]);
    next([9]);
    for (let number = 0; number < 10; number++) next(REFUSED);
    const control = stream.next(0);
    expect(next([])).toBeUndefined();
    const { events } = answer(control, list)!;
    expect(failuresIn(events)).toEqual([
      expect.stringMatching(RegExp(`${why}.* This is failure 10 in a row, so this sync asks for no more`)),
    ]);
    expect([stream.isGivenUp, next([]), stream.nextAtTheEnd(0)]).toEqual([true, undefined, undefined]);
    expect([page([], [[null, 8]]), covered()]).toEqual([[], []]);
  });

  it("ten in a row without a control: one of each page is tried, with few attempts and without a word", () => {
    const { page, next, answer, stream } = discovering();
    page(people(30));
    for (let number = 0; number < 10; number++) next(REFUSED);
    expect([next(REFUSED), next([])]).toEqual(["p10", undefined]);
    page(people(5, 100));
    page(people(5, 200));
    const task = stream.next(0)!;
    expect(task.attempts).toBe(2);
    const { person, events } = answer(task, REFUSED)!;
    expect([person, events]).toEqual(["p100", [expect.objectContaining({ records: [] })]]);
    expect(stream.isIncomplete).toBe(true);
    expect([next([9]), next([9])]).toEqual(["p200", "p11"]);
  });

  it("ten in a row and twenty others end the stream, with one failure more", () => {
    const { page, answer, stream } = discovering();
    page(people(10));
    for (let number = 0; number < 10; number++) answer(stream.next(0), REFUSED);
    const told: string[][] = [];
    for (let number = 1; number <= 20; number++) {
      page(people(3, 100 * number));
      told.push(failuresIn(answer(stream.next(0), REFUSED)!.events));
    }
    expect(told.flat()).toEqual([expect.stringContaining("This is failure 30 in a row")]);
    expect([stream.isGivenUp, stream.next(0)]).toEqual([true, undefined]);
  });

  it("ten in a row without a control, and no further page: the others are tried at the end", () => {
    const { page, next, nextAtTheEnd } = discovering();
    page(people(13));
    for (let number = 0; number < 11; number++) next(REFUSED);
    expect([next([]), nextAtTheEnd([9]), next([9])]).toEqual([undefined, "p11", "p12"]);
  });
});

describe("a response that names nobody", () => {
  it("is covered, and warned of once", () => {
    const { page, covered, open, warnings, stream } = discovering();
    page(
      [
        [undefined, 9],
        [undefined, 8],
      ],
      [[null, 20]],
    );
    expect([covered(), open()]).toEqual([coverageOf([[null, 20]]), []]);
    expect(warnings).toEqual([expect.stringContaining("names no respondent")]);
    expect(stream.finish()).toEqual([]);
  });

  it("fails the stream if ten or more do and no other names anybody, even if what cannot be read does not; those that were covered before do not count", () => {
    for (const [nameless, named, covered, isFailure] of [
      [10, 0, [], true],
      [9, 0, [], false],
      [10, 1, [], false],
      [10, 0, [[null, 9]], false],
    ] as const) {
      const { page, stream } = discovering({ covered, unreadable: "warn" });
      page([...Array.from({ length: nameless }, (): Given => [undefined, 9]), ...people(named)]);
      expect(failuresIn(stream.finish())).toEqual(
        isFailure
          ? [expect.stringContaining("None of the 10 responses of this sync names its respondent")]
          : [],
      );
    }
  });
});

describe("people whom the configuration names", () => {
  const collectedAt = (sync: ReturnType<typeof discovering>) => {
    sync.stream.finish();
    return sync.state().configured_respondents?.collected_at;
  };

  it("come when they are called, except those whom a survey showed", () => {
    const { page, next, stream } = discovering({ configured: ["ann", "bob", "cem"] });
    page([
      ["ann", 9],
      ["bob", 8],
    ]);
    expect([next([9]), stream.waiting]).toEqual(["ann", 1]);
    stream.addConfigured();
    expect([next([8]), next([]), next([])]).toEqual(["bob", "cem", undefined]);
  });

  it("have given everything up to the bound once all of them were read", () => {
    const sync = discovering({ configured: ["ann", "bob"] });
    sync.stream.addConfigured();
    sync.next([]);
    expect(collectedAt(sync)).toBeUndefined();
    sync.next([]);
    expect(collectedAt(sync)).toBe(second(BOUND));
  });

  it.each([
    ["fails", REFUSED],
    ["lacks what led there", []],
  ])("have given nothing for certain if one of them %s", (_, list) => {
    const sync = discovering({ configured: ["ann", "bob"] });
    sync.page([["ann", 9]]);
    sync.stream.addConfigured();
    expect([sync.next(list), sync.next([])]).toEqual(["ann", "bob"]);
    expect(collectedAt(sync)).toBeUndefined();
  });

  it("who are not found have nothing open and are asked for once; the state says that they are missing", () => {
    const sync = discovering({ configured: ["ann", "bob"] });
    sync.stream.addConfigured();
    expect([sync.next(NOT_FOUND), sync.next([])]).toEqual(["ann", "bob"]);
    expect([sync.nextAtTheEnd([], 60 * MINUTE_MS), sync.open()]).toEqual([undefined, []]);
    expect(collectedAt(sync)).toBeNull();
  });

  it("count as answered if they are not found twice and nobody's list was good", () => {
    const sync = discovering({ configured: ["ann"] });
    sync.page([["ann", 9]], [[null, 20]]);
    sync.stream.addConfigured();
    expect([sync.next(NOT_FOUND), sync.nextAtTheEnd(NOT_FOUND, MINUTE_MS)]).toEqual(["ann", "ann"]);
    expect(collectedAt(sync)).toBeNull();
  });

  it("have given nothing if the sync ends before they are asked for, or before any page comes", () => {
    expect(collectedAt(discovering({ configured: ["ann"] }))).toBeUndefined();
    const sync = discovering({ configured: ["ann"], hasBound: false });
    sync.stream.addConfigured();
    expect([sync.next(NOT_FOUND), collectedAt(sync)]).toEqual(["ann", undefined]);
  });

  it("who are not found have what a later page shows of them open, and are not asked for again", () => {
    const sync = discovering({ configured: ["ann"] });
    sync.stream.addConfigured();
    expect(sync.next(NOT_FOUND)).toBe("ann");
    sync.page([["ann", 9]], [[null, 20]]);
    expect([sync.next([]), sync.open()]).toEqual([undefined, points(9)]);
    expect(sync.nextAtTheEnd([], MINUTE_MS)).toBeUndefined();
  });

  it("whose list is empty is not a control for others", () => {
    const { page, stream, next, nextAtTheEnd } = discovering({ configured: ["bob"] });
    page([["ann", 9]], [[null, 20]]);
    stream.addConfigured();
    expect([next(NOT_FOUND), next([])]).toEqual(["ann", "bob"]);
    expect([nextAtTheEnd(NOT_FOUND, MINUTE_MS), nextAtTheEnd([], MINUTE_MS)]).toEqual(["ann", undefined]);
  });

  it("count as a page each while others are tried", () => {
    const configured = Array.from({ length: 40 }, (_, number) => `p${number}`);
    const { stream, next } = discovering({ configured });
    stream.addConfigured();
    for (let number = 0; number < 30; number++) expect(next(REFUSED)).toBe(`p${number}`);
    expect([stream.isGivenUp, next([])]).toEqual([true, undefined]);
  });
});

it("a UUID is one person in both spellings, asked for as the last response shows it that came before", () => {
  const uuid = "6f1c2a34-9b7e-4c1d-8e55-0a4b7c9d2e10";
  const { page, next, covered, open } = discovering();
  page([[uuid.toUpperCase(), 9]]);
  page([[uuid, 8]], [[null, 20]]);
  expect(next([9, 8])).toBe(uuid);
  expect(next([])).toBeUndefined();
  expect([covered(), open()]).toEqual([coverageOf([[null, 20]]), []]);
});
