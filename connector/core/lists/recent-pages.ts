import { microsecondsBetween, type Timestamp } from "../coverage/timestamp.ts";
import type { Item } from "./item.ts";

/** Pages whose spread the density is taken from. */
const DENSITY_PAGES = 3;

/**
 * How dense a newest-first list is where it was read last: for estimates of how many pages follow. Without this, by the density
 * of all pages: a survey whose density changes is read 1.3 times as fast as by one worker, and not 4.9 times.
 */
export class RecentPages {
  readonly #pages: { readonly newest: Timestamp; readonly items: number }[] = [];

  /** `items`: those of a page that are new, newest first. */
  add({ 0: newest, length }: readonly Item[]): void {
    if (newest === undefined) return;
    this.#pages.push({ newest: newest.timestamp, items: length });
    if (this.#pages.length > DENSITY_PAGES) this.#pages.shift();
  }

  /** Items per microsecond on the last pages, which reach down to `oldest`; undefined before the first item. */
  densityDownTo(oldest: Timestamp | undefined): number | undefined {
    const [first] = this.#pages;
    if (first === undefined || oldest === undefined) return undefined;
    const items = this.#pages.reduce((sum, page) => sum + page.items, 0);
    return items / Math.max(1, microsecondsBetween(oldest, first.newest));
  }
}
