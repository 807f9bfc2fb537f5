import type { Stats } from "./stats.ts";

/** The service's two limits; each may be changed or switched off. */
export interface Limits {
  /** Requests answered at once. Default 5. */
  readonly concurrent?: number | false;
  /** Requests started in any 60 seconds. Default 1000. */
  readonly perMinute?: number | false;
}

/** The limits, and how much of them is in use. */
export interface Load extends Required<Limits> {
  readonly inFlight: number;
  /** Starts in the last 60 seconds that count towards the limit. 0 without a limit. */
  readonly startsInLastMinute: number;
}

const MINUTE_MS = 60_000;

/** Enforces both limits. A start exactly one minute ago no longer counts, and a refused request never does. */
export class LimitEnforcer {
  readonly #limits: Required<Limits>;
  /** The starts of the last minute, oldest first. */
  readonly #startsMs: number[] = [];
  /** Requests that are not answered yet, refused ones included. The service counts them. */
  inFlight = 0;

  constructor({ concurrent = 5, perMinute = 1_000 }: Limits) {
    this.#limits = { concurrent, perMinute };
  }

  /** How much of the limits is in use. */
  load(nowMs: number): Load {
    this.#forget(nowMs);
    return { ...this.#limits, inFlight: this.inFlight, startsInLastMinute: this.#startsMs.length };
  }

  /**
   * Decides about a request that starts now, is in flight, and is counted in `stats`. Undefined: it may be served.
   * Otherwise in how many seconds to try again.
   */
  admit(nowMs: number, stats: Stats): number | undefined {
    this.#forget(nowMs);
    const { concurrent, perMinute } = this.#limits;
    if (perMinute !== false && this.#startsMs.length >= perMinute) {
      stats.tooManyPerMinute += 1;
      const freeInMs = (this.#startsMs[0] ?? nowMs) + MINUTE_MS - nowMs;
      return Math.max(1, Math.ceil(freeInMs / 1_000));
    }
    if (concurrent !== false && this.inFlight > concurrent) {
      stats.tooManyConcurrent += 1;
      return 1;
    }
    if (perMinute !== false) this.#startsMs.push(nowMs);
    stats.maxStartsPerMinute = Math.max(stats.maxStartsPerMinute, this.#startsMs.length);
    return undefined;
  }

  #forget(nowMs: number): void {
    const kept = this.#startsMs.findIndex((startMs) => startMs > nowMs - MINUTE_MS);
    this.#startsMs.splice(0, kept < 0 ? this.#startsMs.length : kept);
  }
}
