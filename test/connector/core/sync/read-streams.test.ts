import { getEventListeners } from "node:events";
import {
  createClient,
  type HttpResponse,
  readStreams,
  STREAMS,
  type StreamName,
  type SyncEvent,
  type SyncOptions,
} from "@survey-export/core";
import { describe, expect, it, vi } from "vitest";
import { type Timestamp, timestampOfMs } from "../../../../connector/core/coverage/timestamp.ts";
import type { Left } from "../../../../connector/core/sync/sync-options.ts";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { answering, PLAIN, personId, SECOND } from "../../../model/support/connection.ts";
import { createListService, EPOCH_MS, HEALTHY } from "../../../model/support/list-service.ts";

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
        ...{ uuid: `${survey}${number}`, survey, person: personId(++person) },
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
    ...{ surveyIds: Object.keys(counts), respondentUuids: [], ...others },
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
  told.flatMap((event) => (event.type === "failure" ? [`${event.stream}: ${event.error.code}`] : []));
const uuidsOf = (told: readonly Event[], stream: StreamName) =>
  told.flatMap((event) => (event.type === "records" && event.stream === stream ? event.records : [])).length;
const isPersons = (path: string): boolean => path.startsWith("/respondents/");

describe("the events of a read", () => {
  it("begin with each stream's state, and end with each stream's state", async () => {
    const streams: StreamName[] = ["survey_responses", "survey_answers"];
    const told = await all(reading({ s: 1 }, undefined, { streams }).events);
    expect(told.map((event) => [event.type, "stream" in event && event.stream])).toEqual([
      ...streams.map((stream) => ["start", stream]),
      ...streams.map((stream) => ["records", stream]),
      ...streams.map((stream) => ["end", stream]),
    ]);
    expect(told.slice(0, 2).map((event) => "state" in event && event.state.toJSON())).toEqual([
      { version: 1, surveys: {} },
      { version: 1, surveys: {} },
    ]);
  });

  it("are accompanied by what is left to read", async () => {
    const left: Left[] = [];
    const streams: StreamName[] = ["respondent_responses"];
    const atThatTime: number[] = [];
    const onProgress = (now: Left): void => {
      left.push(now);
      atThatTime.push(now.respondents);
    };
    await all(reading({ s: 12, t: 1 }, undefined, { streams, onProgress }).events);
    expect(left[0]).toMatchObject({ surveys: 1, respondents: expect.any(Number), pages: 1 });
    expect(Math.max(...atThatTime)).toBeGreaterThan(4);
    expect(left.at(-1), "the number goes on falling").toMatchObject({ surveys: 0, respondents: 0 });
  });

  it("are accompanied by an estimate of all pages, if there is a start date", async () => {
    const estimates = async (startDate?: Timestamp): Promise<number[]> => {
      const all: number[] = [];
      const onProgress = ({ pages, pagesLeft }: Left) => void all.push(pages + pagesLeft());
      const options = { onProgress, itemsPerPage: 10, ...(startDate && { startDate }) };
      for await (const _ of reading({ s: 2000, t: 2000 }, undefined, options).events);
      return all;
    };
    const all = await estimates(timestampOfMs(EPOCH_MS - 1759 * HOUR * 1000));
    // There are 400, and ten items span nine hours.
    for (const pages of all.slice(1)) expect(Math.abs(pages - 400)).toBeLessThan(50);
    expect((await estimates())[20]).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("the requests of a read", () => {
  const surveys = Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`s${number}`, 1]));

  it.each([
    [{}, 6],
    [{ inOrder: true }, 5],
  ])(
    "go on while the caller works with a page, unless surveys are read in order: %j",
    async (options, sent) => {
      const { events, paths } = reading(surveys, undefined, options);
      for await (const { type } of events) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (type === "records") break;
      }
      expect(paths).toHaveLength(sent);
    },
  );

  it("are five at a time", async () => {
    const { events, requests, client } = reading(surveys, () => 100);
    await all(events);
    expect([requests.most, client.maxConcurrentRequests]).toEqual([5, 5]);
  });

  it("end with the loop that takes the events", async () => {
    const { events, client, clock, requests } = reading(surveys, (path) =>
      path.includes("/s0/") ? undefined : 50_000,
    );
    const stopped = vi.fn();
    vi.spyOn(client, "onPause").mockReturnValue(stopped);
    for await (const { type } of events) if (type === "records") break;
    await clock.sleep(1);
    expect(requests.inFlight).toBe(0);
    expect(requests.aborted).toBeGreaterThan(0);
    expect(stopped).toHaveBeenCalled();
    const { slept } = clock;
    const before = slept.length;
    await clock.sleep(10 * 60_000);
    expect(slept.length).toBe(before + 1);
  });

  it("end with the signal, whose reason the caller gets", async () => {
    const abort = new AbortController();
    const reader = reading(surveys, () => 50_000, { signal: abort.signal });
    const { events, clock, requests } = reader;
    const told = all(events);
    await clock.sleep(1000);
    expect(requests.inFlight).toBeGreaterThan(0);
    abort.abort("stop");
    await expect(told).rejects.toBe("stop");
    expect([requests.inFlight, reader.tookMs()]).toEqual([0, 1000]);
    const early = reading(surveys, undefined, { signal: abort.signal });
    await expect(all(early.events)).rejects.toBe("stop");
    expect(early.paths).toEqual([]);
  });

  it("leave nothing that listens to the signal", async () => {
    const { signal } = new AbortController();
    const { events } = reading(surveys, undefined, { signal });
    await events.next();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await all(events);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("go on for the other streams if one fails", async () => {
    const streams: StreamName[] = ["survey_responses", "respondent_responses"];
    const script: Script = (path) => (isPersons(path) ? answering(403) : undefined);
    const both = await all(reading({ s: 400 }, script, { streams, itemsPerPage: 10 }).events);
    expect(endsOf(both)).toEqual({ survey_responses: true, respondent_responses: false });
    expect(uuidsOf(both, "survey_responses")).toBe(400);
  });
});

describe("waiting", () => {
  const waits = (told: readonly Event[]) =>
    told.flatMap((event) => (event.type === "waiting" ? [event.pause] : []));

  it("is told when the service asks for it, with its reason and its end", async () => {
    const limited = { status: 429, headers: { "retry-after": "30" }, body: "" };
    const { events, tookMs } = reading({ s: 1 }, (_, atMs) => (atMs < 1 ? limited : undefined));
    const told = await all(events);
    expect(waits(told)).toEqual([{ reason: "rate_limited", untilMs: expect.any(Number) }]);
    expect(told.map(({ type }) => type)).toEqual(["start", "waiting", "records", "end"]);
    expect(tookMs()).toBeGreaterThanOrEqual(30_000);
  });
});

describe("an end of the whole read", () => {
  it("comes with the first answer that refuses the key", async () => {
    const { events, paths } = reading({ s: 1, t: 1, u: 1, v: 1, w: 1, x: 1, y: 1 }, () => answering(401));
    const told = await all(events);
    expect(failuresOf(told)).toEqual(["survey_responses: unauthorized"]);
    expect(paths).toHaveLength(5);
  });

  it("comes two minutes after the last good answer, and fails only streams that may lack something", async () => {
    const streams: StreamName[] = ["survey_responses", "respondent_responses"];
    const script: Script = (path) => (isPersons(path) ? HOUR * 1000 : undefined);
    const { events, tookMs } = reading({ s: 30 }, script, { streams });
    const told = await all(events);
    expect(endsOf(told)).toEqual({ survey_responses: true, respondent_responses: false });
    expect(failuresOf(told)).toEqual(["respondent_responses: no_answer"]);
    expect(tookMs()).toBeGreaterThanOrEqual(120_000);
    expect(tookMs()).toBeLessThan(121_000);
  });
});
