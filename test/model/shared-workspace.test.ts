import { createClient, type Host, type HttpResponse, SERVICE_LIMITS } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { LimitEnforcer } from "../../sandbox/http/limits.ts";
import { noStats } from "../../sandbox/http/stats.ts";
import { createSimulatedClock, type SimulatedClock } from "../support/clock.ts";
import { randomFrom } from "../support/host.ts";

/*
 * Processes that do not know each other read one workspace, each with a client of its own. All in simulated time,
 * with fixed seeds: the machine's speed changes nothing.
 */

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
/** What the service allows the whole workspace. */
const ALLOWED = SERVICE_LIMITS;
/** 20,000 responses at 100 a page, and what the division into slices adds. */
const REQUESTS_EACH = 206;
const MINUTE_MS = 60_000;
/** Each process starts at a random time within so long, as when a machine starts all at once. */
const STARTS_WITHIN_MS = 300;

interface Workspace {
  readonly processes: number;
  /** Requests of each process. Default: as many as fit before `untilMs`. */
  readonly requestsEach?: number;
  readonly untilMs?: number;
  readonly latencyMs?: number;
  /** How long a request or an answer is on its way. Default: 3, as between processes of one machine. */
  readonly networkMs?: number;
  readonly retryAfter: boolean;
  readonly seed: number;
}

/** Refuses each request above either limit at once, and answers all others. Has no content. */
class StrictService {
  answered = 0;
  refused = 0;
  readonly #clock: SimulatedClock;
  readonly #random: () => number;
  readonly #workspace: Workspace;
  readonly #limits = new LimitEnforcer({
    concurrent: ALLOWED.maxConcurrentRequests,
    perMinute: ALLOWED.requestsPerMinute,
  });
  readonly #stats = noStats();

  constructor(clock: SimulatedClock, random: () => number, workspace: Workspace) {
    this.#clock = clock;
    this.#random = random;
    this.#workspace = workspace;
  }

  async answer(): Promise<HttpResponse> {
    const { latencyMs = 100, networkMs = 3, retryAfter } = this.#workspace;
    await this.#clock.sleep(networkMs * (0.5 + this.#random()));
    this.#limits.inFlight++;
    const waitS = this.#limits.admit(this.#clock.monotonicMs(), this.#stats);
    if (waitS === undefined) await this.#clock.sleep(latencyMs * (0.9 + 0.2 * this.#random()));
    this.#limits.inFlight--;
    this[waitS === undefined ? "answered" : "refused"]++;
    await this.#clock.sleep(networkMs * (0.5 + this.#random()));
    if (waitS === undefined) return { status: 200, headers: {}, body: "{}" };
    return { status: 429, headers: retryAfter ? { "retry-after": String(waitS) } : {}, body: "" };
  }
}

/** One process: its first request alone, since it shows what else there is to read, then as many at once as may be. */
async function read(host: Host, requests: number, ended: AbortSignal) {
  const { clock } = host;
  const client = createClient(host, { baseUrl: "http://service.local/v2", ...ALLOWED });
  const beganMs = clock.monotonicMs();
  let [left, answered, lastMs, longestWaitMs] = [requests, 0, beganMs, 0];
  const noteWait = (): void => {
    longestWaitMs = Math.max(longestWaitMs, clock.monotonicMs() - lastMs);
    lastMs = clock.monotonicMs();
  };
  const get = async (): Promise<void> => {
    left--;
    const answer = await client.get("/page", () => true, ended);
    if ("error" in answer) throw answer.error;
    answered++;
    noteWait();
  };
  const walk = async (): Promise<void> => {
    while (left > 0) await get();
  };
  try {
    await get();
    await Promise.all(Array.from({ length: ALLOWED.maxConcurrentRequests }, walk));
  } catch (error) {
    if (!ended.aborted) throw error;
  }
  noteWait();
  return { answered, longestWaitMs, tookMs: clock.monotonicMs() - beganMs };
}

async function share(workspace: Workspace) {
  const { processes, requestsEach = Number.POSITIVE_INFINITY, untilMs, seed } = workspace;
  const clock = createSimulatedClock();
  const random = randomFrom(seed);
  const service = new StrictService(clock, random, workspace);
  const beganMs = clock.monotonicMs();
  const end = new AbortController();
  const ended = untilMs && clock.sleep(untilMs).then(() => end.abort());
  const reads = await Promise.all(
    Array.from({ length: processes }, async (_, number) => {
      await clock.sleep(STARTS_WITHIN_MS * random());
      const host = { clock, log: () => {}, transport: () => service.answer() };
      return read({ ...host, random: randomFrom(seed * 1000 + number) }, requestsEach, end.signal);
    }),
  );
  const allMs = clock.monotonicMs() - beganMs;
  await ended;
  const { answered, refused } = service;
  return {
    allMs,
    answered,
    refused,
    refusedShare: refused / (refused + answered),
    unfairness: ratio(reads.map(({ tookMs }) => tookMs)),
    inequality: ratio(reads.map((each) => each.answered)),
    longestWaitMs: Math.max(...reads.map(({ longestWaitMs }) => longestWaitMs)),
  };
}

const ratio = (values: readonly number[]): number => Math.max(...values) / Math.min(...values);
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[(values.length - 1) / 2]!;
const ofSeeds = (seeds: readonly number[], workspace: Omit<Workspace, "seed">) =>
  Promise.all(seeds.map((seed) => share({ ...workspace, seed })));

describe.each([
  { retryAfter: false, answer: "429 without Retry-After" },
  { retryAfter: true, answer: "429 with Retry-After" },
])("processes that share a workspace unknowingly, $answer", ({ retryAfter }) => {
  it.each([
    { processes: 2, time: 1.5, fairness: 2 },
    { processes: 4, time: 1.6, fairness: 2.5 },
  ])(
    "read 20,000 responses each, $processes of them, in at most $time times the time of one, fairly, on the median",
    async ({ processes, time, fairness }) => {
      const options = { retryAfter, networkMs: 1 };
      const alone = { ...options, processes: 1, requestsEach: processes * REQUESTS_EACH, seed: 1 };
      const { allMs } = await share(alone);
      const runs = await ofSeeds(SEEDS, { ...options, processes, requestsEach: REQUESTS_EACH });
      expect(median(runs.map((run) => run.allMs / allMs))).toBeLessThanOrEqual(time);
      expect(median(runs.map(({ unfairness }) => unfairness))).toBeLessThanOrEqual(fairness);
      expect(median(runs.map(({ refusedShare }) => refusedShare))).toBeLessThanOrEqual(0.02);
    },
  );

  it("use at least 85 % of the minute in the long run, four of them, and at most 4 % of requests are refused", async () => {
    const runs = await ofSeeds(SEEDS.slice(0, 5), { processes: 4, retryAfter, untilMs: 10 * MINUTE_MS });
    expect(Math.min(...runs.map(({ answered }) => answered / 10_000))).toBeGreaterThanOrEqual(0.85);
    expect(Math.max(...runs.map(({ refusedShare }) => refusedShare))).toBeLessThanOrEqual(0.04);
    expect(median(runs.map(({ inequality }) => inequality))).toBeLessThanOrEqual(2);
  });

  it("do not starve when they are eight, five slots are too few, and an answer takes half a second", async () => {
    const workspace = { processes: 8, latencyMs: 500, retryAfter, untilMs: 20 * MINUTE_MS };
    for (const run of await ofSeeds(SEEDS.slice(0, 5), workspace)) {
      expect(run.longestWaitMs).toBeLessThan(8 * MINUTE_MS);
      expect(run.inequality).toBeLessThan(4);
      expect(run.refusedShare).toBeLessThan(0.1);
    }
  });
});

it("a process alone in its workspace uses at least 98 % of the minute and is never refused", async () => {
  const run = await share({ processes: 1, retryAfter: false, seed: 1, untilMs: 10 * MINUTE_MS });
  expect(run.refused).toBe(0);
  expect(run.answered / 10_000).toBeGreaterThanOrEqual(0.98);
});
