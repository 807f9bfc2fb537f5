import type { NotFoundRespondent } from "../coverage/stream-state.ts";

/** Respondents that may wait for confirmation in the state. */
export const MOST_NOT_FOUND = 100;
/** Respondents in a row that are not found as long as that is no outage. */
export const MOST_IN_A_ROW = 100;

/**
 * The respondents of one stream that the service does not know (404). One is plausible: people get deleted. Hundreds in
 * a row are an outage, and an outage can last longer than a sync. So a respondent that was not found counts as delivered
 * only with a note in the state, and the next sync asks for them once more. The note goes when they are found, or when
 * they are not found again while the service does find others.
 */
export class NotFoundRespondents {
  readonly #fromState: ReadonlySet<string>;
  readonly #waiting: Map<string, string>;
  #inARow = 0;
  /** Lists of respondents that were found, in this sync. */
  #found = 0;

  constructor(fromState: readonly NotFoundRespondent[]) {
    this.#fromState = new Set(fromState.map(([uuid]) => uuid));
    this.#waiting = new Map(fromState);
  }

  get entries(): NotFoundRespondent[] {
    return [...this.#waiting];
  }

  get found(): number {
    return this.#found;
  }

  /** Whether so many in a row were not found that the endpoint itself seems to fail. */
  get looksLikeOutage(): boolean {
    return this.#inARow >= MOST_IN_A_ROW;
  }

  /** A respondent's list answered. */
  answered(): void {
    this.#found++;
    this.#inARow = 0;
  }

  /** A respondent to whom a response led was answered with 404, for the first time. */
  answeredNotFound(): void {
    this.#inARow++;
  }

  /** The list of a respondent was read: there is nothing to confirm. */
  delivered(uuid: string): boolean {
    return this.#waiting.delete(uuid);
  }

  /**
   * The respondent was not found, asked twice. `foundBefore`: `found` at the first 404. A respondent whom an earlier sync
   * did not find either is confirmed, provided that this sync found others in between.
   *
   * @returns false where there is no room for another note
   */
  notFound(uuid: string, collectedAt: string, foundBefore: number): boolean {
    if (this.#fromState.has(uuid)) {
      if (this.#found > foundBefore) this.#waiting.delete(uuid);
      return true;
    }
    if (this.#waiting.size >= MOST_NOT_FOUND && !this.#waiting.has(uuid)) return false;
    this.#waiting.set(uuid, collectedAt);
    return true;
  }
}
