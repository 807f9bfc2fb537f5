import {
  ConnectionFault,
  createClient,
  RETRY_POLICIES,
  SurveyExportError,
  say,
  type Timestamp,
} from "@survey-export/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type NewResponses,
  newResponses,
} from "../../../../../n8n-node/nodes/SurveyExport/trigger/new-responses.ts";
import {
  NEW_WATCH,
  parseWatch,
  type StoredWatch,
  storedWatch,
  type WatchState,
} from "../../../../../n8n-node/nodes/SurveyExport/trigger/watch-state.ts";
import { createSimulatedClock } from "../../../../support/clock.ts";
import {
  createListService,
  type Dialect,
  EPOCH_MS,
  HEALTHY,
  type Response,
  type ServiceFaults,
  timestampAt,
} from "../../../../support/list-service.ts";
import { answering, PLAIN, personId, SECOND } from "../../../../support/sync-story.ts";

const LOOKBACK_S = 600;
/** The time of a poll in n8n's scheduler, and of one request of it. */
const [POLL_S, TIMEOUT_S] = [26, 6.5];

interface PollSettings {
  /** Undefined in a poll of all surveys. */
  readonly surveyIds?: readonly string[] | undefined;
  readonly excluded?: readonly string[];
  readonly lookbackS?: number;
  readonly minimumAgeS?: number;
  /** Requests that get no answer any more: the poll's time is over. */
  readonly requests?: number;
  /** Whether n8n stops before it has stored the memory. */
  readonly isKilled?: boolean;
  /** Surveys that answer 404. */
  readonly missing?: readonly string[];
  /** Whether every request answers 401. */
  readonly isRefused?: boolean;
  /** Whether the list of surveys answers 500. */
  readonly listFails?: boolean;
  /** Whether links to next pages answer 500. */
  readonly linksFail?: boolean;
  /** Surveys whose requests nobody answers. */
  readonly silent?: readonly string[];
  /** Responses that cannot be read. */
  readonly unreadable?: ServiceFaults["unreadable"];
}

/** A poll, and what the trigger made of it. */
interface Polled extends NewResponses {
  readonly uuids: string[];
  /** Whether the memory holds what the poll remembers. */
  readonly isStored: boolean;
}

/** A trigger that watches surveys of a service, over as many polls as a test wants. */
class Watch {
  readonly service;
  readonly handedOver: string[] = [];
  nowS = 1_000;
  /** How far the service's clock, as its answers tell it, is ahead of the truth. */
  dateAheadS = 0;
  requests = 0;
  /** The surveys that the last poll asked for their responses. */
  asked: string[] = [];
  /** How long the service takes for an answer. */
  secondsARequest = 0.001;
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

  /** One of the responses that were handed over last is deleted. */
  remove(place: number): void {
    const uuid = this.handedOver.at(-1 - place);
    if (uuid !== undefined) this.service.remove(uuid);
  }

  /** Somebody goes on answering: one of the newest responses has an answer more. */
  grow(place = 0): void {
    const response = this.service.responses[place];
    if (response) this.service.grow(response);
  }

  async poll(settings: PollSettings = {}): Promise<Polled> {
    const { lookbackS = LOOKBACK_S, missing = [], isKilled = false, listFails = false } = settings;
    const surveyIds = "surveyIds" in settings ? settings.surveyIds : ["s"];
    const { minimumAgeS = 0 } = settings;
    const { requests = Number.POSITIVE_INFINITY, unreadable = HEALTHY.unreadable } = settings;
    const { isRefused = false, linksFail = false, silent = [] } = settings;
    const startedS = this.nowS;
    const clock = createSimulatedClock(EPOCH_MS + startedS * 1000);
    const over = new AbortController();
    this.requests = 0;
    this.asked = [];
    const client = createClient(
      {
        clock,
        log: () => {},
        transport: async ({ url }, signal) => {
          if (++this.requests > requests) over.abort(new Error("out of time"));
          await clock.sleep(this.secondsARequest * 1000, signal);
          const path = url.slice("http://service.local/v2".length);
          const [, survey] = /^\/surveys\/([^/?]+)/.exec(path) ?? [];
          if (survey !== undefined) this.asked.push(survey);
          if (survey !== undefined && silent.includes(survey)) {
            await clock.sleep(TIMEOUT_S * 1000, signal);
            throw new ConnectionFault(say`no complete response within ${TIMEOUT_S} s`);
          }
          // Servers of a service are some seconds behind each other.
          const behindS = 2 * (this.requests % 3);
          const date = new Date(clock.now() + (this.dateAheadS - behindS) * 1000).toUTCString();
          const healthy = this.service.answer(path, { ...HEALTHY, unreadable, missing: new Set(missing) });
          const isList = path.startsWith("/surveys?");
          const isBroken = (linksFail && this.service.isLink(path)) || (listFails && isList);
          const answer = isRefused ? answering(401) : isBroken ? answering(500) : healthy;
          return { ...answer, headers: { date } };
        },
      },
      {
        baseUrl: "http://service.local/v2",
        retryPolicy: {
          ...RETRY_POLICIES.poll,
          deadlineMs: POLL_S * 1000,
          longestRepeatedMs: TIMEOUT_S * 500,
        },
      },
    );
    clock.sleep(POLL_S * 1000, over.signal).then(
      () => over.abort(new Error("out of time")),
      () => {},
    );
    const from = this.stored === undefined ? NEW_WATCH : parseWatch(this.stored);
    const found = await newResponses(client, from, {
      surveyIds,
      excludedSurveyIds: new Set(settings.excluded),
      attributes: [],
      lookbackMs: lookbackS * 1000,
      minimumAgeMs: minimumAgeS * 1000,
      listed: new Map(),
      signal: over.signal,
    });
    const uuids = found.responses.map(({ uuid }) => uuid);
    for (const { uuid, answers } of found.responses) {
      const response = this.service.responses.find((each) => each.uuid === uuid)!;
      if (minimumAgeS > 0) expect(response.at).toBeLessThanOrEqual((startedS - minimumAgeS) * SECOND);
      expect(answers).toEqual(this.service.item(response, "surveys").response.answers);
    }
    if (uuids.length > 0) expect(found.hasRead).toBe(true);
    // As the trigger does it: a poll that has read nothing changes the memory, but does not begin one.
    const isStored = !isKilled && (found.hasRead || this.stored !== undefined);
    if (isStored) {
      this.handedOver.push(...uuids);
      this.stored = JSON.parse(JSON.stringify(storedWatch(found.after)));
    }
    return { ...found, uuids, isStored };
  }

  /** @returns whether it has stored what it remembers. If not, its list of surveys failed, or it was killed. */
  async tryPoll(settings: PollSettings): Promise<boolean> {
    try {
      return (await this.poll(settings)).isStored;
    } catch (thrown) {
      expect(settings.surveyIds).toBe(undefined);
      if (thrown instanceof SurveyExportError)
        expect(["unavailable", "other_workspace"]).toContain(thrown.code);
      else expect(String(thrown)).toContain("out of time");
      return false;
    }
  }
}

const uuidOf = (number: number): string => `r${String(number).padStart(5, "0")}`;

const times = (count: number, agoS: (index: number) => number): number[] =>
  Array.from({ length: count }, (_, index) => agoS(index));

const ALL = { surveyIds: undefined };

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

  it("names no survey as not read for many responses that cannot be read", async () => {
    const watch = new Watch();
    const both = { surveyIds: ["s", "t"] };
    await watch.poll(both);
    const unreadable = new Map(watch.arrive(times(15, () => 1)).map((uuid) => [uuid, "uuid" as const]));
    const fresh = watch.arrive([1], 1, "t");
    const found = await watch.poll({ ...both, unreadable });
    expect(found).toMatchObject({ uuids: fresh, failures: new Map() });
    expect(found.unreadable).toHaveLength(1);
  });

  it("covers a survey together with one that is not there, and names the failure", async () => {
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
    expect([...failures.values()].map(({ code }) => code)).toEqual(["unauthorized", "unauthorized"]);
    expect(hasRead).toBe(false);
  });

  it.each([90, 110])(
    "remembers few of a survey's %i responses when it begins, and takes none of its old ones for new",
    async (count) => {
      const watch = new Watch();
      watch.nowS += 1_000_000;
      watch.arrive(times(count, (index) => 900_000 - index * 8_000));
      await watch.poll();
      expect(JSON.stringify(watch.stored).length).toBeLessThan(200);
      const late = watch.arrive([0, LOOKBACK_S - 1]);
      expect((await watch.poll()).uuids.sort()).toEqual(late);
    },
  );

  it.each(["next_item", "next_timestamp"] as const)(
    "takes none of 300 old responses of one time for new (links: %s)",
    async (link) => {
      const watch = new Watch({ ...PLAIN, link });
      watch.arrive(times(300, () => 60));
      await watch.poll();
      const fresh = watch.arrive([59]);
      expect(await watch.poll()).toMatchObject({ uuids: fresh, failures: new Map() });
    },
  );

  it("begins with a page of responses from the future, and hands over what comes before their time", async () => {
    const watch = new Watch();
    watch.arrive(times(110, (index) => -5_000 - index));
    await watch.poll();
    const fresh = watch.arrive([0]);
    expect((await watch.poll()).uuids).toContain(fresh[0]);
  });

  it("hands over a response when it has its age, to the microsecond, with others of the same time", async () => {
    const watch = new Watch();
    const settings = { minimumAgeS: 300, lookbackS: 60 };
    await watch.poll(settings);
    watch.nowS += 1_000;
    watch.secondsARequest = 0;
    // The service's clock is two seconds behind, and known to the second.
    const [old, ...young] = watch.arrive([303, 303 - 1e-6, 303 - 1e-6, 302, 10, 10]);
    expect((await watch.poll(settings)).uuids).toEqual([old]);
    watch.nowS += 1;
    watch.grow(4);
    // It shows up late, between others that wait.
    const late = watch.arrive([150]);
    expect((await watch.poll(settings)).uuids).toEqual(young.slice(0, 3));
    expect((await watch.poll()).uuids).toEqual([...late, ...young.slice(3)]);
    expect((await watch.poll(settings)).uuids).toEqual([]);
  });

  it("hands over no response that reached its age only while the poll read", async () => {
    const watch = new Watch();
    const settings = { minimumAgeS: 300 };
    await watch.poll(settings);
    watch.nowS += 10_000;
    watch.arrive(times(150, (index) => 299 - index));
    watch.secondsARequest = 4;
    expect((await watch.poll(settings)).uuids).toEqual([]);
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
    const surveys: WatchState["surveys"] = new Map(
      ids.map((id) => [id, { coverage: [[null, at]], handedOver: new Map([["u", at]]) }]),
    );
    const state: WatchState = { surveys, allSince: at, next: "toString" };
    expect(parseWatch(JSON.parse(JSON.stringify(storedWatch(state))))).toEqual(state);
  });

  it.each([
    {},
    { state: { version: 1, surveys: {} } },
    { state: {}, handed_over: {} },
    { state: { version: 1, surveys: { s: [] } }, handed_over: { s: { u: "today" } } },
    { state: { version: 1, surveys: {} }, handed_over: {}, all_since: "today" },
  ])("does not begin with a memory like %j", (value) => {
    expect(() => parseWatch(value)).toThrow(expect.objectContaining({ code: "invalid_state" }));
  });
});

describe("surveys that nobody answers for", () => {
  const ids = times(12, (index) => 1_000 + index).map(String);

  it.each([2, 5, 10])("do not keep the others waiting if they are %i of 12, and are named", async (count) => {
    const watch = new Watch();
    const silent = ids.slice(0, count);
    const many = { surveyIds: ids };
    await watch.poll(many);
    watch.nowS += 10_000;
    const [fresh = [], ...others] = ids.slice(count).map((id) => watch.arrive([1], 1, id));
    const named = new Set<string>();
    for (let polls = 0; polls < 3; polls++) {
      const { failures } = await watch.poll({ ...many, silent });
      for (const [id, { code }] of failures) if (code === "no_answer") named.add(id);
    }
    expect(watch.handedOver.toSorted()).toEqual([...fresh, ...others.flat()].sort());
    expect([...named].sort()).toEqual(silent);
  });
});

describe("a watch of all surveys", () => {
  it("begins with what is listed, and hands over what appears from its first response on, without its past", async () => {
    const watch = new Watch();
    watch.nowS += 10_000;
    expect((await watch.poll(ALL)).hasRead).toBe(true);
    watch.arrive([9_000, LOOKBACK_S + 60], 1, "restored");
    const fresh = [...watch.arrive([5], 1, "restored"), ...watch.arrive([4, 3])];
    expect((await watch.poll(ALL)).uuids).toEqual(fresh);
    watch.service.setStatus("restored", "archived");
    const late = watch.arrive([60], 1, "restored");
    expect((await watch.poll(ALL)).uuids).toEqual(late);
  });

  it("goes on if the time ends while 100 begin: none begins twice, and nothing that comes meanwhile is lost", async () => {
    const watch = new Watch();
    // JSON keeps no order of such ids.
    const ids = times(100, (index) => 1_000 + index).map(String);
    watch.nowS += 10_000;
    for (const id of ids) watch.arrive([5_000, 4_000], 1, id);
    /** The list has two on a page. */
    const requests = 50 + 40;
    expect(await watch.poll({ ...ALL, requests })).toMatchObject({ hasRead: true, failures: new Map() });
    const fresh = ids.flatMap((id) => watch.arrive([0], 1, id));
    for (let polls = 0; polls < 3; polls++) await watch.poll({ ...ALL, requests });
    expect(watch.handedOver.toSorted().join()).toBe(fresh.join());
    expect(JSON.stringify(watch.stored).length).toBeLessThan(100 * 200);
  });

  it.each([
    ["has none of the five surveys that it knows", ["t", "u", "v", "w"], { code: "other_workspace" }],
    ["has none of the few surveys that it knows", [], undefined],
  ])("loses nothing if the list fails, or %s", async (_, others, error) => {
    const watch = new Watch();
    const known = ["s", ...others];
    for (const survey of known) watch.arrive([1], 1, survey);
    await watch.poll(ALL);
    const fresh = watch.arrive([0]);
    await expect(watch.poll({ ...ALL, listFails: true })).rejects.toThrow("The service could not answer");
    for (const survey of known) watch.service.setStatus(survey, "gone");
    watch.service.setStatus("x", "listed");
    if (error) await expect(watch.poll(ALL)).rejects.toMatchObject(error);
    else expect(await watch.poll(ALL)).toMatchObject({ uuids: [] });
    for (const survey of known) watch.service.setStatus(survey, "listed");
    expect((await watch.poll(ALL)).uuids).toEqual(fresh);
  });

  it("does not ask for one that is excluded, and hands over what it got since the watch began when it is included", async () => {
    const watch = new Watch();
    watch.nowS += 10_000;
    watch.arrive([9_000]);
    watch.arrive([9_000], 1, "t");
    const excluded = ["s", "t"];
    for (const one of ["s", "t"]) {
      const others = excluded.filter((id) => id !== one);
      await watch.poll({ ...ALL, excluded: others });
      expect(watch.requests, "the list, and a survey").toBe(2);
    }
    const fresh = [...watch.arrive([5]), ...watch.arrive([4], 1, "t")];
    expect(await watch.poll({ ...ALL, excluded }), "all that are known").toMatchObject({
      uuids: [],
      hasRead: true,
    });
    expect((await watch.poll(ALL)).uuids).toEqual(fresh);
  });

  it("goes on to other surveys if the one whose turn it is fails, or is gone", async () => {
    const watch = new Watch({ ...PLAIN, counts: 0 });
    for (const id of ["a", "b", "c"]) watch.arrive([1], 1, id);
    watch.nowS += 10_000;
    await watch.poll(ALL);
    watch.service.setStatus("b", "gone");
    const fresh = watch.arrive([1], 1, "c");
    for (let polls = 0; polls < 4; polls++) await watch.poll({ ...ALL, missing: ["a"] });
    expect(watch.handedOver).toEqual(fresh);
  });

  it("begins with the survey that the last poll had no time for", async () => {
    const watch = new Watch();
    const many = { surveyIds: times(20, (index) => index).map(String) };
    await watch.poll(many);
    await watch.poll({ ...many, requests: 7 });
    const { next } = watch.stored!;
    expect(Number(next)).toBeGreaterThan(0);
    await watch.poll(many);
    expect(watch.asked[0]).toBe(next);
  });

  it("is no failure for a survey that is gone, but for one that is listed and not found", async () => {
    const watch = new Watch();
    watch.arrive([1]);
    watch.arrive([1], 1, "t");
    await watch.poll(ALL);
    watch.service.setStatus("t", "gone");
    expect((await watch.poll(ALL)).failures.size).toBe(0);
    expect((await watch.poll({ surveyIds: ["t"] })).failures.size).toBe(1);
    const { failures } = await watch.poll({ ...ALL, missing: ["s"] });
    expect([...failures.keys()]).toEqual(["s"]);
  });
});

describe("a watch of all surveys, by what the list counts", () => {
  const ids = times(50, (index) => 1_000 + index).map(String);
  /** A watch of fifty surveys, each with two responses that are old. */
  const watching = async (counts: Dialect["counts"]) => {
    const watch = new Watch({ ...PLAIN, counts });
    watch.nowS += 10_000;
    for (const id of ids) watch.arrive([5_000, 4_000], 1, id);
    watch.service.count();
    await watch.poll(ALL);
    return watch;
  };

  it("asks the surveys with another count, those with something young, and a tenth of the others in turn", async () => {
    const watch = await watching(1);
    const turns = new Set<string>();
    for (let polls = 0; polls < 10; polls++) {
      await watch.poll(ALL);
      expect(watch.asked).toHaveLength(5);
      for (const id of watch.asked) turns.add(id);
    }
    expect(turns.size).toBe(50);
    const fresh = watch.arrive([0], 1, "1030");
    expect((await watch.poll(ALL)).uuids).toEqual(fresh);
    const askedFor1030 = async () => {
      await watch.poll(ALL);
      return watch.asked.includes("1030");
    };
    expect(watch.asked).toHaveLength(6);
    watch.nowS += LOOKBACK_S - 60;
    expect(await askedFor1030(), "its lookback goes on").toBe(true);
    watch.nowS += 70;
    expect(await askedFor1030(), "it is quiet").toBe(false);
    watch.service.remove(fresh[0]!);
    expect(await askedFor1030(), "its count went down").toBe(true);
    expect(await askedFor1030()).toBe(false);
  });

  it.each([
    ["late", 10],
    [0, 10],
    [undefined, 1],
  ] as const)("hands over everything if counts are %s, in %i polls at most", async (counts, most) => {
    const watch = await watching(counts);
    const fresh = ["1003", "1044"].flatMap((id) => watch.arrive([1], 1, id));
    for (let polls = 0; polls < most; polls++) await watch.poll(ALL);
    expect(watch.handedOver.sort()).toEqual(fresh);
  });

  it("hands over each within ten polls under counts that never change, however many surveys are busy in between", async () => {
    const watch = await watching("late");
    const due = new Map<string, number>();
    for (let poll = 0; poll < 120; poll++) {
      // A survey is asked in each poll for ten polls after its response, and then only in its turn again.
      const busy = ids.filter((_, index) =>
        poll % 30 < 6 ? index % 5 === poll % 5 : index === (7 * poll) % 50,
      );
      for (const id of busy) for (const uuid of watch.arrive([0], 1, id)) due.set(uuid, poll + 10);
      const { uuids } = await watch.poll(ALL);
      for (const uuid of uuids) due.delete(uuid);
      expect([...due.values()].filter((last) => last <= poll)).toEqual([]);
      watch.nowS += 60;
    }
  });

  it("asks a survey again in which something was too young, could not be read, or failed", async () => {
    const watch = await watching(1);
    const [young, , broken] = ["1001", "1002", "1003"].map((id) => watch.arrive([1], 1, id)[0]!);
    const faults = { missing: ["1002"], unreadable: new Map([[broken!, "uuid" as const]]) };
    const first = await watch.poll({ ...ALL, ...faults, minimumAgeS: LOOKBACK_S });
    expect(first).toMatchObject({ uuids: [], unreadable: [{ code: "unreadable_item" }] });
    watch.nowS += LOOKBACK_S + 10;
    const { uuids } = await watch.poll({ ...ALL, minimumAgeS: LOOKBACK_S });
    expect(uuids).toHaveLength(3);
    expect(uuids).toContain(young);
  });
});

/** Many responses, with some time between them: a page of one microsecond stops a list. */
const many = fc
  .record({ count: fc.integer({ min: 100, max: 250 }), stepS: fc.constantFrom(0.013, 0.7, 2) })
  .map(({ count, stepS }) => times(count, (index) => index * stepS));
const agoS = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: LOOKBACK_S - 1, noNaN: true }) },
  // Responses of one microsecond, and from the future.
  { weight: 2, arbitrary: fc.constantFrom(0, 60, 300) },
  { weight: 1, arbitrary: fc.double({ min: -5_000, max: -1, noNaN: true }) },
);
/** The watch begins with the first two, if it does not watch all. */
const SURVEYS = ["s", "t", "u", "v"];
const survey = fc.constantFrom(...SURVEYS);
/** Mostly as usual. */
const seldom = <Value>(usual: Value, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, arbitrary);
const settings = fc.record({
  surveyIds: fc.oneof(fc.constant(undefined), fc.constantFrom(["s", "t"], ["s"], ["t", "u", "v"])),
  lookbackS: fc.constantFrom(LOOKBACK_S, 6 * LOOKBACK_S),
  minimumAgeS: fc.constantFrom(0, 60, 300, LOOKBACK_S, 5_000),
  listFails: seldom(false, fc.constant(true)),
  unreadable: seldom(
    new Map(),
    fc
      .uniqueArray(fc.integer({ min: 130, max: 200 }), { maxLength: 3 })
      .map((numbers) => new Map(numbers.map((number) => [uuidOf(number), "uuid" as const]))),
  ),
  requests: seldom(Number.POSITIVE_INFINITY, fc.nat(10)),
  isKilled: seldom(false, fc.constant(true)),
  missing: seldom([], fc.subarray(SURVEYS)),
  silent: seldom([], fc.subarray(SURVEYS)),
  linksFail: seldom(false, fc.constant(true)),
});
const step = fc.oneof(
  fc.record({
    do: fc.constant("arrive" as const),
    agoS: fc.oneof(fc.array(agoS, { maxLength: 8 }), many),
    person: fc.nat(3),
    survey,
  }),
  fc.record({ do: fc.constant("wait" as const), seconds: fc.constantFrom(1, 60, 599, 3_600) }),
  fc.record({ do: fc.constant("grow" as const), place: fc.nat(20) }),
  fc.record({ do: fc.constant("count" as const) }),
  fc.record({ do: fc.constant("remove" as const), place: fc.nat(20) }),
  fc.record({ do: fc.constant("clock" as const), aheadS: fc.constantFrom(0, -3, -90, -7_200) }),
  fc.record({
    do: fc.constant("list" as const),
    survey,
    status: fc.constantFrom("listed" as const, "archived" as const),
  }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("poll" as const), settings }) },
);
const dialect: fc.Arbitrary<Dialect> = fc.record({
  shape: fc.constantFrom("wrapped", "bare", "mixed"),
  link: fc.constantFrom("next_timestamp", "last_timestamp", "next_item", "last_item"),
  linkOnLastPage: fc.boolean(),
  honoursEnd: fc.boolean(),
  shows: fc.constantFrom("microseconds", "milliseconds", "nearest millisecond"),
  hasDate: fc.constant(true),
  counts: fc.constantFrom(undefined, 0, 1, 1, "late" as const, "late" as const),
});

/** What a watch owes, as a history goes on. */
class Promises {
  /** Arrived after their survey was watched: each is handed over. */
  readonly due = new Set<string>();
  /**
   * May be, since it arrived before that: within the lookback before all surveys were watched, in one that was looked at
   * later; some seconds before the first poll, below a page of others; or not readable then. Or it arrived later, and
   * lies below the page that the first poll has seen.
   */
  readonly possible = new Set<string>();
  readonly #arrivals: { readonly uuid: string; readonly survey: string; readonly at: Timestamp }[] = [];
  /** Down to where late responses count, of each survey that is watched. */
  readonly #watched = new Map<string, Timestamp>();
  /** Since when all surveys are watched, and how many responses had arrived by then. */
  #all: { readonly since: Timestamp; readonly arrivals: number } | undefined;

  arrived(responses: readonly Response[]): void {
    for (const { uuid, survey, at } of responses) {
      this.#arrivals.push({ uuid, survey, at: timestampAt(at) });
      const from = this.#watched.get(survey);
      if (from !== undefined) (timestampAt(at) >= from ? this.due : this.possible).add(uuid);
    }
  }

  /** A poll of some surveys, or of all, has stored what it remembers. */
  polled(
    { surveyIds, unreadable = new Map() }: PollSettings,
    { surveys, allSince }: WatchState,
    nowS: number,
  ): void {
    for (const uuid of unreadable.keys()) this.possible.add(uuid);
    const begun = { since: timestampAt((nowS - 10) * SECOND), arrivals: Number.POSITIVE_INFINITY };
    const from = (surveyIds === undefined && this.#all) || begun;
    for (const survey of new Set(surveys.keys()).difference(this.#watched)) {
      const newestFirst = this.#arrivals
        .filter((each) => each.survey === survey)
        .map(({ at }) => at)
        .sort()
        .reverse();
      this.#watched.set(survey, (from === begun && newestFirst[90]) || timestampAt(0));
      for (const [number, { uuid, survey: own, at }] of this.#arrivals.entries())
        if (own === survey && number >= from.arrivals) this.due.add(uuid);
        else if (own === survey && at >= from.since) this.possible.add(uuid);
    }
    expect([...surveys.keys()].sort()).toEqual([...this.#watched.keys()].sort());
    if (surveyIds === undefined) this.#all ??= { since: allSince!, arrivals: this.#arrivals.length };
    else this.#all = undefined;
    expect(allSince).toBe(this.#all?.since);
  }
}

it("hands over each new response once, in any history of arrivals, lists, faults, kills and settings", async () => {
  await fc.assert(
    fc.asyncProperty(
      dialect,
      fc.array(step, { maxLength: 25, size: "max" }),
      fc.boolean(),
      settings,
      async (kind, steps, isAhead, first) => {
        const watch = new Watch(kind);
        const promises = new Promises();
        const arrive = (...call: Parameters<Watch["arrive"]>) => {
          const uuids = new Set(watch.arrive(...call));
          promises.arrived(watch.service.responses.filter(({ uuid }) => uuids.has(uuid)));
        };
        const poll = async (settings: PollSettings) => {
          const isStored = await watch.tryPoll(settings);
          if (isStored) promises.polled(settings, parseWatch(watch.stored), watch.nowS + watch.dateAheadS);
          return isStored;
        };
        arrive(times(130, (index) => 990 - index * 6));
        if (isAhead) arrive([-3_000]);
        await poll(first);
        for (const one of steps) {
          if (one.do === "wait") watch.nowS += one.seconds;
          else if (one.do === "arrive") arrive(one.agoS, one.person, one.survey);
          else if (one.do === "clock") watch.dateAheadS = one.aheadS;
          else if (one.do === "grow") watch.grow(one.place);
          else if (one.do === "count") watch.service.count();
          else if (one.do === "remove") watch.remove(one.place);
          else if (one.do === "list") watch.service.setStatus(one.survey, one.status);
          else await poll(one.settings);
        }
        // The future comes, and nothing fails any more.
        watch.nowS += 10_000;
        watch.dateAheadS = 0;
        // Counts may stay late: then a survey is read when its turn comes.
        for (let polls = 0, quiet = 0; quiet < SURVEYS.length; polls++) {
          const before = watch.handedOver.length;
          expect(await poll({ surveyIds: undefined, minimumAgeS: 300 })).toBe(true);
          quiet = watch.handedOver.length === before ? quiet + 1 : 0;
          expect(polls).toBeLessThan(50);
        }
        const handedOver = new Set(watch.handedOver);
        expect(watch.handedOver.length).toBe(handedOver.size);
        expect(promises.due.difference(handedOver)).toEqual(new Set());
        expect(handedOver.difference(promises.due).difference(promises.possible)).toEqual(new Set());
      },
    ),
    { numRuns: Number(process.env.SYNC_CASES ?? 200) },
  );
}, 600_000);
