import type { SurveyExportError } from "../errors.ts";
import { backoffMs, gaveUp, LONGEST_MAINTENANCE_MS, type RetryPolicy } from "./retry-policy.ts";
import type { Failure, ServiceHistory } from "./service-history.ts";

/**
 * The attempts of one request, and what follows when one fails for a time.
 *
 * A request that is told to wait (429, 503) for two hours fails like its list if others, sent later, are answered. From
 * then on each such answer is an attempt. If no other is answered, a 503 of two hours is the whole service's and ends the
 * sync, and a 429 is waited out. A request whose caller limits its attempts is one of many that may hold all slots, so
 * that no other can be answered: a 429 of two hours ends it in any case.
 */
export class Attempts {
  /** When the time of the request is over, by the monotonic clock. */
  readonly deadlineMs: number;
  failures = 0;
  readonly #history: ServiceHistory;
  readonly #startedMs: number;
  readonly #isOneOfMany: boolean;
  #remaining: number;
  /** When it was first told to wait, counted anew as long as no other request was answered since. */
  #singledOutMs = Number.POSITIVE_INFINITY;

  /** `most`: the caller's limit; the policy's holds if that is lower. `nowMs`, here and below: by the monotonic clock. */
  constructor(history: ServiceHistory, policy: RetryPolicy, most: number, nowMs: number) {
    this.deadlineMs = nowMs + policy.deadlineMs;
    this.#history = history;
    this.#startedMs = nowMs;
    this.#isOneOfMany = most < Infinity;
    this.#remaining = Math.min(most, policy.attempts);
  }

  /** @returns how long to wait before the next attempt, or the error of a request that is given up */
  after({ error, pausedMs }: Failure, nowMs: number): number | SurveyExportError {
    const history = this.#history;
    if (pausedMs !== undefined && !this.#isSingledOutSince(this.#singledOutMs)) this.#singledOutMs = nowMs;
    const isSingledOut = this.#isSingledOutSince(Math.min(this.#singledOutMs, history.gaveUpSingledOutMs));
    if (pausedMs === undefined || (isSingledOut && history.gaveUpSingledOutMs < Infinity)) {
      this.failures++;
      this.#remaining -= error.code === "broken_answer" ? 2 : 1;
    }
    const waitMs = pausedMs ?? Math.max(error.retryAfterMs ?? 0, backoffMs(this.failures));
    const nextMs = nowMs + waitMs;
    if (isSingledOut && nextMs - this.#singledOutMs > LONGEST_MAINTENANCE_MS) {
      this.#remaining = 0;
      history.gaveUpSingledOutMs = this.#singledOutMs;
    }
    const isDown = history.isDownAt(nextMs);
    if (this.#remaining > 0 && !isDown && nextMs <= this.deadlineMs) return waitMs;
    const failure = gaveUp(error, this.failures, nowMs - this.#startedMs);
    return this.#remaining <= 0 && !isDown ? failure.ofList() : failure;
  }

  #isSingledOutSince(sinceMs: number): boolean {
    return this.#isOneOfMany ? sinceMs < Infinity : this.#history.answeredMs > sinceMs;
  }
}
