import type { Timestamp } from "../coverage/timestamp.ts";
import type { Item } from "./item.ts";

/**
 * Which items of a newest-first list have been seen. Keeps the uuids of the last two pages and of the oldest timestamp,
 * since pages overlap there (S3). So a list of any length takes the memory of a few pages.
 */
export class SeenItems {
  /** The oldest timestamp; undefined before the first item. */
  oldest: Timestamp | undefined;
  readonly #atOldest = new Set<string>();
  #page = new Set<string>();
  #pageBefore = new Set<string>();

  nextPage(): void {
    if (this.#page.size === 0) return;
    this.#pageBefore = this.#page;
    this.#page = new Set();
  }

  /** @returns whether the item came for the first time */
  add({ timestamp, uuid }: Item): boolean {
    const isKnown = this.#atOldest.has(uuid) || this.#page.has(uuid) || this.#pageBefore.has(uuid);
    this.#page.add(uuid);
    if (isKnown) return false;
    if (this.oldest === undefined || timestamp < this.oldest) {
      this.oldest = timestamp;
      this.#atOldest.clear();
    }
    if (timestamp === this.oldest) this.#atOldest.add(uuid);
    return true;
  }
}
