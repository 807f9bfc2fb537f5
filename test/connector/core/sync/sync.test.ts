import {
  createClient,
  type HttpResponse,
  readStreams,
  STREAMS,
  type StreamName,
  type SyncEvent,
  type SyncOptions,
} from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { addMicroseconds, type Timestamp } from "../../../../connector/core/coverage/timestamp.ts";
import { certain } from "../../../../connector/core/errors.ts";
import { surveyResponses } from "../../../../connector/core/streams/survey-responses.ts";
import type { SyncProgress } from "../../../../connector/core/sync/sync-options.ts";
import { createSimulatedClock } from "../../../support/clock.ts";
import { createListService, EPOCH_MS, HEALTHY } from "../../../support/list-service.ts";
import { answering, Connection, PLAIN, personId, SECOND, timestamp } from "../../../support/sync-story.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

type Event = SyncEvent<StreamName>;
/** What the service does to a path, in place of its answer: an answer, or a wait in milliseconds before its own. */
type Script = (path: string, atMs: number) => HttpResponse | number | undefined;

/**
 * A first read over the list service, which answers after a millisecond. Each survey has the given number of responses,
 * each by somebody else, the newest of them ten days after the service's epoch.
 */
function reading(
  counts: Readonly<Record<string, number>>,
  script: Script = () => undefined,
  options: Partial<Omit<SyncOptions, "streams">> & { readonly streams?: readonly StreamName[] } = {},
) {
  const { streams = ["survey_responses"], ...others } = options;
  const service = createListService(PLAIN, new Map());
  let person = 0;
  for (const [survey, count] of Object.entries(counts))
    for (let number = 0; number < count; number++)
      service.add({
        uuid: `${survey}${number}`,
        survey,
        person: personId(++person),
        at: (10 * DAY - number * HOUR) * SECOND,
      });
  const clock = createSimulatedClock(EPOCH_MS + 20 * DAY * 1000);
  const startMs = clock.monotonicMs();
  const paths: string[] = [];
  const requests = { inFlight: 0, most: 0, aborted: 0 };
  const client = createClient(
    {
      clock,
      log: () => {},
      transport: async ({ url }, signal) => {
        const path = url.slice("http://service.local/v2".length);
        paths.push(path);
        requests.most = Math.max(requests.most, ++requests.inFlight);
        try {
          const scripted = script(path, clock.monotonicMs() - startMs);
          await clock.sleep(typeof scripted === "number" ? scripted : 1, signal);
          return typeof scripted === "object" ? scripted : service.answer(path, HEALTHY);
        } finally {
          requests.inFlight--;
          if (signal?.aborted) requests.aborted++;
        }
      },
    },
    { baseUrl: "http://service.local/v2" },
  );
  const events = readStreams(client, {
    surveyIds: Object.keys(counts),
    respondentUuids: [],
    ...others,
    streams: new Map(streams.map((name) => [STREAMS[name], undefined])),
  });
  return { client, clock, events, paths, requests, tookMs: () => clock.monotonicMs() - startMs };
}

/** All events of a read, or its error. */
async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const told: Event[] = [];
  for await (const event of events) told.push(event);
  return told;
}
const endsOf = (told: readonly Event[]) =>
  Object.fromEntries(told.flatMap((event) => (event.type === "end" ? [[event.stream, event.complete]] : [])));
const failuresOf = (told: readonly Event[]) =>
  told.flatMap((event) => (event.type === "failure" ? [`${event.streams.join()}: ${event.error.code}`] : []));

it.each<[Record<string, number>, StreamName[], SyncProgress["respondents"]]>([
  [{ s: 300, t: 150 }, ["survey_responses"], undefined],
  [{ s: 300 }, ["survey_responses", "respondent_responses"], { waiting: 0, read: 299 }],
])("a read says how far it is: %j, %j", async (counts, streams, respondents) => {
  const script: Script = (path) => (path.includes(personId(7)) ? answering(404) : undefined);
  let progress: SyncProgress | undefined;
  const onStart = (started: SyncProgress): void => {
    progress = started;
  };
  const { events } = reading(counts, script, { streams, onStart, itemsPerPage: 10 });
  let waiting = 0;
  for await (const _ of events) waiting = Math.max(waiting, progress?.respondents?.waiting ?? 0);
  expect(waiting > 4).toBe(respondents !== undefined);
  expect(progress!.surveys).toEqual({ all: Object.keys(counts).length, remaining: 0 });
  expect(progress!.respondents).toEqual(respondents);
});

it("a caller hears of each quiet minute", async () => {
  const told = await all(reading({ s: 1 }, () => 100_000).events);
  expect(told.map(({ type }) => type)).toEqual(["start", "waiting", "records", "end"]);
});

it("a survey of which something could not be read has no snapshot (I9)", async () => {
  const connection = new Connection("response_key_snapshots");
  for (let number = 0; number < 150; number++) connection.add(`r${number}`, 1, number * 60);
  const snapshots = async () => (await connection.sync({ itemsPerPage: 100 })).records.length;
  connection.faults = { ...HEALTHY, unreadable: new Map([["r70", "uuid"]]) };
  expect(await snapshots(), "with a hole").toBe(0);
  connection.faults = HEALTHY;
  connection.script = (path) => (path.includes("start=") ? answering(403) : undefined);
  expect(await snapshots(), "not down to its end").toBe(0);
  connection.script = undefined;
  expect(await snapshots()).toBe(1);
});

it("nor has one that failed within the lookback, and a snapshot ends below the edge of what is covered (I9)", async () => {
  const connection = new Connection("response_key_snapshots");
  for (let number = 0; number < 1000; number++) connection.add(`r${number}`, 1, number * 60);
  const options = { itemsPerPage: 20, lookbackMs: 600 * 60_000 };
  const isYoung = (path: string) => (/start=([^&]+)/.exec(path)?.[1] ?? "") > timestamp(900 * 60);
  connection.script = (path) => (isYoung(path) ? answering(500) : undefined);
  expect((await connection.sync(options)).records).toEqual([]);
  expect(connection.state!.surveys.s).toHaveLength(1);
  connection.script = undefined;
  const [snapshot] = (await connection.sync(options)).records;
  const [[, edge]] = connection.state!.surveys.s as [[null, Timestamp]];
  expect(snapshot).toMatchObject({ covered_from: null, covered_to: addMicroseconds(edge, -1) });
  expect(String(snapshot!.snapshot_id) > edge).toBe(true);
});

it("a defect of this program ends the read with an error", async () => {
  const { client } = reading({ s: 1 });
  const broken = { ...surveyResponses, records: (): never => certain<never>(undefined, "the column") };
  const options = { surveyIds: ["s"], respondentUuids: [], streams: new Map([[broken, undefined]]) };
  await expect(all(readStreams(client, options))).rejects.toMatchObject({ code: "defect" });
});

it("a defect in a request ends the read with an error, and is no failure of its list", async () => {
  const withoutHeaders = { status: 200, body: "" } as HttpResponse;
  const { events } = reading({ s: 1, t: 1 }, (path) => (path.includes("/s/") ? withoutHeaders : undefined));
  await expect(all(events)).rejects.toMatchObject({ code: "defect" });
});

describe("a list that failed", () => {
  /** Refuses the first requests of these surveys, so many each. */
  const refusing = (surveys: string, times: number): Script => {
    const counts = new Map<string, number>();
    return (path) => {
      const survey = path.split("/")[2] ?? "the list of surveys";
      const count = (counts.get(survey) ?? 0) + 1;
      counts.set(survey, count);
      return surveys.includes(survey) && count <= times ? answering(403) : undefined;
    };
  };

  it.each([
    ["at once", "s", 0],
    ["15 seconds after another one", "st", 15],
  ])("is asked for once more, when all else was read: %s", async (_, failing, seconds) => {
    const { events, tookMs } = reading({ s: 1, t: 1, u: 1 }, refusing(failing, 1));
    const told = await all(events);
    const order = told.flatMap((event) => (event.type === "records" ? [event.surveyId] : []));
    expect([order.length, order.slice(-failing.length).sort().join("")]).toEqual([3, failing]);
    expect([failuresOf(told), endsOf(told)]).toEqual([[], { survey_responses: true }]);
    expect(Math.floor(tookMs() / 1000)).toBe(seconds);
  });

  it("is noted at once, and is a failure at the end, with the surveys that lack something", async () => {
    const { events } = reading({ s: 1, t: 1 }, refusing("s", 2));
    const told = await all(events);
    const types = told.map(({ type }) => type);
    expect(types.filter((type) => type === "noted")).toHaveLength(2);
    expect(types.slice(-2)).toEqual(["failure", "end"]);
    expect(told.at(-2)).toMatchObject({ streams: ["survey_responses"], surveyIds: ["s"] });
  });

  it("is not asked for again for a caller that tries again by itself", async () => {
    const { events, paths } = reading({ s: 1 }, refusing("s", 1), { asksAgain: false });
    expect(failuresOf(await all(events))).toEqual(["survey_responses: forbidden"]);
    expect(paths.filter((path) => path.startsWith("/surveys/s/"))).toHaveLength(1);
  });
});

it("a survey that is gone is in no state, and nothing else is said of it", async () => {
  const isOfS = (path: string): boolean => path.startsWith("/surveys/s");
  const known = new Set(["s", "t"]);
  const { events } = reading({ t: 1 }, (path) => (isOfS(path) ? answering(404) : undefined), {
    surveyIds: [],
    knownSurveys: { listed: known, read: known },
    streams: ["survey_responses", "surveys", "survey_questions"],
  });
  const ends = (await all(events)).filter(({ type }) => type === "end" || type === "failure");
  const states = ends.map(
    (event) => event.type === "end" && [event.complete, Object.keys(event.state.toJSON().surveys)],
  );
  expect(states).toEqual(Array(3).fill([true, ["t"]]));
});

describe("the requests of a read", () => {
  const surveys = Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`s${number}`, 1]));

  it.each([
    [{}, 8],
    [{ inOrder: true }, 5],
  ])("continue while the caller works, unless surveys are read in order: %j", async (options, sent) => {
    const { events, paths } = reading(surveys, undefined, options);
    for await (const { type } of events) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (type === "records") break;
    }
    expect(paths).toHaveLength(sent);
  });

  it("end with the loop that takes the events, and nothing waits after that", async () => {
    const { events, clock, requests } = reading(surveys, (path) =>
      path.includes("/s0/") ? undefined : 50_000,
    );
    for await (const { type } of events) if (type === "records") break;
    await clock.sleep(1);
    expect([requests.inFlight, requests.aborted > 0]).toEqual([0, true]);
    const before = clock.slept.length;
    await clock.sleep(10 * 60_000);
    expect(clock.slept.length).toBe(before + 1);
  });

  it("end with the signal, whose reason the caller gets", async () => {
    const abort = new AbortController();
    const { events, clock, requests, tookMs } = reading(surveys, () => 50_000, { signal: abort.signal });
    const told = all(events);
    await clock.sleep(1000);
    abort.abort("stop");
    await expect(told).rejects.toBe("stop");
    expect([requests.inFlight, tookMs()]).toEqual([0, 1000]);
  });

  it("end when the key is refused for five lists in a row, or for all", async () => {
    for (const count of [2, 30]) {
      const surveys = Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}`, 1]));
      const { events, paths } = reading(surveys, () => answering(401));
      expect(failuresOf(await all(events))).toEqual(["survey_responses: unauthorized"]);
      expect(paths.length).toBeLessThanOrEqual(3 * 6);
    }
  });

  it("end with one failure of all streams if everything is refused, however many surveys there are", async () => {
    const streams: StreamName[] = ["survey_responses", "survey_questions"];
    const { events, paths } = reading(surveys, () => answering(403), { streams });
    const told = await all(events);
    expect(failuresOf(told)).toEqual(["survey_responses,survey_questions: forbidden"]);
    // Each list once, the list of surveys, and that again: it shows that the others do not fail by themselves.
    expect([paths.length, paths.at(-1)]).toEqual([2 * 12 + 2, "/surveys?items_per_page=1"]);
  });

  it("end two minutes after the last good answer, and fail only streams that may lack something", async () => {
    const streams: StreamName[] = ["survey_responses", "respondent_responses"];
    const script: Script = (path) => (path.startsWith("/respondents/") ? HOUR * 1000 : undefined);
    const { events, tookMs } = reading({ s: 30 }, script, { streams });
    const told = await all(events);
    expect(endsOf(told)).toEqual({ survey_responses: true, respondent_responses: false });
    expect(failuresOf(told)).toEqual(["respondent_responses: no_answer"]);
    expect(Math.floor(tookMs() / 1000)).toBe(120);
  });
});
