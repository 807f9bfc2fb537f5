import { type ErrorCode, RETRY_POLICIES, SurveyExportError } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Attempts, type Patience } from "../../../../connector/core/client/attempts.ts";
import type { RetryPolicy } from "../../../../connector/core/client/retry-policy.ts";
import { type Failure, ServiceHistory } from "../../../../connector/core/client/service-history.ts";
import { say } from "../../../../connector/core/text/message.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const failure = (code: ErrorCode, pausedMs?: number, kind: "transient" | "config" = "transient") => ({
  error: new SurveyExportError(kind, code, say`No.`, { scope: "run" }),
  pausedMs,
});
const TOLD_TO_WAIT = failure("rate_limited", 1000);
const FAILED = failure("no_answer");

/** A request of the sync that began at 0, and the service as others see it. */
function request(patience: Patience = {}, policy: RetryPolicy = RETRY_POLICIES.sync) {
  let atMs = 0;
  const sleep = () => Promise.reject(new Error("attempts do not wait by themselves"));
  const history = new ServiceHistory({ now: () => atMs, monotonicMs: () => atMs, sleep });
  const one = new Attempts(history, policy, patience, atMs);
  const failsAt = (ms: number, outcome: Failure = FAILED) => {
    atMs = ms;
    if (outcome.pausedMs === undefined) history.replied();
    else history.askedToWait();
    const next = one.after(outcome, atMs);
    return typeof next === "number" ? next : next.scope;
  };
  /** Another request gets a page, or the reply that nothing is there. */
  const replyToOther = (ms: number, outcome?: Failure) => {
    atMs = ms;
    history.replied();
    history.remember(outcome);
  };
  return { failsAt, replyToOther, one };
}

describe("a request that is told to wait", () => {
  it.each([
    [10 * MINUTE_MS - 1, false, 1000],
    [10 * MINUTE_MS, true, "list"],
  ])("until %i ms is in doubt: %j. If another gets a reply then: %s", (ms, isInDoubt, expected) => {
    const { failsAt, replyToOther, one } = request();
    failsAt(0, TOLD_TO_WAIT);
    expect(failsAt(ms, TOLD_TO_WAIT)).toBe(1000);
    expect(one.isInDoubt).toBe(isInDoubt);
    replyToOther(ms + 1);
    expect(failsAt(ms + 2, TOLD_TO_WAIT)).toBe(expected);
  });

  it("is not judged by replies from before it was told so last: by then, all may have to wait", () => {
    const { failsAt, replyToOther } = request();
    failsAt(0, TOLD_TO_WAIT);
    replyToOther(1);
    for (const ms of [2, HOUR_MS, HOUR_MS + 1]) expect(failsAt(ms, TOLD_TO_WAIT)).toBe(1000);
  });

  it("counts replies to others since then, and since another failure of its own", () => {
    const { failsAt, replyToOther } = request();
    replyToOther(0);
    failsAt(1, TOLD_TO_WAIT);
    expect(failsAt(HOUR_MS, TOLD_TO_WAIT)).toBe(1000);
    replyToOther(HOUR_MS + 1);
    failsAt(HOUR_MS + 2);
    failsAt(HOUR_MS + 3, TOLD_TO_WAIT);
    expect(failsAt(HOUR_MS + 4, TOLD_TO_WAIT)).toBe(1000);
  });

  it.each([
    [2 * HOUR_MS - 1000, 1000],
    [2 * HOUR_MS - 999, "run"],
  ])("with all others, until %i ms: %s", (ms, expected) => {
    const { failsAt } = request({ attempts: 4 });
    for (let time = 0; time < 10; time++) expect(failsAt(0, TOLD_TO_WAIT)).toBe(1000);
    expect(failsAt(ms, TOLD_TO_WAIT)).toBe(expected);
  });
});

describe("a request that fails", () => {
  it("waits longer each time, and as long as the service asks", () => {
    const { failsAt } = request();
    const error = new SurveyExportError("transient", "unavailable", say`No.`, { retryAfterMs: 2500 });
    expect([failsAt(0, { error }), failsAt(0, { error }), failsAt(0, { error })]).toEqual([2500, 2500, 4000]);
  });

  it.each<[string, Patience, Failure, number, Failure | undefined | null]>([
    ["eight times", {}, FAILED, 8, null],
    ["as often as its caller says", { attempts: 4 }, FAILED, 4, null],
  ])("is given up like its list: %s", (_, patience, outcome, times, other) => {
    const { failsAt, replyToOther } = request(patience);
    if (other !== null) replyToOther(1, other);
    for (let time = 1; time < times; time++) expect(failsAt(2, outcome)).toBeTypeOf("number");
    expect(failsAt(2, outcome)).toBe("list");
  });

  it.each([
    [9000, 1000],
    [9001, "run"],
  ])("at %i ms of 10,000: %s", (ms, expected) => {
    expect(request({}, RETRY_POLICIES.credentialTest).failsAt(ms)).toBe(expected);
  });
});

describe("a refused key", () => {
  it("(401) is final once three other replies in a row refuse it", () => {
    const { failsAt, replyToOther } = request();
    replyToOther(0);
    for (let time = 0; time < 2; time++) replyToOther(1, UNAUTHORIZED);
    expect(failsAt(2, UNAUTHORIZED)).toBe(1000);
    replyToOther(3, UNAUTHORIZED);
    expect(failsAt(4, UNAUTHORIZED)).toBe("run");
  });

  const UNAUTHORIZED = failure("unauthorized", undefined, "config");
  const FORBIDDEN = failure("forbidden", undefined, "config");
  it.each<[string, Failure, number]>([
    ["(401) is asked for three times", UNAUTHORIZED, 3],
    ["(403) is final", FORBIDDEN, 1],
  ])("%s, and is a verdict on the run", (_, outcome, times) => {
    const { failsAt } = request();
    for (let time = 1; time < times; time++) expect(failsAt(0, outcome)).toBe(1000 * time);
    expect(failsAt(0, outcome)).toBe("run");
  });
});

it("a request that was under way for long before it failed is not sent again, if the policy says so", () => {
  const policy = { ...RETRY_POLICIES.sync, longestRepeatedMs: 5_000 };
  const failing = (tookMs: number) => request({}, policy).failsAt(20_000, { ...FAILED, tookMs });
  expect([failing(4_999), failing(5_000)]).toEqual([1_000, "list"]);
  expect(request().failsAt(60_000, { ...FAILED, tookMs: 60_000 })).toBe(1_000);
});
