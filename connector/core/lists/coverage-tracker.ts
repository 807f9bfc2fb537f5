import type { Interval } from "../coverage/coverage.ts";
import { addMicroseconds, earlier, type Timestamp } from "../coverage/timestamp.ts";

/**
 * Decides what a walk may cover. It is told of every item, from newest to oldest (spec/sync.md, I2).
 *
 * - A page with more behind it covers down to its oldest timestamp *above* its last item's: other items with the last
 *   timestamp may be on the next page.
 * - Only the end of the list, or an item below the walk's own end, covers down to that end.
 * - Around an item that cannot be read, and around a timestamp that the links do not get past, nothing is covered.
 * - Nothing above the service's present is covered.
 */
export class CoverageTracker {
  #earned: Interval[] = [];
  /** Upper edge of the next interval; undefined = the next item's timestamp. */
  #upper: Timestamp | undefined;
  #last: Timestamp | undefined;
  /** The oldest timestamp of which every item has been seen. */
  #seenWhole: Timestamp | undefined;
  #isUnbroken = true;

  /** `top`: upper edge of the first interval; undefined = the newest item there is. */
  constructor(top: Timestamp | undefined) {
    this.#upper = top;
  }

  /** Before the first item: no interval reaches above the service's present. */
  limitTo(present: Timestamp): void {
    if (this.#last === undefined && this.#upper !== undefined) this.#upper = earlier(this.#upper, present);
  }

  /** An item of the walk, new or repeated. */
  item(timestamp: Timestamp): void {
    // The unreadable item may share this timestamp, so the timestamp stays open.
    if (!this.#isUnbroken) this.#upper = addMicroseconds(timestamp, -1);
    this.#isUnbroken = true;
    this.#upper ??= timestamp;
    if (this.#last !== undefined && timestamp < this.#last) this.#seenWhole = this.#last;
    this.#last = timestamp;
  }

  /** Something that cannot be read: it lies between its neighbours, or has the timestamp of one of them. */
  unreadable(): void {
    if (this.#seenWhole !== undefined) this.#earn(this.#seenWhole);
    this.#break();
  }

  /** A page ended and more follows. */
  pageEnd(): void {
    if (this.#seenWhole !== undefined) this.#earn(this.#seenWhole);
  }

  /** Everything down to `end` has been seen. */
  reached(end: Timestamp | null): void {
    if (this.#isUnbroken) this.#earn(end);
  }

  /** The list ended with an empty page, at the last item: nothing is known of the range below it. */
  endedAtLastItem(): void {
    if (this.#last !== undefined) this.#earn(this.#last);
  }

  /** The walk continues at `below`; the range between the last whole timestamp and it stays open. */
  skipTo(below: Timestamp): void {
    if (this.#seenWhole !== undefined) this.#earn(this.#seenWhole);
    this.#break();
    this.#isUnbroken = true;
    this.#upper = below;
  }

  /** The intervals earned since the last call, newest first. */
  take(): Interval[] {
    const intervals = this.#earned;
    this.#earned = [];
    return intervals;
  }

  /** False while something unreadable may lie below the last item, wherever that is. */
  get isUnbroken(): boolean {
    return this.#isUnbroken;
  }

  #earn(lower: Timestamp | null): void {
    if (this.#upper === undefined || (lower !== null && lower > this.#upper)) return;
    this.#earned.push([lower, this.#upper]);
    if (lower !== null) this.#upper = lower;
  }

  #break(): void {
    this.#isUnbroken = false;
    this.#upper = undefined;
    this.#last = undefined;
    this.#seenWhole = undefined;
  }
}
