const SHORTEST_TURN_MS = 500;
const TURN_ROUNDS = 10;
const REST_MS = 1300;
const REST_EVERY_MS = 15_000;
const REST_EVERY_AFTER_LOCKOUT_MS = 3000;
const LONGER_AFTER_EACH_REST = 1.25;
/** So many refusals in a row mean that the others hold all slots. */
const LOCKED_OUT_AFTER = 4;

/**
 * Turns a width such as 1.25 into whole slots: for a quarter of its turns a process uses two slots, else one. Turns
 * last for many requests, because each new one may collide with another process, and a request seldom should.
 *
 * Between turns a process rests: it leaves one slot free for a little longer than the shortest Retry-After. Without
 * that, those who hold the slots hold them for ever, since a slot is free for a moment only between two requests.
 */
export class SlotTurns {
  readonly #random: () => number;
  #slots = 1;
  #turnEndsMs = Number.NEGATIVE_INFINITY;
  #restAtMs = Number.POSITIVE_INFINITY;
  #restEveryMs = REST_EVERY_MS;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** When `slots` may change without any event. */
  get turnEndsMs(): number {
    return this.#turnEndsMs;
  }

  /** How many requests may be in flight at `nowMs`, on average `width`. */
  slots(nowMs: number, width: number, latencyMs: number): number {
    if (nowMs < this.#turnEndsMs) return this.#slots;
    const whole = Math.floor(width);
    if (nowMs >= this.#restAtMs) {
      this.#restEveryMs = Math.min(REST_EVERY_MS, this.#restEveryMs * LONGER_AFTER_EACH_REST);
      this.#restAtMs = nowMs + this.#jittered(this.#restEveryMs);
      this.#turnEndsMs = nowMs + REST_MS;
      this.#slots = whole - 1;
    } else {
      const turnMs = this.#jittered(Math.max(SHORTEST_TURN_MS, TURN_ROUNDS * latencyMs));
      this.#turnEndsMs = Math.min(nowMs + turnMs, this.#restAtMs);
      this.#slots = whole + (this.#random() >= 1 - (width - whole) ? 1 : 0);
    }
    return this.#slots;
  }

  /** A pause leaves all slots free, so the next rest can wait. */
  paused(untilMs: number, refusalsInARow: number): void {
    if (refusalsInARow >= LOCKED_OUT_AFTER) this.#restEveryMs = REST_EVERY_AFTER_LOCKOUT_MS;
    this.#restAtMs = untilMs + this.#jittered(this.#restEveryMs);
    this.#turnEndsMs = Number.NEGATIVE_INFINITY;
  }

  #jittered(ms: number): number {
    return ms * (0.75 + 0.5 * this.#random());
  }
}
