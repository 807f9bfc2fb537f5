import { createClient } from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type NewResponses,
  newResponses,
} from "../../../../../n8n-node/nodes/SurveyExport/trigger/new-responses.ts";
import {
  parseWatch,
  type StoredWatch,
  storedWatch,
  type WatchState,
} from "../../../../../n8n-node/nodes/SurveyExport/trigger/watch-state.ts";
import { createSimulatedClock } from "../../../../model/support/clock.ts";
import { answering, PLAIN, personId, SECOND } from "../../../../model/support/connection.ts";
import {
  createListService,
  type Dialect,
  EPOCH_MS,
  HEALTHY,
  type ServiceFaults,
  timestampAt,
} from "../../../../model/support/list-service.ts";

const LOOKBACK_S = 600;

interface PollSettings {
  readonly surveyIds?: readonly string[];
  readonly lookbackS?: number;
  /** Requests that get no answer any more: the poll's time is over. */
  readonly requests?: number;
  /** Whether n8n stops before it has stored the memory. */
  readonly isKilled?: boolean;
  /** Surveys that answer 404. */
  readonly missing?: readonly string[];
  /** Whether every request answers 401. */
  readonly isRefused?: boolean;
  /** Whether links to next pages answer 500. */
  readonly linksFail?: boolean;
  /** Responses that cannot be read. */
  readonly unreadable?: ServiceFaults["unreadable"];
}

/** A trigger that watches surveys of a service, over as many polls as a test wants. */
class Watch {
  readonly service;
  readonly handedOver: string[] = [];
  nowS = 1_000;
  /** How far the service's clock, as its answers tell it, is ahead of the truth. */
  dateAheadS = 0;
  requests = 0;
  stored: StoredWatch | undefined;
  #number = 0;

  constructor(dialect: Dialect = PLAIN) {
    this.service = createListService(dialect, new Map());
  }

  /** Responses that arrive now, each dated so many seconds ago. */
  arrive(agoS: readonly number[], person = 1, survey = "s"): string[] {
    return agoS.map((ago) => {
      const uuid = uuidOf(++this.#number);
      const at = Math.round((this.nowS - ago) * SECOND);
      this.service.add({ uuid, survey, person: personId(person), at });
      return uuid;
    });
  }

  async poll(settings: PollSettings = {}): Promise<NewResponses & { readonly uuids: string[] }> {
    const { surveyIds = ["s"], lookbackS = LOOKBACK_S, missing = [], isKilled = false } = settings;
    const { requests = Number.POSITIVE_INFINITY, unreadable = HEALTHY.unreadable } = settings;
    const { isRefused = false, linksFail = false } = settings;
    const clock = createSimulatedClock(EPOCH_MS + this.nowS * 1000);
    const over = new AbortController();
    this.requests = 0;
    const client = createClient(
      {
        clock,
        log: () => {},
        transport: async ({ url }, signal) => {
          if (++this.requests > requests) over.abort(new Error("out of time"));
          await clock.sleep(1, signal);
          const path = url.slice("http://service.local/v2".length);
          const date = new Date(EPOCH_MS + (this.nowS + this.dateAheadS) * 1000).toUTCString();
          const healthy = this.service.answer(path, { ...HEALTHY, unreadable, missing: new Set(missing) });
          const isBroken = linksFail && this.service.isLink(path);
          const answer = isRefused ? answering(401) : isBroken ? answering(500) : healthy;
          return { ...answer, headers: { date } };
        },
      },
      { baseUrl: "http://service.local/v2" },
    );
    const from: WatchState = this.stored === undefined ? new Map() : parseWatch(this.stored);
    const found = await newResponses(client, from, {
      ...{ surveyIds, attributes: [], lookbackMs: lookbackS * 1000, signal: over.signal },
    });
    const uuids = found.responses.map(({ uuid }) => uuid);
    if (!isKilled) {
      this.handedOver.push(...uuids);
      this.stored = JSON.parse(JSON.stringify(storedWatch(found.after)));
    }
    return { ...found, uuids };
  }
}

const uuidOf = (number: number): string => `r${String(number).padStart(5, "0")}`;

const times = (count: number, agoS: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => agoS(index));

describe("a watch", () => {
  it("begins with the newest response, and hands over what comes, oldest first, for a request a hundred", async () => {
    const watch = new Watch();
    watch.nowS += 100_000;
    watch.arrive(times(250, (index) => 90_000 - index * 300));
    // The second poll covers what the first one has remembered.
    for (const _ of [1, 2]) expect((await watch.poll()).uuids).toEqual([]);
    watch.nowS += 100_000;
    const burst = watch.arrive(times(1_150, (index) => 90_000 - index * 28));
    expect((await watch.poll()).uuids).toEqual(burst);
    expect(watch.requests).toBe(12);
    expect((await watch.poll()).uuids).toEqual([]);
    expect(watch.requests).toBe(1);
  });

  it("begins without asking for names", async () => {
    const watch = new Watch({ ...PLAIN, shape: "bare" });
    watch.arrive([1, 2, 3]);
    await watch.poll();
    expect(watch.requests).toBe(1);
  });

  it("keeps what was read when the time is over, and resumes there", async () => {
    const watch = new Watch();
    await watch.poll();
    watch.nowS += 100_000;
    const backlog = watch.arrive(times(450, (index) => 90_000 - index * 60));
    const first = await watch.poll({ requests: 2 });
    expect([first.hasRead, first.uuids.length > 0]).toEqual([true, true]);
    expect((await watch.poll({ requests: 0 })).hasRead).toBe(false);
    await watch.poll();
    expect(watch.handedOver.sort()).toEqual(backlog);
  });

  it("leaves out what cannot be read, names it in each poll, and hands it over when it can be read", async () => {
    const watch = new Watch();
    await watch.poll();
    watch.nowS += 10_000;
    const [early, broken, ...late] = watch.arrive([3_000, 2_000, 1_000, 900]);
    const unreadable = new Map([[broken!, "collected_at" as const]]);
    for (const expected of [[early, ...late], []]) {
      const found = await watch.poll({ unreadable });
      expect(found.uuids).toEqual(expected);
      expect(found.unreadable.map(({ code }) => code)).toEqual(["unreadable_item"]);
    }
    expect(await watch.poll()).toMatchObject({ uuids: [broken], unreadable: [] });
  });

  it("covers a survey beside one that is not there, and names the failure", async () => {
    const watch = new Watch();
    const both = { surveyIds: ["s", "t"], missing: ["t"] };
    watch.arrive([10]);
    watch.arrive([10], 1, "t");
    const first = await watch.poll(both);
    expect([...first.failures].map(([id, { code }]) => `${id} ${code}`)).toEqual(["t not_found"]);
    const fresh = watch.arrive([1]);
    expect((await watch.poll(both)).uuids).toEqual(fresh);
  });

  it("names a refused key as the failure of each survey", async () => {
    const { failures, hasRead } = await new Watch().poll({ surveyIds: ["s", "t"], isRefused: true });
    expect([[...failures.values()].map(({ code }) => code), hasRead]).toEqual([
      ["unauthorized", "unauthorized"],
      false,
    ]);
  });

  it("resumes a survey that was taken out and returns", async () => {
    const watch = new Watch();
    const both = { surveyIds: ["s", "t"] };
    await watch.poll(both);
    const first = watch.arrive([1], 1, "t");
    await watch.poll(both);
    const meanwhile = watch.arrive([0], 1, "t");
    for (const expected of [[], [], meanwhile, []])
      expect((await watch.poll(expected.length > 0 ? both : {})).uuids).toEqual(expected);
    expect(watch.handedOver).toEqual([...first, ...meanwhile]);
  });

  it.each([
    ["the clocks are set back", 7_200, 0],
    ["the service's clock is behind", 0, -7_200],
  ])("repeats nothing if %s, and then hands over what is new", async (_, setBackS, behindS) => {
    const watch = new Watch();
    watch.nowS += 100_000;
    watch.arrive(times(20, (index) => 9_000 - index * 400));
    await watch.poll();
    watch.nowS -= setBackS;
    watch.dateAheadS = behindS;
    expect((await watch.poll()).uuids).toEqual([]);
    watch.nowS += setBackS + 60;
    const fresh = watch.arrive([0]);
    expect((await watch.poll()).uuids).toEqual(fresh);
    watch.dateAheadS = 0;
    expect((await watch.poll()).uuids).toEqual([]);
  });

  it("is stored and read again, whatever the ids are", () => {
    const at = timestampAt(0);
    const ids = ["constructor", "toString", "__proto__"];
    const state: WatchState = new Map(
      ids.map((id) => [id, { coverage: [[null, at]], handedOver: new Map([["u", at]]) }]),
    );
    expect(parseWatch(JSON.parse(JSON.stringify(storedWatch(state))))).toEqual(state);
  });

  it.each([
    {},
    { state: { version: 1, surveys: {} } },
    { state: {}, handed_over: {} },
    { state: { version: 1, surveys: { s: [] } }, handed_over: { s: { u: "today" } } },
  ])("does not begin with a memory like %j", (value) => {
    expect(() => parseWatch(value)).toThrow(expect.objectContaining({ code: "invalid_state" }));
  });
});

interface Arrival {
  readonly do: "arrive";
  readonly agoS: readonly number[];
  readonly person: number;
  readonly survey: string;
}
type Step =
  | Arrival
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "poll"; readonly settings: PollSettings };

/** Many responses, with some time between them: a page of one microsecond stops a list. */
const many = fc
  .record({ count: fc.integer({ min: 100, max: 250 }), stepS: fc.constantFrom(0.013, 0.7, 2) })
  .map(({ count, stepS }) => times(count, (index) => index * stepS));
const agoS = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: LOOKBACK_S - 1, noNaN: true }) },
  // Of one microsecond, and from the future.
  { weight: 2, arbitrary: fc.constantFrom(0, 60, 300) },
  { weight: 1, arbitrary: fc.double({ min: -5_000, max: -1, noNaN: true }) },
);
const survey = fc.constantFrom("s", "t");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("arrive" as const),
    agoS: fc.oneof(fc.array(agoS, { maxLength: 8 }), many),
    person: fc.nat(3),
    survey,
  }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 60, 599, 3_600) }),
  fc.record({
    do: fc.constant("poll" as const),
    settings: fc.record(
      {
        lookbackS: fc.constantFrom(LOOKBACK_S, 6 * LOOKBACK_S),
        unreadable: fc
          .uniqueArray(fc.integer({ min: 130, max: 200 }), { maxLength: 3 })
          .map((numbers) => new Map(numbers.map((number) => [uuidOf(number), "uuid" as const]))),
        requests: fc.nat(6),
        isKilled: fc.boolean(),
        missing: fc.subarray(["s", "t"]),
        linksFail: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  }),
);
const dialect: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  closesEmpty: fc.boolean(),
  honoursEnd: fc.boolean(),
  shows: fc.constantFrom("microseconds", "milliseconds", "nearest millisecond"),
  hasDate: fc.constant(true),
});

it("hands over each new response once, in any history of arrivals, faults, kills and settings", async () => {
  await fc.assert(
    fc.asyncProperty(
      dialect,
      fc.array(step, { maxLength: 25 }),
      fc.boolean(),
      async (kind, steps, isAhead) => {
        const watch = new Watch(kind);
        const surveyIds = ["s", "t"];
        watch.arrive(times(130, (index) => 990 - index * 6));
        if (isAhead) watch.arrive([-3_000]);
        await watch.poll({ surveyIds });
        const expected: string[] = [];
        for (const one of steps) {
          if (one.do === "wait") watch.nowS += one.seconds;
          else if (one.do === "arrive") expected.push(...watch.arrive(one.agoS, one.person, one.survey));
          else await watch.poll({ ...one.settings, surveyIds });
        }
        // The future comes, and nothing fails any more.
        watch.nowS += 10_000;
        for (let polls = 0; ; polls++) {
          const { uuids, failures } = await watch.poll({ surveyIds });
          expect(failures.size).toBe(0);
          if (uuids.length === 0) break;
          expect(polls).toBeLessThan(50);
        }
        expect(watch.handedOver.toSorted()).toEqual(expected.toSorted());
      },
    ),
    { numRuns: Number(process.env.SYNC_CASES ?? 200) },
  );
}, 120_000);
