import type { Interval } from "../coverage/coverage.ts";
import { earlier, later, type Timestamp } from "../coverage/timestamp.ts";

/** What a walk has read since the last question. */
export interface Read {
  /** Newest first. */
  readonly covered: readonly Interval[];
  /** Closed ranges in which something may lie that was not read. What is covered goes on across them. */
  readonly open: readonly Interval[];
  /** The newest timestamp that the walk reads: below the upper edge of the first interval, if that is a cut. */
  readonly upTo: Timestamp | undefined;
}

/**
 * Decides what a walk may cover, and what stays open in it. It is told of every item, in the list's order (I2).
 *
 * - A page with more to come covers down to its oldest timestamp *above* its last item's: other items with the last
 *   timestamp may be on the next page.
 * - Only the end of the list, or an item below the walk's own end, covers down to that end.
 * - Between the neighbours of an item that cannot be read everything is open, the neighbours' timestamps included.
 * - Nothing above the service's present is covered.
 *
 * Example: a page with items at 9, 8, one that cannot be read, 5, 4, and more to come covers 5 to 9, and 5 to 8 is open.
 */
export class CoverageTracker {
  #covered: Interval[] = [];
  #open: Interval[] = [];
  /** Upper edge of the next interval; undefined = not known before the first page. */
  #upper: Timestamp | undefined;
  #last: Timestamp | undefined;
  /** The oldest timestamp of which every item has been seen. */
  #seenWhole: Timestamp | undefined;
  /** Newer end of a range whose older end is the next item. */
  #hole: Timestamp | undefined;

  /** `top`: upper edge of the first interval; undefined = the service's present. */
  constructor(top: Timestamp | undefined) {
    this.#upper = top;
  }

  /** The oldest timestamp of which every item has been seen; undefined while there is none. */
  get seenWhole(): Timestamp | undefined {
    return this.#seenWhole;
  }

  /** Before the first item: intervals reach up to the service's present, and not above it. */
  limitTo(present: Timestamp): void {
    if (this.#last === undefined) this.#upper = earlier(this.#upper ?? present, present);
  }

  /** An item of the walk, new or repeated. */
  item(timestamp: Timestamp): void {
    this.#upper ??= timestamp;
    if (this.#hole !== undefined) this.#openBetween(timestamp, this.#hole);
    this.#hole = undefined;
    if (this.#last !== undefined && timestamp > this.#last) return;
    if (this.#last !== undefined && timestamp < this.#last) this.#seenWhole = this.#last;
    this.#last = timestamp;
  }

  /** Something that was not read: it lies between its neighbours, or has the timestamp of one of them. */
  unreadable(): void {
    this.#hole ??= this.#last ?? this.#upper;
  }

  /** What comes next is everything from the last item down, be it for the second time. */
  restart(): void {
    this.#hole = undefined;
  }

  /** Two neighbours are in the wrong order: others may be missing between them. */
  outOfOrder(one: Timestamp, other: Timestamp): void {
    this.#openBetween(one, other);
  }

  /** A page ended and more follows. */
  pageEnd(): void {
    if (this.#seenWhole !== undefined) this.#cover(this.#seenWhole);
  }

  /** Everything down to `end` has been seen. */
  reached(end: Timestamp | null): void {
    if (this.#hole !== undefined && (end === null || end <= this.#hole)) this.#open.push([end, this.#hole]);
    this.#hole = undefined;
    this.#cover(end);
  }

  /** The list ended with an empty page, at the last item: nothing is known of the range below it. */
  endedAtLastItem(): void {
    if (this.#last !== undefined) this.#cover(this.#last);
  }

  /** The walk goes on below `timestamp`, which may have more items than were seen. */
  giveUp(timestamp: Timestamp): void {
    this.#openBetween(timestamp, timestamp);
    this.#seenWhole = timestamp;
    this.#cover(timestamp);
  }

  take(): Omit<Read, "upTo"> {
    const read = { covered: this.#covered, open: this.#open };
    this.#covered = [];
    this.#open = [];
    return read;
  }

  /** False while something unread may lie below the last item, wherever that is. */
  get isUnbroken(): boolean {
    return this.#hole === undefined;
  }

  #openBetween(one: Timestamp, other: Timestamp): void {
    this.#open.push([earlier(one, other), later(one, other)]);
  }

  #cover(lower: Timestamp | null): void {
    if (this.#upper === undefined || (lower !== null && lower > this.#upper)) return;
    this.#covered.push([lower, this.#upper]);
    if (lower !== null) this.#upper = lower;
  }
}
