import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, type Limits, SERVICE_LIMITS } from "../../../../connector/core/client/limits.ts";
import { RateLimiter } from "../../../../connector/core/client/rate-limiter.ts";
import type { Clock } from "../../../../connector/core/ports.ts";
import specification from "../../../../spec/connection.json" with { type: "json" };
import { createSimulatedClock } from "../../../support/clock.ts";
import { randomFrom } from "../../../support/host.ts";

const MINUTE_MS = 60_000;

/** Random requests of one process: how long each takes, often as long as others, and whether the service refuses it. */
const requests = fc.array(
  fc.record({
    tookMs: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 30_000 })),
    refused: fc.boolean(),
    counted: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Runs `count` requests that each take as long as `tookMs` says, and gives the times they started. */
async function startsOf(limits: Limits, count: number, tookMs: number): Promise<number[]> {
  const clock = createSimulatedClock();
  const limiter = new RateLimiter(clock, limits);
  const beganMs = clock.monotonicMs();
  const started: number[] = [];
  await Promise.all(
    Array.from({ length: count }, () =>
      limiter.run(async () => {
        started.push(clock.monotonicMs() - beganMs);
        const startedMs = clock.monotonicMs();
        await clock.sleep(tookMs);
        limiter.recovered(startedMs);
      }),
    ),
  );
  return started;
}

const TOOK_MS = 7;

/** Sends as many requests as the limiter lets start in so long, and gives the times they started. */
async function busy(clock: Clock, limiter: RateLimiter, ms: number): Promise<number[]> {
  const startsMs: number[] = [];
  const endMs = clock.now() + ms;
  const walk = async (): Promise<void> => {
    while (clock.now() < endMs) {
      await limiter.run(async () => {
        startsMs.push(clock.now());
        await clock.sleep(TOOK_MS);
        limiter.recovered(clock.monotonicMs());
      });
    }
  };
  await Promise.all(Array.from({ length: limiter.maxConcurrentRequests }, walk));
  return startsMs;
}

const inFlightAt = (atMs: number, startsMs: readonly number[]): number =>
  startsMs.filter((startMs) => startMs <= atMs && startMs > atMs - TOOK_MS).length;

describe("the rate limiter", () => {
  it("never exceeds its limits, as the service counts them, starts nothing during a pause, and then one request at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer(),
        requests,
        async (maxConcurrentRequests, requestsPerMinute, seed, script) => {
          const clock = createSimulatedClock();
          const limits = { maxConcurrentRequests, requestsPerMinute };
          const limiter = new RateLimiter(clock, limits, randomFrom(seed));
          // The service may count a request at any time between its start and its reply.
          const counted: number[] = [];
          let [inFlight, pausedUntilMs, probing] = [0, 0, false];
          await Promise.all(
            script.map(({ tookMs, refused, counted: share }) =>
              limiter.run(async () => {
                const startedMs = clock.monotonicMs();
                expect(startedMs).toBeGreaterThanOrEqual(pausedUntilMs);
                if (probing) expect(inFlight).toBe(0);
                expect(++inFlight).toBeLessThanOrEqual(maxConcurrentRequests);
                await clock.sleep(tookMs * share);
                counted.push(clock.monotonicMs());
                await clock.sleep(tookMs * (1 - share));
                inFlight--;
                probing = refused;
                if (!refused) return limiter.recovered(startedMs);
                const pauseMs = limiter.pauseFor(1000, startedMs, true);
                expect(pauseMs).toBeGreaterThanOrEqual(1000);
                pausedUntilMs = clock.monotonicMs() + pauseMs;
              }),
            ),
          );
          expect(counted).toHaveLength(script.length);
          for (const at of counted) {
            const inAMinute = counted.filter((other) => other >= at && other < at + MINUTE_MS).length;
            expect(inAMinute).toBeLessThanOrEqual(requestsPerMinute);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it.each([
    [
      "uses its full width from the second reply on",
      1000,
      11,
      100,
      "0 0 100 100 100 100 200 200 200 200 200",
    ],
    ["starts the next request a minute after the oldest reply", 2, 5, 1000, "0 0 61000 61000 122000"],
  ])("%s", async (_, requestsPerMinute, count, tookMs, startsMs) => {
    const starts = await startsOf({ maxConcurrentRequests: 5, requestsPerMinute }, count, tookMs);
    expect(starts.join(" ")).toBe(startsMs);
  });

  it("waits once for the minute, at times that are no whole milliseconds too", async () => {
    for (let tookMs = 0.1; tookMs < 10; tookMs += 0.1) {
      const clock = createSimulatedClock(0);
      const limiter = new RateLimiter(clock, { maxConcurrentRequests: 1, requestsPerMinute: 1 });
      await limiter.run(() => clock.sleep(tookMs));
      const second = new AbortController();
      const request = limiter.run(async () => {}, second.signal).catch(() => {});
      await clock.sleep(MINUTE_MS);
      // A wait that ends a rounding error too early is followed by waits of no length, for ever here.
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      second.abort();
      await request;
      expect(clock.slept).toHaveLength(3);
    }
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [5, 4],
  ])(
    "of %i slots uses %i around each half second, so that another process finds one",
    async (slots, used) => {
      const clock = createSimulatedClock();
      const limiter = new RateLimiter(clock, { maxConcurrentRequests: slots, requestsPerMinute: 1_000_000 });
      const startsMs = await busy(clock, limiter, 1200);
      expect(inFlightAt(clock.now() - (clock.now() % 500), startsMs)).toBe(used);
    },
  );

  it("is lowered by a 429, and then takes one slot after the other, except for the service's last", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1_000_000 });
    limiter.pauseFor(undefined, clock.monotonicMs(), true);
    await busy(clock, limiter, 3000);
    expect(limiter.lowered).toBe(true);
    await busy(clock, limiter, 30_000);
    const startsMs = await busy(clock, limiter, 1000);
    expect(Math.max(...startsMs.map((startMs) => inFlightAt(startMs, startsMs)))).toBe(4);
    expect(limiter.lowered).toBe(false);
  });

  it("uses the service's last slot until the minute holds it up, and not after that", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 11 });
    const inFlight: number[] = [];
    let now = 0;
    const request = (tookMs: number) =>
      limiter.run(async () => {
        const startedMs = clock.monotonicMs();
        inFlight.push(++now);
        await clock.sleep(tookMs);
        now--;
        limiter.recovered(startedMs);
      });
    await Promise.all(Array.from({ length: 20 }, (_, at) => request(at < 11 ? 100 : 1000)));
    expect(Math.max(...inFlight.slice(0, 11))).toBe(5);
    expect(Math.max(...inFlight.slice(11))).toBe(4);
  });

  it("removes a request from the queue when its signal is aborted, and the others go on", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 1, requestsPerMinute: 1000 });
    const leaver = new AbortController();
    const order: string[] = [];
    const request = (name: string, signal?: AbortSignal) =>
      limiter.run(async () => {
        order.push(name);
        await clock.sleep(10);
      }, signal);
    const first = request("first");
    const second = request("second", leaver.signal);
    const third = request("third");
    leaver.abort(new Error("no more"));
    await expect(second).rejects.toThrow("no more");
    await Promise.all([first, third]);
    expect(order).toEqual(["first", "third"]);
    await expect(request("late", leaver.signal)).rejects.toThrow("no more");
  });
});

it("the form allows what the service does, and no more", () => {
  const { max_concurrent_requests: atOnce, requests_per_minute: perMinute } = specification.properties;
  const { maxConcurrentRequests, requestsPerMinute } = SERVICE_LIMITS;
  expect([atOnce.maximum, perMinute.maximum]).toEqual([maxConcurrentRequests, requestsPerMinute]);
  expect([atOnce.default, perMinute.default]).toEqual(Object.values(DEFAULT_LIMITS));
  expect(atOnce.description).toContain(`The service allows ${maxConcurrentRequests} for a whole workspace.`);
  expect(perMinute.description).toContain(`The service allows ${requestsPerMinute} for a whole workspace;`);
});
