import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Limits, RateLimiter } from "../../../../connector/core/client/rate-limiter.ts";
import { createSimulatedClock } from "../../../model/support/clock.ts";
import { randomFrom } from "../../../model/support/random.ts";

const MINUTE_MS = 60_000;

/** Random requests of one process: how long each takes, and whether the service refuses it. */
const requests = fc.array(
  fc.record({
    tookMs: fc.integer({ min: 0, max: 30_000 }),
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
        await clock.sleep(tookMs);
        limiter.recovered();
      }),
    ),
  );
  return started;
}

describe("the rate limiter", () => {
  it("never exceeds its limits, as the service counts them, whatever is refused and however it shares", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer(),
        requests,
        async (maxConcurrentRequests, requestsPerMinute, seed, script) => {
          const clock = createSimulatedClock();
          const limiter = new RateLimiter(
            clock,
            { maxConcurrentRequests, requestsPerMinute },
            { random: randomFrom(seed) },
          );
          // The service may count a request at any time between its start and its answer.
          const counted: number[] = [];
          let inFlight = 0;
          let widest = 0;
          await Promise.all(
            script.map(({ tookMs, refused, counted: share }) =>
              limiter.run(async () => {
                const startedMs = clock.monotonicMs();
                widest = Math.max(widest, ++inFlight);
                await clock.sleep(tookMs * share);
                counted.push(clock.monotonicMs());
                await clock.sleep(tookMs * (1 - share));
                inFlight--;
                if (refused) limiter.pauseFor(1000, startedMs, true);
                else limiter.recovered();
              }),
            ),
          );
          expect(counted).toHaveLength(script.length);
          expect(widest).toBeLessThanOrEqual(maxConcurrentRequests);
          for (const at of counted) {
            const inAMinute = counted.filter((other) => other >= at && other < at + MINUTE_MS).length;
            expect(inAMinute).toBeLessThanOrEqual(requestsPerMinute);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("tells how many requests the last 60 seconds had", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1000 });
    for (const gapMs of [0, 20_000, 39_999]) {
      await clock.sleep(gapMs);
      await limiter.run(async () => {});
    }
    expect(limiter.requestsInLastMinute).toBe(3);
    await clock.sleep(1);
    expect(limiter.requestsInLastMinute).toBe(2);
  });

  it("starts nothing during a pause, and one request at a time until the service answers again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), requests, async (seed, script) => {
        const clock = createSimulatedClock();
        const limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };
        const limiter = new RateLimiter(clock, limits, { random: randomFrom(seed) });
        let pausedUntilMs = 0;
        let probing = false;
        let inFlight = 0;
        await Promise.all(
          script.map(({ tookMs, refused }) =>
            limiter.run(async () => {
              const startedMs = clock.monotonicMs();
              expect(startedMs).toBeGreaterThanOrEqual(pausedUntilMs);
              if (probing) expect(inFlight).toBe(0);
              inFlight++;
              await clock.sleep(tookMs);
              inFlight--;
              probing = refused;
              if (!refused) return limiter.recovered();
              const pauseMs = limiter.pauseFor(1000, startedMs, true);
              expect(pauseMs).toBeGreaterThanOrEqual(1000);
              pausedUntilMs = clock.monotonicMs() + pauseMs;
            }),
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("uses its full width from the second answer on", async () => {
    expect(await startsOf({ maxConcurrentRequests: 5, requestsPerMinute: 1000 }, 16, 100)).toEqual([
      ...[0, 0],
      ...[100, 100, 100, 100],
      ...[200, 200, 200, 200, 200],
      ...[300, 300, 300, 300, 300],
    ]);
  });

  it("starts the next request a minute after the oldest answer, and keeps no fixed pace before that", async () => {
    expect(await startsOf({ maxConcurrentRequests: 5, requestsPerMinute: 2 }, 5, 1000)).toEqual([
      0, 0, 61_000, 61_000, 122_000,
    ]);
  });

  it("goes on at once when the wall clock steps back an hour, in the minute's window and in a pause", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 2 });
    const beganMs = clock.monotonicMs();
    const started: number[] = [];
    const request = () =>
      limiter.run(async () => {
        started.push(clock.monotonicMs() - beganMs);
        limiter.recovered();
      });
    await Promise.all([request(), request()]);
    clock.stepWall(-60 * MINUTE_MS);
    await Promise.all([request(), request()]);
    expect(started).toEqual([0, 0, MINUTE_MS, MINUTE_MS]);
    const pauseMs = limiter.pauseFor(5000, clock.monotonicMs(), false);
    clock.stepWall(-60 * MINUTE_MS);
    await clock.sleep(MINUTE_MS);
    const resumedMs = clock.monotonicMs();
    await request();
    expect(pauseMs).toBeLessThan(6000);
    expect(clock.monotonicMs()).toBe(resumedMs);
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

  it("uses less than its limits after a 429, not after a 503, and all of them again later", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1000 });
    limiter.pauseFor(1000, clock.monotonicMs(), false);
    expect(limiter.lowered).toBe(false);
    limiter.pauseFor(1000, clock.monotonicMs(), true);
    expect(limiter.lowered).toBe(true);
    const started: number[] = [];
    const request = () =>
      limiter.run(async () => {
        started.push(clock.monotonicMs());
        await clock.sleep(100);
        limiter.recovered();
      });
    await Promise.all(Array.from({ length: 5 }, request));
    expect(new Set(started).size).toBe(5);
    while (limiter.lowered) await request();
    const fromMs = clock.monotonicMs();
    await Promise.all(Array.from({ length: 5 }, request));
    expect(started.slice(-5)).toEqual([fromMs, fromMs, fromMs, fromMs, fromMs]);
  });

  it("waits longer and longer, up to 16 seconds, while one request after another is refused", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1000 });
    const pausesMs: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      await limiter.run(async () => {
        const startedMs = clock.monotonicMs();
        await clock.sleep(1);
        pausesMs.push(Math.round(limiter.pauseFor(1000, startedMs, true)));
      });
    }
    expect(pausesMs).toEqual([1000, 1000, 1000, 1000, 3000, 9000, 16_000, 16_000, 16_000]);
  });

  it("stays patient after a good answer, and waits for as long as the service says if that is more", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1000 });
    const refused = (ms: number) =>
      limiter.run(async () => {
        const startedMs = clock.monotonicMs();
        await clock.sleep(1);
        return Math.round(limiter.pauseFor(ms, startedMs, true));
      });
    const answered = () => limiter.run(async () => limiter.recovered());
    await answered();
    expect([await refused(1000), await refused(1000), await refused(1000)]).toEqual([1000, 3000, 9000]);
    await answered();
    expect(await refused(1000)).toBeGreaterThan(8000);
    expect(await refused(40_000)).toBe(40_000);
    for (let answer = 0; answer < 320; answer++) await answered();
    expect(await refused(1000)).toBe(1000);
  });

  it("uses one slot after a 429, one more after some 300 answers each, and one fewer after the next 429", async () => {
    const clock = createSimulatedClock();
    const limiter = new RateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1_000_000 });
    let [inFlight, widest] = [0, 0];
    const read = async (answers: number): Promise<number> => {
      widest = 0;
      const request = () =>
        limiter.run(async () => {
          widest = Math.max(widest, ++inFlight);
          await clock.sleep(10);
          inFlight--;
          limiter.recovered();
        });
      await Promise.all(Array.from({ length: answers }, request));
      return widest;
    };
    const refuse = () => limiter.pauseFor(1000, clock.monotonicMs(), true);
    refuse();
    expect([await read(300), await read(40), await read(300), await read(40)]).toEqual([1, 2, 2, 3]);
    refuse();
    expect(await read(10)).toBe(2);
    expect([await read(1100), limiter.lowered]).toEqual([5, false]);
    refuse();
    expect(await read(10)).toBe(4);
  });

  it("leaves its slots free for two seconds in about thirty while it shares, and never when it is alone", async () => {
    const longestGapMs = async (shares: boolean): Promise<{ longest: number; gaps: number }> => {
      const clock = createSimulatedClock();
      const limiter = new RateLimiter(
        clock,
        { maxConcurrentRequests: 1, requestsPerMinute: 1_000_000 },
        { random: randomFrom(1) },
      );
      const refuse = async () => {
        await clock.sleep(1);
        limiter.pauseFor(1000, clock.monotonicMs() - 1, true);
      };
      if (shares) for (let attempt = 0; attempt < 9; attempt++) await limiter.run(refuse);
      await limiter.run(async () => {});
      const fromMs = clock.monotonicMs();
      let [lastMs, longest, gaps] = [fromMs, 0, 0];
      while (lastMs - fromMs < 90_000) {
        await limiter.run(() => clock.sleep(500));
        const gapMs = clock.monotonicMs() - lastMs - 500;
        if (gapMs > 0) gaps++;
        longest = Math.max(longest, gapMs);
        lastMs = clock.monotonicMs();
      }
      return { longest, gaps };
    };
    expect(await longestGapMs(false)).toEqual({ longest: 0, gaps: 0 });
    const { longest, gaps } = await longestGapMs(true);
    expect(longest).toBe(2000);
    expect(gaps).toBeGreaterThanOrEqual(2);
    expect(gaps).toBeLessThanOrEqual(4);
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

  it("gives the slot back when a request fails", async () => {
    const limiter = new RateLimiter(createSimulatedClock(), {
      maxConcurrentRequests: 1,
      requestsPerMinute: 1000,
    });
    await expect(limiter.run(() => Promise.reject(new Error("cut")))).rejects.toThrow("cut");
    expect(await limiter.run(async () => "whole")).toBe("whole");
  });
});
