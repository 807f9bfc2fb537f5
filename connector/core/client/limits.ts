export interface Limits {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
}

/** The service's own limits, for the whole workspace. No other number of requests at once is higher. */
export const SERVICE_LIMITS: Limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };

/** What is used unless the user sets something else: a tenth of the minute stays free for other programs. */
export const DEFAULT_LIMITS: Limits = { ...SERVICE_LIMITS, requestsPerMinute: 900 };

const MINUTE_MS = 60_000;

/**
 * The starts that the service may count at one time in any 60 seconds. A start counts until 60 seconds after its
 * reply: the service saw the request at an unknown time between the two, so the service never counts more.
 */
export class StartWindow {
  inFlight = 0;
  readonly #repliedMs: number[] = [];

  start(): void {
    this.inFlight++;
  }

  end(nowMs: number): void {
    this.inFlight--;
    this.#repliedMs.push(nowMs);
  }

  /** How many starts the minute up to `nowMs` holds. */
  count(nowMs: number): number {
    const first = this.#repliedMs.findIndex((repliedMs) => repliedMs + MINUTE_MS > nowMs);
    this.#repliedMs.splice(0, first < 0 ? this.#repliedMs.length : first);
    return this.inFlight + this.#repliedMs.length;
  }

  /** When time alone frees the next start. Undefined while only requests in flight count. */
  nextFreeMs(): number | undefined {
    const [oldest] = this.#repliedMs;
    return oldest === undefined ? undefined : oldest + MINUTE_MS;
  }
}
