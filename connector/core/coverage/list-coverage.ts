import {
  add,
  type Coverage,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  newestOf,
  outside,
  partsIn,
  remove,
} from "./coverage.ts";
import { addMicroseconds, earlier, LATEST, latest, roundDown, type Timestamp } from "./timestamp.ts";

export interface ListOptions {
  /** The bounds of what is read at all. */
  readonly wanted: Gap;
  readonly lookbackMs: number;
  /** A state that reaches above it is cut there (S12). */
  readonly present: Timestamp;
  /** Whether it also covers what lies above the newest item: so it says which items are gone. */
  readonly isSnapshot: boolean;
}

/** What a page, or several, show of their list, in addition to its items. */
export interface Seen {
  /** When everything that the page leads to was read, at the earliest: the service's present, or the machine's (S12). */
  readonly present: Timestamp;
  /** Whether the service sent it. */
  readonly isDated: boolean;
  /** The newest item that is not from the future. */
  readonly newest: Timestamp | undefined;
  /** The unit of the timestamps (S7), in microseconds. */
  readonly grain: number;
}

/**
 * What pages show together: the finest unit counts, and the earliest present. What appears between two pages may be above the
 * second one, and not on the first one.
 */
export const seenTogether = (pages: Seen | undefined, page: Seen): Seen =>
  pages === undefined
    ? page
    : {
        present: earlier(pages.present, page.present),
        isDated: pages.isDated && page.isDated,
        newest: latest(pages.newest, page.newest),
        grain: Math.min(pages.grain, page.grain),
      };

/**
 * What one stream has delivered of one list, as it grows in one sync. What the sync could not deliver is a hole: it is
 * cut out of everything that the sync covers, before and after, so that nothing closes it.
 */
export class ListCoverage {
  /** What this sync reads, fixed at its beginning: sorted, disjoint. */
  readonly gaps: readonly Gap[];
  readonly #options: ListOptions;
  /** How far it reached when the sync began. */
  readonly #newestStored: Timestamp | undefined;
  readonly #covered: Interval[];
  readonly #holes: Interval[] = [];
  readonly #onChange: () => void;

  /** `onChange`: called when `covered` has changed. */
  constructor(stored: Coverage, options: ListOptions, onChange: () => void = () => {}) {
    this.#options = options;
    this.#onChange = onChange;
    this.#covered = [...stored];
    remove(this.#covered, [options.present, LATEST]);
    this.#newestStored = newestOf(this.#covered);
    this.gaps = gapsIn(options.wanted, this.#covered);
  }

  get covered(): Coverage {
    return this.#covered;
  }

  /** Whether this sync reads some of `range`. */
  reads(range: Interval): boolean {
    return partsIn(this.gaps, range).length > 0;
  }

  /** Defers the part of `range` that this sync reads to the next one. */
  defer(range: Interval): void {
    for (const part of partsIn(this.gaps, range)) {
      const hole = holeAround(part);
      add(this.#holes, hole);
      if (remove(this.#covered, hole)) this.#onChange();
    }
  }

  /**
   * Everything in the interval was delivered or deferred. It is covered as far as that is final. `seen`: on the pages that
   * showed it, and on those before.
   */
  cover([older, newer]: Interval, seen: Seen): void {
    const final = this.#final(seen);
    if (final === undefined || (older !== null && older >= final)) return;
    for (const part of outside(this.#holes, [older, earlier(newer, final)]))
      if (add(this.#covered, part)) this.#onChange();
  }

  /**
   * Nothing above it is covered (I5): what is younger than the lookback may still appear, or grow, and of what lies more
   * than one unit above the newest item nothing is known. The newest item stands for a present that was not sent.
   */
  #final({ present, isDated, newest, grain }: Seen): Timestamp | undefined {
    const { lookbackMs, isSnapshot } = this.#options;
    const stored = this.#newestStored;
    const readAt = isDated ? present : newest && earlier(present, newest);
    const settled = readAt && roundDown(addMicroseconds(readAt, -1000 * lookbackMs), grain);
    const final = isDated ? settled : latest(settled, stored);
    if (isSnapshot) return final;
    const known = latest(newest && addMicroseconds(newest, grain), stored);
    return final && known && earlier(final, known);
  }
}
