import { describe, expect, it } from "vitest";
import { type SharedWorkspaceResult, shareWorkspace } from "./support/shared-workspace.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
/** 20,000 responses at 100 a page, and what the division into slices adds. */
const REQUESTS_EACH = 206;
const LATENCY_MS = 100;

const ratio = (values: readonly number[]): number => Math.max(...values) / Math.min(...values);
const refusedShare = ({ refused, answered }: SharedWorkspaceResult): number => refused / (refused + answered);
const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[(values.length - 1) / 2]!;

/** All in simulated time, with fixed seeds: the machine's speed changes nothing. */
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
      const options = { latencyMs: LATENCY_MS, retryAfter, networkMs: 1 };
      const one = await shareWorkspace({
        ...options,
        processes: 1,
        requestsEach: processes * REQUESTS_EACH,
        seed: 1,
      });
      const runs: SharedWorkspaceResult[] = [];
      for (const seed of SEEDS)
        runs.push(await shareWorkspace({ ...options, processes, requestsEach: REQUESTS_EACH, seed }));
      expect(median(runs.map(({ allMs }) => allMs / one.allMs))).toBeLessThanOrEqual(time);
      expect(median(runs.map(({ tookMs }) => ratio(tookMs)))).toBeLessThanOrEqual(fairness);
      expect(median(runs.map(refusedShare))).toBeLessThanOrEqual(0.02);
    },
  );

  it("use at least 85 % of the minute in the long run, four of them, and at most 4 % of requests are refused", async () => {
    const minutes = 10;
    const runs: SharedWorkspaceResult[] = [];
    for (const seed of SEEDS.slice(0, 5))
      runs.push(
        await shareWorkspace({
          processes: 4,
          requestsEach: Number.POSITIVE_INFINITY,
          latencyMs: LATENCY_MS,
          retryAfter,
          seed,
          untilMs: minutes * 60_000,
        }),
      );
    expect(Math.min(...runs.map(({ answered }) => answered / (minutes * 1000)))).toBeGreaterThanOrEqual(0.85);
    expect(Math.max(...runs.map(refusedShare))).toBeLessThanOrEqual(0.04);
    expect(median(runs.map(({ answeredEach }) => ratio(answeredEach)))).toBeLessThanOrEqual(2);
  });

  it("do not starve when they are eight, five slots are too few, and an answer takes half a second", async () => {
    for (const seed of SEEDS.slice(0, 5)) {
      const run = await shareWorkspace({
        processes: 8,
        requestsEach: Number.POSITIVE_INFINITY,
        latencyMs: 500,
        retryAfter,
        seed,
        untilMs: 20 * 60_000,
      });
      expect(run.longestWaitMs).toBeLessThan(8 * 60_000);
      expect(ratio(run.answeredEach)).toBeLessThan(4);
      expect(refusedShare(run)).toBeLessThan(0.1);
    }
  });
});

describe("a process alone in its workspace", () => {
  it("uses at least 98 % of the minute and is never refused", async () => {
    const minutes = 10;
    const run = await shareWorkspace({
      processes: 1,
      requestsEach: Number.POSITIVE_INFINITY,
      latencyMs: LATENCY_MS,
      retryAfter: false,
      seed: 1,
      untilMs: minutes * 60_000,
    });
    expect(run.refused).toBe(0);
    expect(run.answered / (minutes * 1000)).toBeGreaterThanOrEqual(0.98);
  });
});
