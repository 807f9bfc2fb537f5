import type { Respondent } from "./respondent.ts";

/**
 * Shows that respondents are found at all: one that is not found may be gone, or all of them may be answered so for a moment.
 *
 * It knows the order in which requests were sent and answered. Somebody counts who was found by a request that was sent after
 * the moment in doubt. That one was only answered after it is not enough: the service may have made the answer before.
 */
export class Witness {
  /** Whether anybody's list has given a page in this sync. */
  get hasFound(): boolean {
    return this.#somebody !== undefined;
  }

  readonly #ask: (somebody: Respondent) => Promise<unknown>;
  #moments = 0;
  /** When the latest request was sent that has found somebody. */
  #foundSince = 0;
  #somebody: Respondent | undefined;
  #asking: Promise<unknown> | undefined;

  /** `ask`: asks for somebody who was found before, and calls `found` if they are found again. */
  constructor(ask: (somebody: Respondent) => Promise<unknown>) {
    this.#ask = ask;
  }

  /** A moment in the order of requests and answers: now. */
  now(): number {
    return ++this.#moments;
  }

  /** A request that was sent at the moment `sent` has found a respondent. */
  found(respondent: Respondent, sent: number): void {
    this.#somebody = respondent;
    this.#foundSince = Math.max(this.#foundSince, sent);
  }

  /** Whether somebody was found by a request that was sent after a moment. If not, it asks for somebody again. */
  async finds(since: number): Promise<boolean> {
    // A request that is under way may have been sent too early.
    for (let asked = 0; asked < 2 && this.#foundSince <= since; asked++) {
      const somebody = this.#somebody;
      if (somebody === undefined) return false;
      this.#asking ??= this.#ask(somebody).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
    }
    return this.#foundSince > since;
  }
}
