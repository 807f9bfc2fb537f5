import type { Clock } from "../ports.ts";
import { SharedAllowance } from "./shared-allowance.ts";
import { SlotTurns } from "./slot-turns.ts";
import { StartWindow } from "./start-window.ts";

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
const LONGEST_JITTER_MS = 2000;
const PATIENT_REFUSALS = 4;
const LONGEST_OWN_PAUSE_MS = 60_000;

interface Waiter {
  start(): void;
}

/**
 * Keeps all requests with one key to one service within the service's limits: never more than `maxConcurrentRequests`
 * in flight, never more than `requestsPerMinute` starts in any 60 seconds, as the service counts them. One object
 * serves all clients of a process that use the same base URL and key.
 *
 * The minute is a sliding window, so a short sync runs at full speed. After a 429 the limiter uses a part of both
 * limits (`SharedAllowance`), because other processes share the workspace.
 *
 * Waits and windows use monotonic time only: a wall clock that is corrected changes nothing.
 */
export class RateLimiter {
  readonly maxConcurrentRequests: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #window = new StartWindow();
  readonly #allowance: SharedAllowance;
  readonly #turns: SlotTurns;
  readonly #waiting: Waiter[] = [];
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #pausedByRateLimit = false;
  #probing = false;
  #pauses = 0;
  #answers = 0;
  #latencyMs = 0;
  #alarm: { readonly atMs: number; readonly stop: AbortController } | undefined;

  constructor(clock: Clock, limits: Limits, { random = () => 0 }: RateLimiterOptions = {}) {
    this.#clock = clock;
    this.#random = random;
    this.#turns = new SlotTurns(random);
    this.#allowance = new SharedAllowance(limits.maxConcurrentRequests, limits.requestsPerMinute);
    this.maxConcurrentRequests = limits.maxConcurrentRequests;
  }

  /** Whether less than the configured limits is in use, because the service refused requests. */
  get lowered(): boolean {
    return this.#allowance.lowered;
  }

  /** The pause that the service asked for, if one is on: how much longer, and whether by 429 (or 503). */
  get pause(): { readonly remainingMs: number; readonly rateLimited: boolean } | undefined {
    const remainingMs = this.#pausedUntilMs - this.#clock.monotonicMs();
    return remainingMs > 0 ? { remainingMs, rateLimited: this.#pausedByRateLimit } : undefined;
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
    const startedMs = this.#clock.monotonicMs();
    const pauses = this.#pauses;
    try {
      return await send();
    } finally {
      const nowMs = this.#clock.monotonicMs();
      if (pauses === this.#pauses) this.#noteLatency(nowMs - startedMs);
      this.#window.end(nowMs);
      this.#admit();
    }
  }

  /**
   * Stops all starts for at least `ms`: the service's `Retry-After`, or the first wait of the retry policy. Then one
   * request at a time asks whether the service answers again. Call it before the `send` that was refused settles.
   * `startedMs` is the monotonic time at which the refused request started: requests that were in flight together
   * lower the allowance once. `rateLimited`: a 429, as opposed to a 503.
   *
   * Repeated refusals make the pause longer, up to a minute. Returns how long it lasts.
   */
  pauseFor(ms: number, startedMs: number, rateLimited: boolean): number {
    const nowMs = this.#clock.monotonicMs();
    if (rateLimited) {
      const { inFlight } = this.#window;
      this.#allowance.refused({ nowMs, startedMs, inFlight, startsInLastMinute: this.#window.count(nowMs) });
    }
    const pauseMs = this.#jittered(Math.max(ms, this.#ownPauseMs()));
    this.#pauses++;
    this.#probing = true;
    this.#pausedByRateLimit = rateLimited;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + pauseMs);
    this.#turns.paused(this.#pausedUntilMs, this.#allowance.refusalsInARow);
    this.#admit();
    return this.#pausedUntilMs - nowMs;
  }

  /** Call it for every normal answer. It ends the probing after a pause, and a lowered allowance grows. */
  recovered(): void {
    this.#answers++;
    this.#allowance.answered();
    if (!this.#probing) return;
    this.#probing = false;
    this.#admit();
  }

  #ownPauseMs(): number {
    const impatient = this.#allowance.refusalsInARow - PATIENT_REFUSALS;
    return impatient <= 0 ? 0 : Math.min(LONGEST_OWN_PAUSE_MS, 1000 * 2 ** impatient);
  }

  #jittered(ms: number): number {
    return ms + Math.min(ms * PAUSE_JITTER, LONGEST_JITTER_MS) * this.#random();
  }

  #noteLatency(tookMs: number): void {
    this.#latencyMs += (tookMs - this.#latencyMs) * (this.#latencyMs === 0 ? 1 : 0.1);
  }

  /** How many requests may be in flight. The first requests of a process start carefully: others may be there. */
  #slots(nowMs: number): number {
    if (this.#probing) return 1;
    const { width } = this.#allowance;
    if (width.lowered) return this.#turns.slots(nowMs, width.value, this.#latencyMs);
    return Math.min(width.limit, FIRST_SLOTS + this.#answers);
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
      this.#waiting.shift()!.start();
    }
    this.#stopAlarm();
  }

  /** Undefined: a request may start. Infinity: only an event, such as an answer, can free the next. */
  #blockedUntilMs(nowMs: number): number | undefined {
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs;
    if (this.#window.inFlight >= this.#slots(nowMs)) {
      const turnsChange = !this.#probing && this.#allowance.width.lowered;
      return turnsChange ? this.#turns.turnEndsMs : Number.POSITIVE_INFINITY;
    }
    if (!this.#isMinuteUsedUp(nowMs)) return undefined;
    return this.#window.nextFreeMs() ?? Number.POSITIVE_INFINITY;
  }

  #isMinuteUsedUp(nowMs: number): boolean {
    return this.#window.count(nowMs) >= Math.floor(this.#allowance.perMinute.value);
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
        reject(signal!.reason);
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
