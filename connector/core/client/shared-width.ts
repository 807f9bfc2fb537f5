import { SERVICE_LIMITS } from "./limits.ts";

const FIRST_SLOTS = 2;
/** A process that shares takes one slot more after so long without a refusal, up to a quarter shorter or longer. */
const ONE_MORE_AFTER_MS = 8000;
/** All slots of the service but one: a program that asks now and then finds that one at any time. */
const ALL_BUT_ONE = SERVICE_LIMITS.maxConcurrentRequests - 1;
const [SHORTEST_WAIT_MS, LONGEST_WAIT_MS] = [1000, 16_000];

/**
 * How many requests this process has under way at once, of a limit that it shares with processes it does not know. All
 * it learns from is which of its requests are refused (429). It is TCP's rule, additive increase and multiplicative
 * decrease, so all who follow it come to equal shares. See docs/decisions.md.
 *
 * It begins with two slots and takes one more with each reply. A refusal halves the slots, rounded up. From then on
 * eight seconds without a refusal bring one slot more, except for the service's last one, which stays free for others.
 */
export class SharedWidth {
  #limit: number;
  readonly #random: () => number;
  #slots: number;
  #isShared = false;
  #refusalsInARow = 0;
  #refusedMs = Number.NEGATIVE_INFINITY;
  #growsAtMs: number | undefined;

  constructor(limit: number, random: () => number) {
    this.#limit = limit;
    this.#random = random;
    this.#slots = Math.min(FIRST_SLOTS, limit);
  }

  /** How many requests may be in flight: at least 1, never more than the limit. */
  get slots(): number {
    return this.#slots;
  }

  /** Whether refusals keep it below the limit. */
  get isLowered(): boolean {
    return this.#isShared && this.#slots < this.#limit;
  }

  /** A reply came that is not the wish to wait. */
  replied(nowMs: number): void {
    this.#refusalsInARow = 0;
    if (this.#slots === this.#limit) return;
    this.#growsAtMs ??= this.#isShared ? nowMs + ONE_MORE_AFTER_MS * (0.75 + 0.5 * this.#random()) : nowMs;
    if (nowMs < this.#growsAtMs) return;
    this.#growsAtMs = undefined;
    this.#slots++;
  }

  /** From now on the service's last slot stays free for others. */
  keepOneFree(): void {
    this.#limit = Math.min(this.#limit, ALL_BUT_ONE);
    this.#slots = Math.min(this.#slots, this.#limit);
  }

  /**
   * `startedMs`: when the refused request started. Requests that were in flight together count once.
   * @returns how long to wait, in milliseconds: 1, 2, 4 … up to 16 seconds while nothing but refusals comes
   */
  refused(nowMs: number, startedMs: number): number {
    if (startedMs > this.#refusedMs) {
      this.#refusedMs = nowMs;
      this.#refusalsInARow++;
      this.#isShared = true;
      this.#growsAtMs = undefined;
      this.#slots = Math.ceil(this.#slots / 2);
      this.keepOneFree();
    }
    return Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** (this.#refusalsInARow - 1));
  }
}
