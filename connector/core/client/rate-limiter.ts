import type { Clock } from "../ports.ts";
import { SharedWidth } from "./shared-width.ts";

export interface Limits {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
}

/** The service's own limits, for the whole workspace. */
export const SERVICE_LIMITS: Limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };

/** What is used unless the user sets something else: a tenth of the minute stays free for other programs. */
export const DEFAULT_LIMITS: Limits = { ...SERVICE_LIMITS, requestsPerMinute: 900 };

export interface RateLimiterOptions {
  /**
   * A number from 0 up to and without 1, such as `Math.random`. Default: always 0, for tests with exact times.
   * Processes that share a workspace need a random one, else they collide in step.
   */
  readonly random?: () => number;
}

const FIRST_SLOTS = 2;
const PAUSE_JITTER = 0.2;
const REST_MS = 2000;
const REST_EVERY_MS = 30_000;

interface Waiter {
  start(): void;
}

/**
 * Keeps all requests with one key to one service within the service's limits: never more than `maxConcurrentRequests`
 * in flight, never more than `requestsPerMinute` starts in any 60 seconds, as the service counts them. One object
 * serves all clients of a process that use the same base URL and key.
 *
 * The minute is a sliding window, so a short sync runs at full speed. After a 429 the limiter uses fewer slots
 * (`SharedWidth`), because other processes share the workspace. Until it has all of them again, it starts nothing for
 * two seconds in about thirty. Without that, those who hold the slots hold them for ever: a slot is free only for a
 * moment between two requests.
 *
 * Waits and windows use monotonic time only: a wall clock that is corrected changes nothing.
 */
export class RateLimiter {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #window = new StartWindow();
  readonly #width: SharedWidth;
  readonly #waiting: Waiter[] = [];
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #pausedByRateLimit = false;
  #probing = false;
  #answers = 0;
  #restAtMs = Number.POSITIVE_INFINITY;
  #restEndsMs = Number.NEGATIVE_INFINITY;
  #alarm: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(clock: Clock, limits: Limits, { random = () => 0 }: RateLimiterOptions = {}) {
    this.#clock = clock;
    this.#random = random;
    this.requestsPerMinute = Math.floor(limits.requestsPerMinute);
    this.#width = new SharedWidth(limits.maxConcurrentRequests);
    this.maxConcurrentRequests = limits.maxConcurrentRequests;
  }

  /** Whether fewer requests than configured run at once, because the service refused some. */
  get lowered(): boolean {
    return this.#width.lowered;
  }

  /** The pause that the service asked for, if one is on: how much longer, and whether by 429 (or 503). */
  get pause(): { readonly remainingMs: number; readonly rateLimited: boolean } | undefined {
    const remainingMs = this.#pausedUntilMs - this.#clock.monotonicMs();
    return remainingMs > 0 ? { remainingMs, rateLimited: this.#pausedByRateLimit } : undefined;
  }

  /** Requests that were answered in the last 60 seconds, or are under way. */
  get requestsInLastMinute(): number {
    return this.#window.count(this.#clock.monotonicMs());
  }

  /** How long until the minute's allowance lets the next request start; undefined if none waits for it. */
  get allowanceWaitMs(): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    const isPaused = nowMs < this.#pausedUntilMs;
    if (this.#waiting.length === 0 || isPaused || !this.#isMinuteUsedUp(nowMs)) return undefined;
    return Math.max(0, (this.#window.nextFreeMs() ?? nowMs) - nowMs);
  }

  /** Runs `send` when both limits allow it. Rejects with the signal's reason when that is aborted first. */
  async run<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#admission(signal);
    try {
      return await send();
    } finally {
      this.#window.end(this.#clock.monotonicMs());
      this.#admit();
    }
  }

  /**
   * Stops all starts for at least `ms`: the service's `Retry-After`, or the first wait of the retry policy. Then one
   * request at a time asks whether the service answers again. Call it before the `send` that was refused settles.
   * `startedMs` is the monotonic time at which the refused request started: requests that were in flight together
   * lower the width once. `rateLimited`: a 429, as opposed to a 503.
   *
   * Repeated 429s make the pause longer, up to 16 seconds, unless `ms` is more. A random part of up to a fifth comes
   * on top. Returns how long the pause lasts.
   */
  pauseFor(ms: number | undefined, startedMs: number, rateLimited: boolean): number {
    const nowMs = this.#clock.monotonicMs();
    if (rateLimited) this.#width.refused(nowMs, startedMs);
    const leastMs = Math.max(ms ?? 0, rateLimited ? this.#width.waitMs : 0);
    const pauseMs = leastMs * (1 + PAUSE_JITTER * this.#random());
    this.#probing = true;
    this.#pausedByRateLimit = rateLimited;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
    this.#planRest(this.#pausedUntilMs);
    this.#admit();
    return this.#pausedUntilMs - nowMs;
  }

  /** Call it for every normal answer. It ends the probing after a pause, and a lowered width grows. */
  recovered(): void {
    this.#answers++;
    this.#width.answered();
    if (!this.#probing) return;
    this.#probing = false;
    this.#admit();
  }

  #planRest(afterMs: number): void {
    this.#restAtMs = afterMs + REST_EVERY_MS * (0.75 + 0.5 * this.#random());
  }

  /** How many requests may be in flight. The first requests of a process start carefully: others may be there. */
  get #slots(): number {
    return this.#probing ? 1 : Math.min(this.#width.slots, FIRST_SLOTS + this.#answers);
  }

  /** Starts the requests that may start now and sets an alarm for the time at which time alone frees the next. */
  #admit(): void {
    while (this.#waiting.length > 0) {
      const nowMs = this.#clock.monotonicMs();
      const waitUntilMs = this.#blockedUntilMs(nowMs);
      if (waitUntilMs !== undefined) {
        if (waitUntilMs < Number.POSITIVE_INFINITY) this.#wakeAt(waitUntilMs);
        return;
      }
      this.#window.start();
      this.#waiting.shift()?.start();
    }
    this.#stopAlarm();
  }

  /** Undefined: a request may start. Infinity: only an event, such as an answer, can free the next. */
  #blockedUntilMs(nowMs: number): number | undefined {
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs;
    if (this.#window.inFlight >= this.#slots) return Number.POSITIVE_INFINITY;
    if (this.#isResting(nowMs)) return this.#restEndsMs;
    if (!this.#isMinuteUsedUp(nowMs)) return undefined;
    return this.#window.nextFreeMs() ?? Number.POSITIVE_INFINITY;
  }

  #isResting(nowMs: number): boolean {
    if (this.lowered && nowMs >= this.#restAtMs) {
      this.#restEndsMs = nowMs + REST_MS;
      this.#planRest(this.#restEndsMs);
    }
    return nowMs < this.#restEndsMs;
  }

  #isMinuteUsedUp(nowMs: number): boolean {
    return this.#window.count(nowMs) >= this.requestsPerMinute;
  }

  #wakeAt(atMs: number): void {
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.stop.abort();
    const alarm = { atMs, stop: new AbortController() };
    this.#alarm = alarm;
    const waitMs = Math.max(0, atMs - this.#clock.monotonicMs());
    this.#clock.sleep(waitMs, alarm.stop.signal).then(
      () => {
        if (this.#alarm === alarm) this.#alarm = undefined;
        this.#admit();
      },
      () => {},
    );
  }

  #admission(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal?.reason);
        this.#admit();
      };
      const waiter: Waiter = {
        start() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  /** An alarm that nobody waits for must not keep the process alive. */
  #stopAlarm(): void {
    this.#alarm?.stop.abort();
    this.#alarm = undefined;
  }
}

const MINUTE_MS = 60_000;

/**
 * The starts that the service may count at one time in any 60 seconds. A start counts until 60 seconds after its
 * answer: the service saw the request at an unknown time between the two, so the service never counts more.
 */
class StartWindow {
  inFlight = 0;
  readonly #answeredMs: number[] = [];

  start(): void {
    this.inFlight++;
  }

  end(nowMs: number): void {
    this.inFlight--;
    this.#answeredMs.push(nowMs);
  }

  /** How many starts the minute up to `nowMs` holds. */
  count(nowMs: number): number {
    const first = this.#answeredMs.findIndex((answeredMs) => answeredMs + MINUTE_MS > nowMs);
    this.#answeredMs.splice(0, first < 0 ? this.#answeredMs.length : first);
    return this.inFlight + this.#answeredMs.length;
  }

  /** When time alone frees the next start. Undefined while only requests in flight count. */
  nextFreeMs(): number | undefined {
    const [oldest] = this.#answeredMs;
    return oldest === undefined ? undefined : oldest + MINUTE_MS;
  }
}
