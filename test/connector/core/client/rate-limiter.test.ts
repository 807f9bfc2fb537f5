import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_LIMITS,
  type Limits,
  RateLimiter,
  SERVICE_LIMITS,
} from "../../../../connector/core/client/rate-limiter.ts";
import specification from "../../../../spec/connection.json" with { type: "json" };
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { randomFrom } from "../../../model/support/host.ts";

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
          // The service may count a request at any time between its start and its answer.
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
      "uses its full width from the second answer on",
      1000,
      11,
      100,
      "0 0 100 100 100 100 200 200 200 200 200",
    ],
    ["starts the next request a minute after the oldest answer", 2, 5, 1000, "0 0 61000 61000 122000"],
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

  it("waits longer and longer, up to 16 seconds, while one request after another is refused", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1000 });
    const refused = (ms?: number) =>
      limiter.run(async () => {
        const startedMs = clock.monotonicMs();
        await clock.sleep(1);
        const pauseMs = limiter.pauseFor(ms, startedMs, true);
        expect((clock.now() + pauseMs) % 500).toBe(0);
        return pauseMs;
      });
    for (const leastMs of [1000, 2000, 4000, 8000, 16_000, 16_000]) {
      const pauseMs = await refused();
      expect(pauseMs).toBeGreaterThanOrEqual(leastMs);
      expect(pauseMs).toBeLessThan(leastMs + 500);
    }
    expect(await refused(40_000)).toBeGreaterThanOrEqual(40_000);
    await limiter.run(async () => limiter.recovered(clock.monotonicMs()));
    expect(await refused(1)).toBeLessThan(1500);
  });

  it("uses half of its slots after a 429, rounded up, and one more after each eight seconds without one, up to four", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(
      clock,
      { maxConcurrentRequests: 5, requestsPerMinute: 1_000_000 },
      () => 0.5,
    );
    let [inFlight, widest] = [0, 0];
    const widestIn = async (ms: number): Promise<number> => {
      widest = 0;
      const endMs = clock.monotonicMs() + ms;
      const walk = async (): Promise<void> => {
        while (clock.monotonicMs() < endMs) {
          await limiter.run(async () => {
            const startedMs = clock.monotonicMs();
            widest = Math.max(widest, ++inFlight);
            await clock.sleep(10);
            inFlight--;
            limiter.recovered(startedMs);
          });
        }
      };
      await Promise.all([walk(), walk(), walk(), walk(), walk()]);
      return widest;
    };
    const refuse = async () => {
      await clock.sleep(1);
      limiter.pauseFor(undefined, clock.monotonicMs(), true);
    };
    expect(await widestIn(1000)).toBe(5);
    await refuse();
    expect(await widestIn(5000)).toBe(3);
    await refuse();
    expect(await widestIn(5000)).toBe(2);
    await refuse();
    expect(await widestIn(5000)).toBe(1);
    expect([await widestIn(8000), await widestIn(8000), limiter.lowered]).toEqual([2, 3, true]);
    expect([await widestIn(8000), await widestIn(20_000), limiter.lowered]).toEqual([4, 4, false]);
  });

  it("leaves a slot free around each half second while it holds three or more", async () => {
    const inFlightAtHalfSecond = async (maxConcurrentRequests: number): Promise<number> => {
      const clock = createSimulatedClock();
      const limiter = new RateLimiter(clock, { maxConcurrentRequests, requestsPerMinute: 1_000_000 });
      const startsMs: number[] = [];
      const walk = async (): Promise<void> => {
        while (startsMs.length < 400) {
          await limiter.run(async () => {
            startsMs.push(clock.now());
            await clock.sleep(7);
            limiter.recovered(startsMs.at(-1)!);
          });
        }
      };
      await Promise.all(Array.from({ length: maxConcurrentRequests }, walk));
      const halfMs = clock.now() - (clock.now() % 500);
      return startsMs.filter((startMs) => startMs <= halfMs && startMs > halfMs - 7).length;
    };
    expect(await Promise.all([1, 2, 3, 5].map(inFlightAtHalfSecond))).toEqual([1, 2, 2, 4]);
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
