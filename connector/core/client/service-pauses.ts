import type { Clock } from "../ports.ts";
import { asksAtMs } from "./opening.ts";
import type { SharedWidth } from "./shared-width.ts";

/** A pause is up to so much longer, so that processes do not come back together. */
const PAUSE_JITTER = 0.2;

/** How much longer all requests wait for the service, and whether because of a 429 (or a 503). */
export interface ServicePause {
  readonly remainingMs: number;
  readonly rateLimited: boolean;
}

/** The pauses that the service asks for (429, 503). After one, requests are sent one at a time, until one is not asked to wait. */
export class ServicePauses {
  /** When the last one ends, by the monotonic clock. */
  untilMs = Number.NEGATIVE_INFINITY;
  /** Whether all replies since it began were the wish to wait. */
  isProbing = false;
  #isRateLimited = false;
  readonly #clock: Clock;
  readonly #width: SharedWidth;
  readonly #random: () => number;

  constructor(clock: Clock, width: SharedWidth, random: () => number) {
    this.#clock = clock;
    this.#width = width;
    this.#random = random;
  }

  /** The pause that is on, if there is one. */
  get current(): ServicePause | undefined {
    const remainingMs = this.untilMs - this.#clock.monotonicMs();
    return remainingMs > 0 ? { remainingMs, rateLimited: this.#isRateLimited } : undefined;
  }

  /** See `RateLimiter.pauseFor`. */
  begin(ms: number | undefined, startedMs: number, rateLimited: boolean): number {
    const nowMs = this.#clock.monotonicMs();
    const ownMs = rateLimited ? this.#width.refused(nowMs, startedMs) : 0;
    const leastMs = Math.max(ms ?? 0, ownMs) * (1 + PAUSE_JITTER * this.#random());
    const wallMs = this.#clock.now();
    const pauseMs = rateLimited ? asksAtMs(wallMs + leastMs, this.#random()) - wallMs : leastMs;
    this.isProbing = true;
    this.#isRateLimited = rateLimited;
    this.untilMs = Math.max(this.untilMs, nowMs + pauseMs);
    return this.untilMs - nowMs;
  }
}
