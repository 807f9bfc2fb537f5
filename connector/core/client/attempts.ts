import type { SurveyExportError } from "../errors.ts";
import { backoffMs, gaveUp, type RetryPolicy } from "./retry-policy.ts";
import type { Failure, ServiceHistory } from "./service-history.ts";

/** What the caller of a request knows: without it, a request is sent as often as the retry policy says. */
export interface Patience {
  /** How often it is sent at most, if that is less than the retry policy allows. */
  readonly attempts?: number | undefined;
}

/**
 * A refused key may be the mistake of one reply: so many refusals in a row, of any requests or of this one, are a verdict.
 * Without the others': an n8n execution whose key is wrong asks three times for each item, 15 times instead of 5.
 */
const REFUSALS_OF_A_KEY = 3;
/** A request that is asked to wait for so long fails by itself if other requests get a page or a refusal meanwhile. */
const SINGLED_OUT_MS = 600_000;

/**
 * The attempts of one request, and what follows when one fails.
 *
 * A request that is asked to wait (429, 503) waits with all others. If others get a page or a refusal meanwhile, it is given up
 * after ten minutes. If all are asked to wait for two hours, the sync ends. Without this: a survey whose reply is always 503 ends the
 * sync, and nothing is read of those that come after it.
 */
export class Attempts {
  /** When the time of the request is over, by the monotonic clock. */
  readonly deadlineMs: number;
  failures = 0;
  readonly #history: ServiceHistory;
  readonly #startedMs: number;
  readonly #most: number;
  readonly #longestRepeatedMs: number;
  /** Since when it is asked to wait, and nothing else; and when it was asked last. */
  #wait: { readonly sinceMs: number; readonly askedMs: number } | undefined;

  /** `nowMs`, here and below: by the monotonic clock. */
  constructor(history: ServiceHistory, policy: RetryPolicy, patience: Patience, nowMs: number) {
    this.deadlineMs = nowMs + policy.deadlineMs;
    this.#history = history;
    this.#startedMs = nowMs;
    this.#most = Math.min(patience.attempts ?? Infinity, policy.attempts);
    this.#longestRepeatedMs = policy.longestRepeatedMs ?? Infinity;
  }

  /** Whether it was asked to wait for so long that only a reply to another request, from now on, says whether all have to. */
  get isInDoubt(): boolean {
    return this.#wait !== undefined && this.#wait.askedMs - this.#wait.sinceMs >= SINGLED_OUT_MS;
  }

  /** @returns how long to wait before the next attempt, or the error of a request that is given up */
  after({ error, pausedMs, tookMs = 0 }: Failure, nowMs: number): number | SurveyExportError {
    const isRefused = error.code === "unauthorized";
    if (error.kind !== "transient" && !isRefused) return error;
    const [before, wasInDoubt] = [this.#wait, this.isInDoubt];
    this.#wait = pausedMs === undefined ? undefined : { sinceMs: before?.sinceMs ?? nowMs, askedMs: nowMs };
    if (pausedMs === undefined) this.failures++;
    const waitMs = pausedMs ?? Math.max(error.retryAfterMs ?? 0, backoffMs(this.failures));
    const nextMs = nowMs + waitMs;
    const isOver =
      this.failures >= this.#most ||
      tookMs >= this.#longestRepeatedMs ||
      (isRefused && Math.max(this.failures, this.#history.refusalsOfKey) >= REFUSALS_OF_A_KEY) ||
      (this.#wait && before && wasInDoubt && this.#history.repliedMs > before.askedMs);
    const isDown = this.#history.isDownAt(nextMs);
    if (!isOver && !isDown && nextMs <= this.deadlineMs) return waitMs;
    const failure = gaveUp(error, this.failures, nowMs - this.#startedMs);
    return isOver && !isDown && !isRefused ? failure.ofList() : failure;
  }
}
