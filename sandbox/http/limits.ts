/** The service's two limits; each may be changed or switched off. */
export interface Limits {
  /** Requests answered at once. Default 5. */
  readonly concurrent?: number | false;
  /** Requests started in any 60 seconds. Default 1000. */
  readonly perMinute?: number | false;
}

/** The limits, and how much of them is in use. */
export interface Load {
  readonly concurrent: number | false;
  readonly inFlight: number;
  readonly perMinute: number | false;
  /** Starts in the last 60 seconds that count towards the limit. 0 without a limit. */
  readonly startsInLastMinute: number;
}

/** Why a request is not served, and in how many seconds to try again. */
export interface Exceeded {
  readonly limit: "concurrent" | "perMinute";
  readonly waitSeconds: number;
}

const MINUTE_MS = 60_000;

/** Enforces both limits. A start exactly one minute ago no longer counts, and a refused request never does. */
export class LimitEnforcer {
  readonly #concurrent: number | false;
  readonly #perMinute: number | false;
  /** The starts of the last minute, oldest first. */
  #startsMs: number[] = [];

  constructor(limits: Limits | false) {
    const { concurrent = 5, perMinute = 1_000 } =
      limits === false ? { concurrent: false as const, perMinute: false as const } : limits;
    this.#concurrent = concurrent;
    this.#perMinute = perMinute;
  }

  /** How much of the limits is in use, with this many requests in flight. */
  load(nowMs: number, inFlight: number): Load {
    this.#forget(nowMs);
    const startsInLastMinute = this.#startsMs.length;
    return { concurrent: this.#concurrent, inFlight, perMinute: this.#perMinute, startsInLastMinute };
  }

  /** Decides about a request that starts now. `inFlight` includes the request itself. Undefined: it may be served. */
  admit(nowMs: number, inFlight: number): Exceeded | undefined {
    this.#forget(nowMs);
    if (this.#perMinute !== false && this.#startsMs.length >= this.#perMinute) {
      const freeInMs = (this.#startsMs[0] ?? nowMs) + MINUTE_MS - nowMs;
      return { limit: "perMinute", waitSeconds: Math.max(1, Math.ceil(freeInMs / 1_000)) };
    }
    if (this.#concurrent !== false && inFlight > this.#concurrent) {
      return { limit: "concurrent", waitSeconds: 1 };
    }
    if (this.#perMinute !== false) this.#startsMs.push(nowMs);
    return undefined;
  }

  #forget(nowMs: number): void {
    const kept = this.#startsMs.findIndex((startMs) => startMs > nowMs - MINUTE_MS);
    if (kept !== 0) this.#startsMs = kept < 0 ? [] : this.#startsMs.slice(kept);
  }
}
