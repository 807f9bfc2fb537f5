import type { Timestamp } from "../coverage/timestamp.ts";
import type { Item } from "./item.ts";

/**
 * Which items of a newest-first list have been seen. Keeps the uuids of the last two pages and of the lowest timestamp,
 * since pages overlap there (S3). So a list of any length takes the memory of a few pages.
 */
export class SeenItems {
  #lowest: Timestamp | undefined;
  readonly #atLowest = new Set<string>();
  #page = new Set<string>();
  #pageBefore = new Set<string>();

  /** The lowest timestamp; undefined before the first item. */
  get lowest(): Timestamp | undefined {
    return this.#lowest;
  }

  nextPage(): void {
    if (this.#page.size === 0) return;
    this.#pageBefore = this.#page;
    this.#page = new Set();
  }

  /** @returns whether the item came for the first time */
  add({ timestamp, uuid }: Item): boolean {
    const isKnown = this.#atLowest.has(uuid) || this.#page.has(uuid) || this.#pageBefore.has(uuid);
    this.#page.add(uuid);
    if (isKnown) return false;
    if (this.#lowest === undefined || timestamp < this.#lowest) {
      this.#lowest = timestamp;
      this.#atLowest.clear();
    }
    if (timestamp === this.#lowest) this.#atLowest.add(uuid);
    return true;
  }
}
