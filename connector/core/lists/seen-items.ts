import type { Timestamp } from "../coverage/timestamp.ts";
import type { Item } from "./item.ts";

/**
 * Which items of a newest-first list have been seen: all above the lowest timestamp, and at that timestamp those whose
 * uuids are kept. So a list of any length takes the memory of one timestamp.
 */
export class SeenItems {
  #lowest: Timestamp | undefined;
  readonly #uuidsAtLowest = new Set<string>();

  /** The lowest timestamp; undefined before the first item. */
  get lowest(): Timestamp | undefined {
    return this.#lowest;
  }

  isAbove(timestamp: Timestamp): boolean {
    return this.#lowest !== undefined && timestamp > this.#lowest;
  }

  moveTo(timestamp: Timestamp): void {
    if (timestamp === this.#lowest) return;
    this.#lowest = timestamp;
    this.#uuidsAtLowest.clear();
  }

  /** @returns whether the item came for the first time */
  add({ timestamp, uuid }: Item): boolean {
    if (this.isAbove(timestamp)) return false;
    this.moveTo(timestamp);
    if (this.#uuidsAtLowest.has(uuid)) return false;
    this.#uuidsAtLowest.add(uuid);
    return true;
  }
}
