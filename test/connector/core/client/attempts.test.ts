import { type ErrorCode, RETRY_POLICIES, SurveyExportError } from "@survey-export/core";
import { describe, expect, it } from "vitest";
import { Attempts } from "../../../../connector/core/client/attempts.ts";
import { ServiceHistory } from "../../../../connector/core/client/service-history.ts";
import { say } from "../../../../connector/core/text/message.ts";

const HOUR_MS = 3_600_000;
const [ALL, FEW] = [Number.POSITIVE_INFINITY, 4];

const failure = (code: ErrorCode, pausedMs?: number) => ({
  error: new SurveyExportError("transient", code, say`No.`, { scope: "run" }),
  pausedMs,
});
const REFUSED = failure("rate_limited", 1000);
const FAILED = failure("no_answer");

/** A request of the sync that began at 0, and the service as others see it. */
function request(most: number, policy = RETRY_POLICIES.sync as { deadlineMs: number; attempts: number }) {
  let atMs = 0;
  const sleep = () => Promise.reject(new Error("attempts do not wait by themselves"));
  const history = new ServiceHistory({ now: () => atMs, monotonicMs: () => atMs, sleep });
  const failsAt = (ms: number, outcome = REFUSED, attempts = one) => {
    atMs = ms;
    if (outcome.error.code === "unavailable") history.toldToWait(false);
    const next = attempts.after(outcome, atMs);
    return typeof next === "number" ? next : next.scope;
  };
  const answerOther = (ms: number) => history.answered({ atMs: ms, wallMs: ms });
  const another = (limit: number) => new Attempts(history, policy, limit, atMs);
  const one = another(most);
  return { failsAt, answerOther, another, one };
}

describe("a request that is told to wait", () => {
  it.each([
    ["while others are answered", ALL, true, 2 * HOUR_MS - 1000, 1000],
    ["while others are answered", ALL, true, 2 * HOUR_MS - 999, "list"],
    ["alone", ALL, false, 9 * HOUR_MS, 1000],
    ["alone, as one of many,", FEW, false, 2 * HOUR_MS - 1000, 1000],
    ["alone, as one of many,", FEW, false, 2 * HOUR_MS - 999, "list"],
  ])("%s (attempts: %d; %s) until %i ms: %s", (_, most, isOtherAnswered, ms, expected) => {
    const { failsAt, answerOther } = request(most);
    expect(failsAt(0)).toBe(1000);
    if (isOtherAnswered) answerOther(1);
    expect([failsAt(HOUR_MS), failsAt(ms)]).toEqual([1000, expected]);
  });

  it.each([
    [0, 1000],
    [1, "list"],
  ])("counts only what others, sent %i ms later, are answered", (laterMs, expected) => {
    const { failsAt, answerOther } = request(ALL);
    failsAt(500);
    answerOther(500 + laterMs);
    expect(failsAt(2 * HOUR_MS)).toBe(expected);
  });

  it("has as many attempts as any other, once one was given up so", () => {
    const { failsAt, answerOther, another } = request(ALL);
    failsAt(0);
    answerOther(1);
    failsAt(2 * HOUR_MS);
    const next = another(ALL);
    const outcomes = Array.from({ length: 8 }, () => failsAt(2 * HOUR_MS, REFUSED, next));
    expect(outcomes).toEqual([...Array.from({ length: 7 }, () => 1000), "list"]);
  });

  it("waits more often than it may fail", () => {
    const { failsAt } = request(FEW);
    for (let time = 0; time < 10; time++) expect(failsAt(0)).toBe(1000);
  });

  it.each([
    [ALL, 2 * HOUR_MS - 1000, 1000],
    [ALL, 2 * HOUR_MS - 999, "run"],
    [FEW, 2 * HOUR_MS - 999, "run"],
  ])("by 503 alone (attempts: %d) until %i ms: %s", (most, ms, expected) => {
    const { failsAt } = request(most);
    const unavailable = failure("unavailable", 1000);
    expect([failsAt(0, unavailable), failsAt(ms, unavailable)]).toEqual([1000, expected]);
  });
});

describe("a request that fails", () => {
  it("waits longer each time, and as long as the service asks", () => {
    const { failsAt } = request(ALL);
    const error = new SurveyExportError("transient", "unavailable", say`No.`, { retryAfterMs: 2500 });
    const asking = { error, pausedMs: undefined };
    expect([failsAt(0, asking), failsAt(0, asking), failsAt(0, asking)]).toEqual([2500, 2500, 4000]);
  });

  it.each([
    ["eight times", ALL, FAILED, 8],
    ["as often as its caller says", FEW, FAILED, 4],
    ["half as often, if answers cannot be used", ALL, failure("broken_answer"), 4],
  ])("is given up like its list: %s", (_, most, outcome, times) => {
    const { failsAt } = request(most);
    for (let time = 1; time < times; time++) expect(failsAt(0, outcome)).toBeTypeOf("number");
    expect(failsAt(0, outcome)).toBe("list");
  });

  it.each([
    [9000, 1000],
    [9001, "run"],
  ])("at %i ms of 10,000: %s", (ms, expected) => {
    expect(request(ALL, RETRY_POLICIES.credentialTest).failsAt(ms, FAILED)).toBe(expected);
  });
});
