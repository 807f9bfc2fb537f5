import type { Read } from "../lists/coverage-tracker.ts";
import type { Item } from "../lists/item.ts";

/** The requests for open ranges in one sync of a stream. */
export class TriesBudget {
  /** Requests that closed nothing. */
  inVain = 0;
  /** Requests that may still close nothing. */
  outstanding = 0;
}

/** The requests that one page of an open range leads to. */
export class Tries {
  readonly #budget: TriesBudget;
  #requests = 0;

  constructor(budget: TriesBudget) {
    this.#budget = budget;
    this.leadTo(1);
  }

  /** This many requests are made because of the page. Called before `answered`. */
  leadTo(requests: number): void {
    this.#requests += requests;
    this.#budget.outstanding += requests;
  }

  /** All of them were answered. `staysOpen`: something of the page is open again. */
  answered(staysOpen: boolean): void {
    this.#budget.outstanding -= this.#requests;
    if (staysOpen) this.#budget.inVain += this.#requests;
  }
}

/** A page that was requested because a stream had something open there. */
export interface OpenPage {
  readonly surveyId: string;
  /** Those that the page covers. */
  readonly items: readonly Item[];
  readonly read: Read;
  readonly tries: Tries;
}
