import { SharedLimit } from "./shared-limit.ts";

/** By rounds. In a round, each slot brings one answer. */
const WIDTH_GROWTH = { linear: 0.006, quadratic: 0.000003 };
/** By minutes at the present pace. */
const PER_MINUTE_GROWTH = { linear: 0, quadratic: 25 };

const KEPT_OF_OWN_STARTS = 0.9;
const LEAST_KEPT_OF_PER_MINUTE = 0.75;

/** What this process was using when the service refused a request. */
export interface Use {
  readonly nowMs: number;
  /** When the refused request started. */
  readonly startedMs: number;
  readonly inFlight: number;
  readonly startsInLastMinute: number;
}

/**
 * What this process may use of the allowance that it shares with processes it does not know. Two limits, lowered
 * and grown separately (see docs/decisions/2026-11-21-shared-allowance.md).
 *
 * A 429 does not say which limit was reached. A process uses about the same part of both when each has its fair
 * share, so the limit of which it uses the larger part is lowered. The estimate corrects itself: a wrong choice makes
 * the other part the larger one.
 */
export class SharedAllowance {
  readonly width: SharedLimit;
  readonly perMinute: SharedLimit;
  #loweredMs = Number.NEGATIVE_INFINITY;
  #refusalsInARow = 0;

  constructor(maxConcurrentRequests: number, requestsPerMinute: number) {
    this.width = new SharedLimit(maxConcurrentRequests, WIDTH_GROWTH);
    this.perMinute = new SharedLimit(requestsPerMinute, PER_MINUTE_GROWTH);
  }

  get lowered(): boolean {
    return this.width.lowered || this.perMinute.lowered;
  }

  /** Refusals since the last answer. Requests that were in flight together count as one. */
  get refusalsInARow(): number {
    return this.#refusalsInARow;
  }

  answered(): void {
    this.#refusalsInARow = 0;
    this.width.grow(1 / this.width.value);
    this.perMinute.grow(1 / this.perMinute.value);
  }

  /** Requests that were in flight together lower the allowance once. */
  refused(use: Use): void {
    if (use.startedMs <= this.#loweredMs) return;
    this.#loweredMs = use.nowMs;
    this.#refusalsInARow++;
    if (this.#minuteIsLikely(use)) this.#lowerPerMinute(use);
    else if (this.#refusalsInARow === 1) this.#lowerWidth();
  }

  /** A single request that is refused again and again makes the minute more likely: slots come free soon. */
  #minuteIsLikely({ inFlight, startsInLastMinute }: Use): boolean {
    const slots = this.#refusalsInARow > 1 ? this.width.value : Math.min(inFlight, this.width.value);
    const partOfSlots = slots / this.width.limit;
    const partOfMinute = startsInLastMinute / this.perMinute.limit;
    return partOfMinute * this.#refusalsInARow > partOfSlots;
  }

  /** At the moment of a refusal all own starts are what the others leave to us. One wrong guess costs a quarter. */
  #lowerPerMinute({ startsInLastMinute }: Use): void {
    this.perMinute.lowerTo(
      Math.max(KEPT_OF_OWN_STARTS * startsInLastMinute, LEAST_KEPT_OF_PER_MINUTE * this.perMinute.value),
    );
  }

  /**
   * The first refusal shows that others are there, and not how many: one slot suits up to five of them. Later ones
   * assume one process more than before: C / n becomes C / (n + 1).
   */
  #lowerWidth(): void {
    const { limit, value, lowered } = this.width;
    this.width.lowerTo(lowered ? (limit * value) / (limit + value) : 1);
  }
}
