import { describe, expect, it } from "vitest";
import { EMPTY_STATE, parseStreamState } from "../../../../connector/core/coverage/stream-state.ts";
import { SurveyExportError } from "../../../../connector/core/errors.ts";
import { surveyResponses } from "../../../../connector/core/streams/survey-responses.ts";
import { GoneSurveys } from "../../../../connector/core/sync/gone-surveys.ts";
import type { ListTask } from "../../../../connector/core/sync/list-task.ts";
import { OpenRetry, type OpenRetryOptions } from "../../../../connector/core/sync/open-retry.ts";
import { StreamCursor } from "../../../../connector/core/sync/stream-cursor.ts";
import {
  type StreamProgress,
  SurveyStreamProgress,
} from "../../../../connector/core/sync/stream-progress.ts";
import type { Tries } from "../../../../connector/core/sync/tries.ts";
import { Warnings } from "../../../../connector/core/sync/warnings.ts";
import { say } from "../../../../connector/core/text/message.ts";
import { PLAIN, SECOND } from "../../../model/support/connection.ts";
import { createListService, EPOCH_MS, HEALTHY } from "../../../model/support/list-service.ts";
import { at, PRESENT } from "../coverage/support/timestamps.ts";

const SURVEYS = ["s", "t"] as const;
/** All places are in seconds: each survey has a response at each second up to this. */
const LAST = 1000;

const service = createListService(PLAIN, new Map());
for (const survey of SURVEYS)
  for (let place = 1; place <= LAST; place++)
    service.add({ uuid: `${survey}${place}`, survey, person: "ann", at: place * SECOND });

const second = (place: number) => at(place * SECOND);
const everyTen = (count: number): number[] => Array.from({ length: count }, (_, number) => 10 * (number + 1));
const isIn = (survey: string, from: number, to: number) => (uuid: string) =>
  uuid.startsWith(survey) && Number(uuid.slice(1)) >= from && Number(uuid.slice(1)) <= to;
const failure = (code: "unavailable" | "rejected") =>
  new SurveyExportError("transient", code, say`It failed.`);

/** A page of items, each with its second, or an unreadable one if that is undefined. */
const pageOf = (items: Readonly<Record<string, number | undefined>>, next?: string): string => {
  const data = Object.entries(items).map(([uuid, place]) => ({
    ...{ uuid, collected_at: place === undefined ? "never" : second(place) },
  }));
  return JSON.stringify({ pagination_data: { has_more: next !== undefined, next_url: next }, data });
};
const OTHER_LIST = "/surveys/other/responses";

interface Situation {
  /** What is open in each survey: places, or pairs of them, oldest first. */
  readonly open?: Readonly<Record<string, readonly (number | readonly [number, number])[]>>;
  readonly openNext?: readonly [survey: string, place: number];
  /** A state of an earlier sync, in the place of these two. */
  readonly state?: unknown;
  readonly isUnreadable?: (uuid: string) => boolean;
  /** Whether a request fails. */
  readonly fails?: (path: string) => SurveyExportError | undefined;
  /** A page in the place of the service's own. */
  readonly replaces?: (path: string, body: string) => string | undefined;
  readonly options?: Partial<OpenRetryOptions>;
}

/** A stream that has covered everything, with something open, and the requests for it. */
function retrying({
  open = {},
  openNext,
  state,
  isUnreadable = () => false,
  fails,
  replaces,
  options,
}: Situation) {
  const written = state ?? {
    version: 1,
    surveys: Object.fromEntries(SURVEYS.map((id) => [id, [[null, second(LAST)]]])),
    open: Object.fromEntries(
      Object.entries(open).map(([id, ranges]) => [
        id,
        ranges.map((range) => (typeof range === "number" ? [range, range] : range).map(second)),
      ]),
    ),
    ...(openNext && { open_next: [openNext[0], second(openNext[1])] }),
  };
  const cursor = new StreamCursor({
    initialState: parseStreamState(written, "s"),
    ...{ surveyIds: SURVEYS, respondentUuids: [], startDate: undefined, endDate: second(LAST - 1) },
    ...{ lookbackMs: 0, present: PRESENT, bound: undefined },
    ...{ readsListsOfResponses: false, personalData: undefined },
  });
  const stream = new SurveyStreamProgress({
    ...{ definition: surveyResponses, cursor, warnings: new Warnings(() => {}) },
    ...{ began: PRESENT, startDate: undefined, lookbackMs: 0 },
  });
  const retry = new OpenRetry({
    ...{ stream, surveyIds: SURVEYS, attributes: [], itemsPerPage: 3, largestTry: 1 },
    ...{ warnings: new Warnings(() => {}), gone: new GoneSurveys(), ...options },
  });
  const unreadable = new Map(
    service.responses.filter(({ uuid }) => isUnreadable(uuid)).map(({ uuid }) => [uuid, "uuid" as const]),
  );
  const delivered: unknown[] = [];
  const failures: string[] = [];
  const answer = (task: ListTask): void => {
    const path = task.path!;
    const error = fails?.(path);
    const { body } = service.answer(path, { ...HEALTHY, unreadable });
    const given = replaces?.(path, body) ?? body;
    for (const event of error ? task.fail(error, 0) : task.accept(task.parse(given, PRESENT))) {
      if (event.type === "records") delivered.push(...event.records.map(({ uuid }) => uuid));
      if (event.type === "failure") failures.push(event.error.code);
    }
    task.returned();
  };
  const run = (): string[] => {
    const asked: string[] = [];
    for (let task = retry.next(); task; task = retry.next()) {
      asked.push(shown(task.path!));
      expect(asked.length, "requests without an end").toBeLessThan(500);
      answer(task);
    }
    return asked;
  };
  return { run, retry, delivered, failures, answer, state: () => JSON.parse(JSON.stringify(cursor.state())) };
}

/** A request in words: its survey, and the second that it begins at, or that it is a link. */
function shown(path: string): string {
  const id = path.split("/")[2];
  const start = new URLSearchParams(path.split("?")[1]).get("start")!;
  return `${id} ${path.includes("after=") ? "link" : Math.floor((Date.parse(start) - EPOCH_MS) / 1000)}`;
}

describe("what is open is tried again", () => {
  it("survey by survey, the newest first", () => {
    const { run, delivered, state } = retrying({ open: { s: [10, 20, 30], t: [10, 20] } });
    expect(run()).toEqual(["s 30", "s 20", "s 10", "t 20", "t 10"]);
    expect(delivered).toEqual(["s30", "s20", "s10", "t20", "t10"]);
    expect(state()).not.toHaveProperty("open");
  });

  it("by one page for all that it spans", () => {
    const { run, delivered } = retrying({ open: { s: everyTen(9) }, options: { itemsPerPage: 100 } });
    expect(run()).toEqual(["s 90"]);
    expect(delivered).toHaveLength(9);
  });

  it("page after page, each request from where the last page ended", () => {
    const { run, delivered } = retrying({ open: { s: [10, [90, 99]] }, options: { itemsPerPage: 4 } });
    expect(run()).toEqual(["s 99", "s 96", "s 93", "s 90", "s 10"]);
    expect(delivered).toHaveLength(11);
  });

  it("by the page's link if it holds nothing readable", () => {
    const isUnreadable = (uuid: string) => /^s9[2-9]$/.test(uuid);
    const { run, delivered } = retrying({ open: { s: [[90, 99]] }, isUnreadable });
    expect(run().slice(0, 3)).toEqual(["s 99", "s link", "s link"]);
    expect(delivered).toEqual(["s91", "s90"]);
  });

  it("by further pages if one is too small for a timestamp", () => {
    const { run, delivered } = retrying({ open: { s: [10, 20] }, options: { itemsPerPage: 1 } });
    run();
    expect(delivered).toEqual(["s20", "s10"]);
  });

  it("by as many pages as a timestamp fills, also if each of them holds an item that cannot be read", () => {
    const pages = 60;
    const replaces = (path: string) => {
      const page = Number(path.split("after=")[1] ?? 1);
      const items = { [`a${page}`]: 10, [`b${page}`]: undefined };
      return pageOf(items, page === pages ? undefined : `/surveys/s/responses?after=${page + 1}`);
    };
    const { run, delivered } = retrying({ open: { s: [10] }, replaces });
    run();
    expect(delivered).toEqual(Array.from({ length: pages }, (_, number) => `a${number + 1}`));
  });

  it("one page at a time", () => {
    const { retry, answer } = retrying({ open: { s: [10, 20] } });
    const first = retry.next()!;
    expect([retry.next(), retry.hasEnded]).toEqual([undefined, false]);
    answer(first);
    expect(shown(retry.next()!.path!)).toBe("s 10");
  });

  it("until nothing is left; nothing at all is requested if nothing is open", () => {
    const { run, retry } = retrying({});
    expect(retry.hasEnded).toBe(false);
    expect([run(), retry.hasEnded, retry.next()]).toEqual([[], true, undefined]);
  });

  it("unless the stream was given up", () => {
    const stream = { isGivenUp: true, cursor: retryingCursor() } as unknown as StreamProgress;
    const { retry, run } = retrying({ options: { stream } });
    expect([run(), retry.hasEnded]).toEqual([[], true]);
  });
});

describe("what fails for good", () => {
  const hopeless = { open: { s: everyTen(90) }, isUnreadable: (uuid: string) => uuid.endsWith("0") };

  it("costs a sync at most 50 requests, however much it is", () => {
    const { run, retry, failures } = retrying(hopeless);
    expect(run()).toHaveLength(50);
    expect(retry.hasEnded).toBe(true);
    expect(new Set(failures)).toEqual(new Set(["unreadable_item"]));
  });

  it("costs as much if one range holds nothing readable on any of its pages", () => {
    const { run, retry } = retrying({ open: { s: [[1, 900]] }, isUnreadable: () => true });
    expect(run()).toHaveLength(50);
    expect(retry.hasEnded).toBe(true);
  });

  it("holds back no other range, even if it uses up all tries alone", () => {
    const situation = { open: { s: [20, [100, 900]] as const, t: [10] }, isUnreadable: isIn("s", 100, 900) };
    const first = retrying(situation);
    expect(first.run()[0]).toBe("s 900");
    expect(first.state().open_next).toEqual(["s", second(20)]);
    const next = retrying({ ...situation, state: first.state() });
    expect(next.run().slice(0, 3)).toEqual(["s 20", "t 10", "s 900"]);
    expect(next.delivered).toEqual(["s20", "t10"]);
  });

  it("gets all tries of the next sync if others have used up some of them", () => {
    const open = { s: everyTen(30), t: [[100, 900]] as const };
    const isUnreadable = (uuid: string) => uuid.startsWith("t") || uuid.endsWith("0");
    const first = retrying({ open, isUnreadable });
    expect(first.run()[30]).toBe("t 900");
    expect(first.state().open_next).toEqual(["t", second(900)]);
  });

  it("costs as much if the requests themselves fail, in however many surveys", () => {
    const ids = Array.from({ length: 60 }, (_, number) => `s${number}`);
    const open = Object.fromEntries(ids.map((id) => [id, [10]]));
    const fails = () => failure("unavailable");
    const { run, state } = retrying({ open, fails, options: { surveyIds: ids } });
    expect(run()).toHaveLength(50);
    expect(state().open_next).toEqual(["s50", second(10)]);
  });

  it("is tried in turn: the next sync goes on where this one stopped", () => {
    const first = retrying(hopeless);
    expect(first.run().slice(-1)).toEqual(["s 410"]);
    expect(first.state().open_next).toEqual(["s", second(400)]);
    const next = retrying({ ...hopeless, state: first.state() });
    const asked = next.run();
    expect([asked[0], asked[39], asked[40], asked[49]]).toEqual(["s 400", "s 10", "s 900", "s 810"]);
    expect(next.state().open_next).toEqual(["s", second(800)]);
  });

  it("takes nothing from what can be read: all of that comes in one sync", () => {
    const isUnreadable = (uuid: string) => uuid.endsWith("00");
    const { run, delivered, state } = retrying({ open: { s: everyTen(90), t: everyTen(90) }, isUnreadable });
    expect(run()).toHaveLength(180);
    expect(delivered).toHaveLength(162);
    expect(state().open.s).toHaveLength(9);
    expect(state()).not.toHaveProperty("open_next");
  });
});

describe("the next sync begins", () => {
  it.each([
    [
      ["s", 20],
      ["s 20", "s 10", "t 20", "t 10", "s 30"],
    ],
    [
      ["s", 25],
      ["s 20", "s 10", "t 20", "t 10", "s 30"],
    ],
    [
      ["t", 15],
      ["t 10", "s 30", "s 20", "s 10", "t 20"],
    ],
    [
      ["t", 5],
      ["s 30", "s 20", "s 10", "t 20", "t 10"],
    ],
    [
      ["a survey that is gone", 20],
      ["s 30", "s 20", "s 10", "t 20", "t 10"],
    ],
  ] as const)("at %j with what its state names, and comes to all of it, once", (openNext, asked) => {
    const open = { s: [10, 20, 30], t: [10, 20] };
    expect(retrying({ open, openNext }).run()).toEqual(asked);
    const replaces = () => pageOf({}, OTHER_LIST);
    const hopeless = retrying({ open, openNext, replaces, options: { itemsPerPage: 100 } });
    expect(hopeless.run(), "though nothing can be covered").toEqual(asked);
  });

  it("with the configured surveys if its state names another, whose ranges stay open and are not requested", () => {
    const { run, state } = retrying({ open: { gone: [10, 20], s: [10] }, openNext: ["gone", 20] });
    expect(run()).toEqual(["s 10"]);
    expect(state().open).toEqual({ gone: [10, 20].map((place) => [second(place), second(place)]) });
  });
});

describe("a page that leads to requests for people", () => {
  /** A stream that asks for 24 people because of each page, and what it holds of each. */
  function asking() {
    const tries: Tries[] = [];
    const stream = {
      ...{ isGivenUp: false, cursor: retryingCursor() },
      acceptOpenPage: (page: { tries: Tries }) => {
        page.tries.leadTo(24);
        tries.push(page.tries);
        return [];
      },
    } as unknown as StreamProgress;
    const { retry, answer } = retrying({ options: { stream, largestTry: 25 } });
    const ask = (): boolean => {
      const task = retry.next();
      if (task) answer(task);
      return task !== undefined;
    };
    return { tries, ask, retry };
  }

  it("is awaited before another page could make it more than 50 requests that close nothing", () => {
    const { tries, ask, retry } = asking();
    expect([ask(), ask(), ask(), retry.hasEnded]).toEqual([true, true, false, false]);
    tries[0]!.answered(false);
    expect([ask(), ask()]).toEqual([true, false]);
  });

  it("uses up the tries with another such page if something of both is open again", () => {
    const { tries, ask, retry } = asking();
    ask();
    ask();
    tries[0]!.answered(true);
    expect([ask(), retry.hasEnded]).toEqual([false, false]);
    tries[1]!.answered(true);
    expect([ask(), retry.hasEnded]).toEqual([false, true]);
  });

  it("counts as closing nothing, with all of its requests, if anything of it is open again", () => {
    const { tries, ask, retry } = asking();
    ask();
    tries[0]!.answered(true);
    expect(ask()).toBe(true);
    tries[1]!.answered(false);
    expect(ask()).toBe(true);
    tries[2]!.answered(true);
    expect([ask(), retry.hasEnded]).toEqual([false, true]);
  });
});

/** 90 places are open in it, ten seconds apart. */
function retryingCursor(): StreamCursor {
  const open = new Map([["s", everyTen(90).map((place) => [second(place), second(place)] as const)]]);
  return new StreamCursor({
    initialState: { ...EMPTY_STATE, surveys: new Map([["s", [[null, second(LAST)]]]]), open },
    ...{ surveyIds: ["s"], respondentUuids: [], startDate: undefined, endDate: undefined },
    ...{ lookbackMs: 0, present: PRESENT, bound: undefined },
    ...{ readsListsOfResponses: false, personalData: undefined },
  });
}

describe("a request that fails", () => {
  it("ends the tries of its survey, which stay open, and those of others go on", () => {
    const fails = (path: string) => (path.startsWith("/surveys/s/") ? failure("unavailable") : undefined);
    const { run, failures, delivered, state } = retrying({ open: { s: [10, 20], t: [10] }, fails });
    expect(run()).toEqual(["s 20", "t 10"]);
    expect([failures, delivered]).toEqual([["unavailable"], ["t10"]]);
    expect(state().open).toEqual({ s: [10, 20].map((place) => [second(place), second(place)]) });
  });

  it("is sent again without the older bound if the service rejects it, and is no failure yet", () => {
    const fails = (path: string) => (path.includes("end=") ? failure("rejected") : undefined);
    const { run, delivered } = retrying({ open: { s: [10] }, fails });
    expect(run()).toEqual(["s 10", "s 10"]);
    expect(delivered).toEqual(["s10"]);
    const { retry } = retrying({ open: { s: [10] } });
    expect(retry.next()!.fail(failure("rejected"), 0)).toEqual([]);
  });
});

it("a page that covers nothing delivers nothing, so that nothing comes twice, and the tries go on below it", () => {
  const replaces = (path: string) => (shown(path) === "s 99" ? pageOf({ s99: 99 }, OTHER_LIST) : undefined);
  const { run, delivered, failures, state } = retrying({ open: { s: [[90, 99]] }, replaces });
  run();
  expect(delivered).toEqual([98, 97, 96, 95, 94, 93, 92, 91, 90].map((place) => `s${place}`));
  expect(new Set(failures)).toEqual(new Set(["refused_link"]));
  expect(state().open).toEqual({ s: [[second(99), second(99)]] });
});

describe("an empty page that says there is more, and leads nowhere", () => {
  const NOWHERE = "/surveys/s/responses?start=nowhere";
  const empty = pageOf({}, NOWHERE);

  it("leaves its range to the next sync, with a warning, and the others are tried", () => {
    const warnings = new Set<string | undefined>();
    const options = { warnings: new Warnings((_, __, code) => warnings.add(code)) };
    const isUpper = (path: string) => path.includes("nowhere") || / 9\d$/.test(shown(path));
    const replaces = (path: string) => (isUpper(path) ? empty : undefined);
    const { run, delivered, state } = retrying({ open: { s: [10, [90, 99]], t: [10] }, replaces, options });
    expect(run().length).toBeLessThan(10);
    expect(delivered).toEqual(["s10", "t10"]);
    expect(state().open).toEqual({ s: [[second(90), second(99)]] });
    expect(warnings).toEqual(new Set(["empty_page"]));
  });

  it("leaves the last timestamp before it open, of which it may hide more", () => {
    const replaces = (path: string, body: string) => {
      if (path.includes("nowhere")) return empty;
      const { data } = JSON.parse(body);
      const kept = data.filter(
        (item: { response: { uuid: string } }) => Number(item.response.uuid.slice(1)) > 94,
      );
      return JSON.stringify({ pagination_data: { has_more: true, next_url: NOWHERE }, data: kept });
    };
    const { run, state } = retrying({ open: { s: [[90, 99]] }, options: { itemsPerPage: 100 }, replaces });
    run();
    expect(state().open.s.at(-1)[1] >= second(95)).toBe(true);
  });
});
