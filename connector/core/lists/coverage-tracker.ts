import type { Interval } from "../coverage/coverage.ts";
import { earlier, LATEST, later, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";

/** Items that cannot be read lie between two neighbours. */
export interface Unreadable {
  readonly range: Interval;
  /** How many items that no other walk has reported. */
  readonly count: number;
  /** What is wrong with the first of them. */
  readonly error: SurveyExportError;
}

/** What a walk has settled since the last question: closed intervals. */
export interface Findings {
  /** Newest first. */
  readonly covered: readonly Interval[];
  readonly unreadable: readonly Unreadable[];
  /** Where else something may lie that was not read. */
  readonly doubtful: readonly Interval[];
}

const nothingFound = () => ({
  covered: [] as Interval[],
  unreadable: [] as Unreadable[],
  doubtful: [] as Interval[],
});

/**
 * Decides what a walk may cover, and which ranges in it are deferred to the next sync. It gets every item (I2).
 * - A page with more to come covers down to its oldest timestamp *above* its last item's: other items with the last
 *   timestamp may be on the next page.
 * - Only the end of the list, or an item below the walk's own end, covers down to that end.
 * - Between the neighbours of an item that cannot be read everything is deferred, the neighbours' timestamps included.
 * Example: a page with items at 9, 8, one that cannot be read, 5, 4, and more to come covers 5 to 9, and defers 5 to 8.
 *
 * It keeps no coverage: all streams share a walk, and each has its own `ListCoverage`, with holes of its own.
 */
export class CoverageTracker {
  #found = nothingFound();
  /** Newer edge of the next interval. */
  #newer: Timestamp;
  /** Its older edge: the oldest timestamp of which every item has been seen. */
  #older: Timestamp | undefined;
  #last: Timestamp | undefined;
  /** Items below `above` cannot be read: it reaches down to the next one that can. Their names, and the first's error. */
  #hole:
    | { readonly above: Timestamp; readonly names: Set<string>; readonly error: SurveyExportError }
    | undefined;
  readonly #reported: Set<string>;

  /** `newer`: of the first interval. `reported`: names of the list's unreadable items that any walk has reported. */
  constructor(newer: Timestamp = LATEST, reported: Set<string>) {
    this.#newer = newer;
    this.#reported = reported;
  }

  /** The oldest timestamp of which every item has been seen; undefined while there is none. */
  get older(): Timestamp | undefined {
    return this.#older;
  }

  /** False while something unread may lie below the last item, wherever that is. */
  get isUnbroken(): boolean {
    return this.#hole === undefined;
  }

  /** An item of the walk, new or repeated. */
  item(timestamp: Timestamp): void {
    this.#endHole(timestamp);
    if (this.#last !== undefined && timestamp < this.#last) this.#older = this.#last;
    this.#last = timestamp;
  }

  /** An item cannot be read: it lies between its neighbours, or has one's timestamp. */
  missed(name: string, error: SurveyExportError): void {
    this.#hole ??= { above: this.#last ?? this.#newer, names: new Set(), error };
    this.#hole.names.add(name);
  }

  /** What comes next is everything from the last item down, be it for the second time. */
  restart(): void {
    this.#hole = undefined;
  }

  /** Items in these ranges are in the wrong order: others may be missing between them. */
  defer(ranges: readonly Interval[]): void {
    this.#found.doubtful.push(...ranges);
  }

  /** A page ended and more follows. */
  pageEnd(): void {
    if (this.#older !== undefined) this.#cover(this.#older);
  }

  /** Everything down to `older` has been seen. */
  reached(older: Timestamp | null): void {
    this.#endHole(older);
    this.#cover(older);
  }

  /** The walk resumes below `timestamp`, which may have more items than were seen. */
  giveUp(timestamp: Timestamp): void {
    this.#found.doubtful.push([timestamp, timestamp]);
    this.#older = timestamp;
    this.#cover(timestamp);
  }

  /** What was found since the last call. */
  take(): Findings {
    const found = this.#found;
    this.#found = nothingFound();
    return found;
  }

  #endHole(below: Timestamp | null): void {
    if (this.#hole === undefined) return;
    const { above, names, error } = this.#hole;
    this.#hole = undefined;
    // In the wrong order, the item that follows may be newer.
    const range: Interval = below === null ? [null, above] : [earlier(below, above), later(below, above)];
    const count = [...names].filter((name) => !this.#reported.has(name)).length;
    for (const name of names) this.#reported.add(name);
    this.#found.unreadable.push({ range, count, error });
  }

  #cover(older: Timestamp | null): void {
    if (older !== null && older > this.#newer) return;
    this.#found.covered.push([older, this.#newer]);
    if (older !== null) this.#newer = older;
  }
}
