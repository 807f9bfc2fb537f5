import type { Clock } from "../ports.ts";

export interface Limits {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
}

/** The service's own limits, for the whole workspace. */
export const SERVICE_LIMITS: Limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };

const MINUTE_MS = 60_000;
const LOWEST_PACE = 0.1;

export class RateLimiter {
  readonly #clock: Clock;
  readonly #limits: Limits;
  #waiting: (() => void)[] = [];
  #finishedMs: number[] = [];
  #inFlight = 0;
  #pausedUntilMs = 0;
  #probing = false;
  #pace = 1;
  #paceChangedMs = Number.NEGATIVE_INFINITY;
  #alarm: AbortController | undefined;

  constructor(clock: Clock, limits: Limits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get maxConcurrentRequests(): number {
    return this.#limits.maxConcurrentRequests;
  }

  get lowered(): boolean {
    return this.#pace < 1;
  }

  async run<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      return await send();
    } finally {
      this.#inFlight--;
      this.#finishedMs.push(this.#clock.monotonicMs());
      this.#admit();
    }
  }

  pauseFor(ms: number, startedMs: number, rateLimited: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + ms);
    this.#probing = true;
    if (rateLimited && startedMs > this.#paceChangedMs) {
      this.#pace = Math.max(LOWEST_PACE, this.#currentPace(nowMs) * 0.75);
      this.#paceChangedMs = nowMs;
    }
    this.#admit();
  }

  recovered(): void {
    if (!this.#probing) return;
    this.#probing = false;
    this.#admit();
  }

  #charged(nowMs: number): number {
    let at = 0;
    while (at < this.#finishedMs.length && this.#finishedMs[at]! <= nowMs - MINUTE_MS) at++;
    if (at > 0) this.#finishedMs.splice(0, at);
    return this.#inFlight + this.#finishedMs.length;
  }

  #currentPace(nowMs: number): number {
    const minutes = Math.floor((nowMs - this.#paceChangedMs) / MINUTE_MS);
    if (this.#pace < 1 && minutes > 0) {
      this.#pace = Math.min(1, this.#pace + 0.1 * minutes);
      this.#paceChangedMs += minutes * MINUTE_MS;
    }
    return this.#pace;
  }

  #admit(): void {
    this.#alarm?.abort();
    this.#alarm = undefined;
    while (this.#waiting.length > 0) {
      const nowMs = this.#clock.monotonicMs();
      const factor = this.#currentPace(nowMs);
      const scaled = (limit: number): number => Math.max(1, Math.floor(limit * factor + 1e-9));
      if (this.#inFlight >= (this.#probing ? 1 : scaled(this.#limits.maxConcurrentRequests))) return;
      if (nowMs < this.#pausedUntilMs) return this.#wakeAt(this.#pausedUntilMs);
      if (this.#charged(nowMs) >= scaled(this.#limits.requestsPerMinute)) {
        const oldest = this.#finishedMs[0];
        if (oldest !== undefined) this.#wakeAt(oldest + MINUTE_MS);
        return;
      }
      this.#inFlight++;
      this.#waiting.shift()!();
    }
  }

  #wakeAt(atMs: number): void {
    this.#alarm = new AbortController();
    this.#clock.sleep(Math.max(0, atMs - this.#clock.monotonicMs()), this.#alarm.signal).then(
      () => this.#admit(),
      () => {},
    );
  }

  #enter(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal!.reason);
        this.#admit();
      };
      const start = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(start);
      this.#admit();
    });
  }
}
