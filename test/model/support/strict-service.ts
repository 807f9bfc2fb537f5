import type { Clock } from "@survey-export/core";

const MINUTE_MS = 60_000;

export interface StrictServiceOptions {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
  /** How long an answer takes, once the request is there. Varies by a tenth up and down. */
  readonly latencyMs: number;
  /** How long a request or an answer is on its way. Varies by half up and down. */
  readonly networkMs: number;
  readonly retryAfter: boolean;
  readonly random: () => number;
}

export type StrictAnswer = { readonly refused: false } | { readonly refused: true; readonly waitMs?: number };

/** Refuses each request above either limit at once, and answers all others. Has no content. */
export class StrictService {
  readonly #clock: Clock;
  readonly #options: StrictServiceOptions;
  readonly #startsMs: number[] = [];
  #inMinuteFrom = 0;
  #inFlight = 0;
  #busyMs = 0;
  #answered = 0;
  #refused = 0;

  constructor(clock: Clock, options: StrictServiceOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  get answered(): number {
    return this.#answered;
  }

  get refused(): number {
    return this.#refused;
  }

  /** Time spent on answers, all slots together. */
  get busyMs(): number {
    return this.#busyMs;
  }

  async answer(): Promise<StrictAnswer> {
    const { latencyMs, networkMs, random } = this.#options;
    await this.#clock.sleep(networkMs * (0.5 + random()));
    const refusal = this.#refusal();
    if (refusal === undefined) {
      const tookMs = latencyMs * (0.9 + 0.2 * random());
      this.#inFlight++;
      this.#startsMs.push(this.#clock.monotonicMs());
      await this.#clock.sleep(tookMs);
      this.#inFlight--;
      this.#answered++;
      this.#busyMs += tookMs;
    }
    await this.#clock.sleep(networkMs * (0.5 + random()));
    return refusal ?? { refused: false };
  }

  #refusal(): StrictAnswer | undefined {
    const { maxConcurrentRequests, requestsPerMinute, retryAfter } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    while ((this.#startsMs[this.#inMinuteFrom] ?? nowMs) + MINUTE_MS <= nowMs) this.#inMinuteFrom++;
    const minuteIsFull = this.#startsMs.length - this.#inMinuteFrom >= requestsPerMinute;
    if (!minuteIsFull && this.#inFlight < maxConcurrentRequests) return undefined;
    this.#refused++;
    if (!retryAfter) return { refused: true };
    const freeMs = minuteIsFull ? this.#startsMs[this.#inMinuteFrom]! + MINUTE_MS - nowMs : 0;
    return { refused: true, waitMs: Math.max(1, Math.ceil(freeMs / 1000)) * 1000 };
  }
}
