/** The service's two limits; each may be changed or switched off. */
export interface Limits {
  /** Requests answered at once. Default 5. */
  readonly concurrent?: number | false;
  /** Requests started in any 60 seconds. Default 1000. */
  readonly perMinute?: number | false;
}

const MINUTE_MS = 60_000;

/** The starts of the last minute, oldest first. A start exactly one minute ago no longer counts. */
export class MinuteWindow {
  #starts: number[] = [];
  #from = 0;

  /** How many requests started in the minute up to `nowMs`. */
  count(nowMs: number): number {
    while ((this.#starts[this.#from] ?? Infinity) <= nowMs - MINUTE_MS) this.#from += 1;
    if (this.#from > 4_096 && this.#from * 2 > this.#starts.length) {
      this.#starts = this.#starts.slice(this.#from);
      this.#from = 0;
    }
    return this.#starts.length - this.#from;
  }

  add(nowMs: number): void {
    this.#starts.push(nowMs);
  }

  /** When the oldest start leaves the window. */
  freeAtMs(): number | undefined {
    const oldest = this.#starts[this.#from];
    return oldest === undefined ? undefined : oldest + MINUTE_MS;
  }
}

/** The limits, and how much of them is in use. */
export interface Load {
  readonly concurrent: number | false;
  readonly inFlight: number;
  readonly perMinute: number | false;
  /** Starts in the last 60 seconds that count towards the limit. 0 without a limit. */
  readonly startsInLastMinute: number;
}

/** Whether a request may be served, and if not, when to try again. */
export type Admission =
  | { readonly admitted: true }
  | {
      readonly admitted: false;
      readonly againAtMs: number;
      readonly exceeded: "concurrent" | "perMinute" | "blocked";
    };

/** Enforces both limits. */
export class LimitEnforcer {
  readonly #concurrent: number;
  readonly #perMinute: number;
  readonly #blockMs: number;
  readonly #refusedCount: boolean;
  readonly #window = new MinuteWindow();
  #blockedUntilMs = -Infinity;

  constructor(limits: Limits | false, blockMs: number, refusedCount: boolean) {
    const { concurrent = 5, perMinute = 1_000 } =
      limits === false ? { concurrent: false, perMinute: false } : limits;
    this.#concurrent = concurrent === false ? Infinity : Number(concurrent);
    this.#perMinute = perMinute === false ? Infinity : Number(perMinute);
    this.#blockMs = blockMs;
    this.#refusedCount = refusedCount;
  }

  /** How much of the limits is in use, with this many requests in flight. */
  load(nowMs: number, inFlight: number): Load {
    const orFalse = (limit: number): number | false => (limit === Infinity ? false : limit);
    return {
      concurrent: orFalse(this.#concurrent),
      inFlight,
      perMinute: orFalse(this.#perMinute),
      startsInLastMinute: this.#window.count(nowMs),
    };
  }

  /** Decides about a request that starts now. `inFlight` includes the request itself. */
  admit(nowMs: number, inFlight: number): Admission {
    const full = this.#perMinute !== Infinity && this.#window.count(nowMs) >= this.#perMinute;
    const admitted = !full && inFlight <= this.#concurrent && nowMs >= this.#blockedUntilMs;
    if (this.#perMinute !== Infinity && (admitted || this.#refusedCount)) this.#window.add(nowMs);
    if (admitted) return { admitted };
    const exceeded = full ? "perMinute" : inFlight > this.#concurrent ? "concurrent" : "blocked";
    if (nowMs >= this.#blockedUntilMs) this.#blockedUntilMs = nowMs + this.#blockMs;
    const freeAtMs = full ? (this.#window.freeAtMs() ?? nowMs) : nowMs;
    return { admitted, exceeded, againAtMs: Math.max(this.#blockedUntilMs, freeAtMs) };
  }
}
