import type { Clock } from "../ports.ts";
import { type Limits, SERVICE_LIMITS, StartWindow } from "./limits.ts";
import { openForMs } from "./opening.ts";
import { type ServicePause, ServicePauses } from "./service-pauses.ts";
import { SharedWidth } from "./shared-width.ts";

/** A process with so many slots, more than half of the service's, keeps one free during the opening. */
const MAJORITY = Math.ceil(SERVICE_LIMITS.maxConcurrentRequests / 2);

/**
 * Why no request may start, and until when: a pause that the service asked for, no free slot, the opening for other
 * processes, or the minute. Infinity: only an event, such as a reply, ends it.
 */
interface Block {
  readonly by: "pause" | "slots" | "opening" | "minute";
  readonly untilMs: number;
}

/**
 * Keeps all requests with one key to one service within the service's limits: never more than `maxConcurrentRequests`
 * in flight, never more than `requestsPerMinute` starts in any 60 seconds, as the service counts them. One object
 * serves all clients of a process that use the same base URL and key.
 *
 * The minute is a sliding window, so a short sync runs at full speed. Other processes may share the workspace:
 * `SharedWidth` says how many requests are in flight at once. A process that holds all slots is never refused and would
 * keep the others out, because a slot is free only for a moment between two requests. So there is an opening for them, 50
 * ms of each half second (`opening.ts`). A process that is alone loses two percent by that.
 *
 * Waits and windows use monotonic time: a wall clock that is corrected changes nothing but the moment of the opening.
 */
export class RateLimiter {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #window = new StartWindow();
  readonly #width: SharedWidth;
  readonly #pauses: ServicePauses;
  /** Each starts its request. */
  readonly #waiting: (() => void)[] = [];
  #alarm: { readonly atMs: number; readonly stop: AbortController } | undefined;

  /**
   * `random`: a number from 0 up to and without 1, such as `Math.random`. Processes that share a workspace need one,
   * else they collide in step; tests with exact times do not.
   */
  constructor(clock: Clock, limits: Limits, random = () => 0) {
    this.#clock = clock;
    this.#limits = limits;
    this.#width = new SharedWidth(limits.maxConcurrentRequests, random);
    this.#pauses = new ServicePauses(clock, this.#width, random);
  }

  get maxConcurrentRequests(): number {
    return this.#limits.maxConcurrentRequests;
  }

  get requestsPerMinute(): number {
    return Math.floor(this.#limits.requestsPerMinute);
  }

  /** Whether fewer requests than configured run at once, because the service refused some. */
  get lowered(): boolean {
    return this.#width.isLowered;
  }

  /** The pause that the service asked for, if one is on. */
  get pause(): ServicePause | undefined {
    return this.#pauses.current;
  }

  /** How long until the minute's allowance lets the next request start; undefined if none waits for it. */
  get allowanceWaitMs(): number | undefined {
    const nowMs = this.#clock.monotonicMs();
    if (this.#waiting.length === 0 || this.pause || !this.#isMinuteUsedUp(nowMs)) return undefined;
    return Math.max(0, (this.#window.nextFreeMs() ?? nowMs) - nowMs);
  }

  /** Runs `send` when both limits allow it. Rejects with the signal's reason when that is aborted first. */
  run<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason);
        this.#admit();
      };
      const start = (): void => {
        signal?.removeEventListener("abort", cancel);
        // At once: in a later turn, a pause that began in between would not hold it up.
        resolve(this.#send(send));
      };
      signal?.addEventListener("abort", cancel, { once: true });
      this.#waiting.push(start);
      this.#admit();
    });
  }

  async #send<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } finally {
      this.#window.end(this.#clock.monotonicMs());
      this.#admit();
    }
  }

  /**
   * Stops all starts for at least `ms`: the service's `Retry-After`, if it sent one, or the pause of a 503. A 429 makes
   * it at least the wait of `SharedWidth`. Then requests are sent one at a time, until one is not asked to wait. Call it
   * before the `send` that was refused settles. `startedMs` is the monotonic time at which the refused request started.
   * `rateLimited`: a 429, as opposed to a 503. Returns how long the pause lasts, in milliseconds.
   */
  pauseFor(ms: number | undefined, startedMs: number, rateLimited: boolean): number {
    const pauseMs = this.#pauses.begin(ms, startedMs, rateLimited);
    this.#admit();
    return pauseMs;
  }

  /**
   * Call it for every reply that is not the wish to wait, before its `send` settles. It ends the probing after a pause. A reply
   * to a request that started (`startedMs`, monotonic) before the pause ended shows nothing about the time after it.
   */
  recovered(startedMs: number): void {
    if (startedMs < this.#pauses.untilMs) return;
    this.#width.replied(this.#clock.monotonicMs());
    this.#pauses.isProbing = false;
    this.#admit();
  }

  /** How many requests may be in flight. */
  get #slots(): number {
    return this.#pauses.isProbing ? 1 : this.#width.slots;
  }

  /** Starts the requests that may start now and sets an alarm for the time at which time alone frees the next. */
  #admit(): void {
    while (this.#waiting.length > 0) {
      const block = this.#blockAt(this.#clock.monotonicMs());
      if (block) {
        // The minute holds it up from now on, and not the slots.
        if (block.by === "minute") this.#width.keepOneFree();
        if (block.untilMs < Number.POSITIVE_INFINITY) this.#wakeAt(block.untilMs);
        return;
      }
      this.#window.start();
      this.#waiting.shift()?.();
    }
    this.#wakeAt(undefined);
  }

  /** The first of the reasons that hold, undefined if a request may start. */
  #blockAt(nowMs: number): Block | undefined {
    if (nowMs < this.#pauses.untilMs) return { by: "pause", untilMs: this.#pauses.untilMs };
    const free = this.#slots - this.#window.inFlight;
    if (free <= 0) return { by: "slots", untilMs: Number.POSITIVE_INFINITY };
    const openMs = free === 1 && this.#slots >= MAJORITY ? openForMs(this.#clock.now()) : 0;
    if (openMs > 0) return { by: "opening", untilMs: nowMs + openMs };
    if (!this.#isMinuteUsedUp(nowMs)) return undefined;
    return { by: "minute", untilMs: this.#window.nextFreeMs() ?? Number.POSITIVE_INFINITY };
  }

  #isMinuteUsedUp(nowMs: number): boolean {
    return this.#window.count(nowMs) >= this.requestsPerMinute;
  }

  /** Sets the one alarm, undefined: none. An alarm that nobody waits for would keep the process alive. */
  #wakeAt(atMs: number | undefined): void {
    if (this.#alarm?.atMs === atMs) return;
    this.#alarm?.stop.abort();
    const alarm = atMs === undefined ? undefined : { atMs, stop: new AbortController() };
    this.#alarm = alarm;
    if (!alarm) return;
    this.#clock.sleep(Math.max(0, alarm.atMs - this.#clock.monotonicMs()), alarm.stop.signal).then(
      () => {
        if (this.#alarm === alarm) this.#alarm = undefined;
        this.#admit();
      },
      () => {},
    );
  }
}
