import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRateLimiter, type Limits } from "../../../connector/core/client/rate-limiter.ts";
import { createSimulatedClock } from "../../simulation/clock.ts";

const START_MS = 1_000_000;
const MINUTE_MS = 60_000;

/** Runs `count` requests that each take as long as `tookMs` says, and gives the times they started and ended. */
async function run(limits: Limits, count: number, tookMs: (number: number) => number) {
  const clock = createSimulatedClock(START_MS);
  const governor = createRateLimiter(clock, limits);
  const started: number[] = [];
  const ended: number[] = [];
  let inFlight = 0;
  let widest = 0;
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      governor.run(async () => {
        started.push(clock.now() - START_MS);
        widest = Math.max(widest, ++inFlight);
        await clock.sleep(tookMs(number));
        inFlight--;
        ended.push(clock.now() - START_MS);
      }),
    ),
  );
  return { started, ended, widest };
}

describe("the governor", () => {
  it("never has more requests in flight, nor more starts in any minute, than the limits allow", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 40 }),
        async (maxConcurrentRequests, requestsPerMinute, tookMs) => {
          const { started, widest } = await run(
            { maxConcurrentRequests, requestsPerMinute },
            tookMs.length,
            (number) => tookMs[number]!,
          );
          expect(started).toHaveLength(tookMs.length);
          expect(widest).toBeLessThanOrEqual(maxConcurrentRequests);
          started.forEach((at, index) => {
            const inAMinute = started.slice(index).filter((other) => other < at + MINUTE_MS).length;
            expect(inAMinute).toBeLessThanOrEqual(requestsPerMinute);
          });
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("holds the minute for the service too, which may have counted a request at any time until it answered it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.double({ min: 0, max: 1, noNaN: true })), {
          minLength: 1,
          maxLength: 30,
        }),
        async (requestsPerMinute, script) => {
          const clock = createSimulatedClock(START_MS);
          const governor = createRateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute });
          const counted: number[] = [];
          await Promise.all(
            script.map(([tookMs, share]) =>
              governor.run(async () => {
                await clock.sleep(tookMs * share);
                counted.push(clock.now());
                await clock.sleep(tookMs * (1 - share));
              }),
            ),
          );
          for (const at of counted) {
            expect(
              counted.filter((other) => other >= at && other < at + MINUTE_MS).length,
            ).toBeLessThanOrEqual(requestsPerMinute);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it("lets a short sync run at full speed", async () => {
    const { started } = await run({ maxConcurrentRequests: 5, requestsPerMinute: 1000 }, 10, () => 100);
    expect(started).toEqual([0, 0, 0, 0, 0, 100, 100, 100, 100, 100]);
  });

  it("starts the next request the moment a minute after the oldest answer, not a fixed pace later", async () => {
    const { started } = await run({ maxConcurrentRequests: 5, requestsPerMinute: 2 }, 5, () => 1000);
    expect(started).toEqual([0, 0, 61_000, 61_000, 122_000]);
  });

  it("starts nothing before a pause is over, then one request at a time until the service answers again", async () => {
    const clock = createSimulatedClock(START_MS);
    const governor = createRateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 1000 });
    governor.pause(START_MS + 7000, START_MS - 1, false);
    const started: number[] = [];
    const request = (recovers: boolean) =>
      governor.run(async () => {
        started.push(clock.now() - START_MS);
        await clock.sleep(100);
        if (recovers) governor.recovered();
      });
    await Promise.all([request(false), request(true), request(true), request(true)]);
    expect(started).toEqual([7000, 7100, 7200, 7200]);
  });

  it("lowers its pace by a quarter for those in flight together, and gets it back by a tenth a minute", async () => {
    const clock = createSimulatedClock(START_MS);
    const governor = createRateLimiter(clock, { maxConcurrentRequests: 4, requestsPerMinute: 1000 });
    const widthNow = async (): Promise<number> => {
      let inFlight = 0;
      let widest = 0;
      await Promise.all(
        Array.from({ length: 8 }, () =>
          governor.run(async () => {
            widest = Math.max(widest, ++inFlight);
            await clock.sleep(1);
            inFlight--;
          }),
        ),
      );
      return widest;
    };
    expect(await widthNow()).toBe(4);
    const inFlightSinceMs = clock.now();
    await clock.sleep(10);
    governor.pause(clock.now(), inFlightSinceMs, true);
    governor.pause(clock.now(), inFlightSinceMs, true);
    governor.recovered();
    expect(await widthNow()).toBe(3);
    await clock.sleep(3 * MINUTE_MS);
    expect(await widthNow()).toBe(4);
  });

  it("never paces below a tenth, nor below one request at a time", async () => {
    const clock = createSimulatedClock(START_MS);
    const governor = createRateLimiter(clock, { maxConcurrentRequests: 5, requestsPerMinute: 100 });
    for (let pause = 0; pause < 50; pause++) {
      await clock.sleep(1);
      governor.pause(clock.now(), clock.now(), true);
    }
    governor.recovered();
    const started: number[] = [];
    await Promise.all(
      Array.from({ length: 12 }, () => governor.run(async () => void started.push(clock.now()))),
    );
    expect(started.filter((at) => at === started[0])).toHaveLength(10);
  });

  it("lets whoever no longer wants to ask leave the queue, and the others go on", async () => {
    const clock = createSimulatedClock(START_MS);
    const governor = createRateLimiter(clock, { maxConcurrentRequests: 1, requestsPerMinute: 1000 });
    const leaver = new AbortController();
    const order: string[] = [];
    const request = (name: string, signal?: AbortSignal) =>
      governor.run(async () => {
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
    const governor = createRateLimiter(createSimulatedClock(START_MS), {
      maxConcurrentRequests: 1,
      requestsPerMinute: 1000,
    });
    await expect(governor.run(() => Promise.reject(new Error("cut")))).rejects.toThrow("cut");
    expect(await governor.run(async () => "whole")).toBe("whole");
  });
});
