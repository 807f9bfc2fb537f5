import { addMicroseconds, type Timestamp } from "@survey-export/core";
import type { Response } from "./list-service.ts";

/** What the service did not show in one sync, or not as the document says (spec/sync.md, "What this gives up"). */
export class OutOfReach {
  /** Surveys of which a complete stream may lack what its state does not cover. */
  readonly surveys = new Set<string>();
  /** Responses that named nobody: they lead to no person. */
  readonly nameless = new Set<Response>();
  /** Responses below a page that wrongly said that the list ends there. */
  readonly belowFalseEnd = new Set<Response>();
  readonly lists = { responses: new PeopleLists(), attributes: new PeopleLists() };
}

/** All people's lists of one kind, in one sync. */
export class PeopleLists {
  /** People whose list failed in some way, at least once. */
  readonly odd = new Set<string>();
  readonly #notFound = new Set<string>();
  /** The newest timestamp that a person's list showed; undefined if it showed none. */
  readonly #newest = new Map<string, Timestamp | undefined>();
  /** Keys of records that a list left out although it looked whole. */
  readonly #hidden = new Set<string>();

  notFound(person: string): void {
    this.odd.add(person);
    this.#notFound.add(person);
  }

  found(person: string, newest: Timestamp | undefined): void {
    const before = this.#newest.get(person);
    const isOlder = newest === undefined || (before !== undefined && newest < before);
    this.#newest.set(person, isOlder ? before : newest);
  }

  hide(person: string, items: readonly { readonly keys: readonly string[] }[]): void {
    this.odd.add(person);
    for (const { keys } of items) for (const key of keys) this.#hidden.add(key);
  }

  isHidden(key: string): boolean {
    return this.#hidden.has(key);
  }

  /**
   * Whether what led to a person may be covered without the record: if there is nobody while somebody else is found, or if
   * nothing shows that the list was cut. A list of responses shows it if it is more than a second older than `lead`, the
   * response that led there.
   */
  mayLack(person: string, key: string, lead?: Timestamp): boolean {
    if (this.#notFound.has(person)) return [...this.#newest.keys()].some((other) => other !== person);
    const newest = this.#newest.get(person);
    const lags = lead !== undefined && (newest === undefined || newest < addMicroseconds(lead, -1_000_000));
    return !lags && this.#hidden.has(key);
  }
}
