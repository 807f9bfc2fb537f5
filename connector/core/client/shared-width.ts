/** A third of a percent of a slot: a process that shares tries one slot more after about 300 answers. */
const GROWTH_PER_ANSWER = 0.003;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 16_000;
/** The part of a width up to 1 that is left when a process is refused again: it waits three times as long. */
const KEPT = 1 / 3;
/** So many refusals in a row do not make a process patient that has had no answer yet: it asks for a slot of its own. */
const NEWCOMER_REFUSALS = 4;

/**
 * How many requests this process sends at once, of a limit that it shares with processes it does not know. All it
 * learns from is which of its requests are refused. See docs/decisions/shared-allowance.md.
 *
 * One number, the width. Above 1 it is a number of slots, of which whole ones are used. Below 1 it is patience: one
 * slot is used, and the wait after a refusal is a second over the width.
 */
export class SharedWidth {
  readonly #limit: number;
  #width: number;
  /** Whether a request was ever refused. */
  #isShared = false;
  #refusalsInARow = 0;
  #patientAfter = NEWCOMER_REFUSALS;
  #loweredMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
    this.#width = limit;
  }

  get lowered(): boolean {
    return this.#width < this.#limit;
  }

  /** How many requests may be in flight: at least 1, never more than the limit. */
  get slots(): number {
    return Math.max(1, Math.floor(this.#width));
  }

  /** How long to wait after a refusal, if the service asks for no more. */
  get waitMs(): number {
    return FIRST_WAIT_MS / Math.min(1, this.#width);
  }

  answered(): void {
    this.#refusalsInARow = 0;
    this.#patientAfter = 1;
    this.#width = Math.min(this.#limit, this.#width + GROWTH_PER_ANSWER);
  }

  /** `startedMs`: when the refused request started. Requests that were in flight together count once. */
  refused(nowMs: number, startedMs: number): void {
    if (startedMs <= this.#loweredMs) return;
    this.#loweredMs = nowMs;
    this.#refusalsInARow++;
    this.#width = this.#refusalsInARow > this.#patientAfter ? this.#morePatient() : this.#oneSlotFewer();
  }

  /** Refused with one request in flight: the others hold all slots, or the minute is used up. */
  #morePatient(): number {
    return Math.max(FIRST_WAIT_MS / LONGEST_WAIT_MS, Math.min(1, this.#width) * KEPT);
  }

  /** The first refusal shows that others are there, and not how many. One slot suits up to five of them. */
  #oneSlotFewer(): number {
    if (this.#width <= 1) return this.#width;
    if (this.#isShared) return Math.max(1, this.#width - 1);
    this.#isShared = true;
    return 1;
  }
}
