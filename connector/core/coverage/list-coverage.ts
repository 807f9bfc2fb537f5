import {
  type Coverage,
  clipAbove,
  cover,
  coverageOf,
  cutOut,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  NOTHING,
  newestOf,
  partsIn,
  reopenNewest,
} from "./coverage.ts";
import { earlier, latest, type Timestamp } from "./timestamp.ts";

/**
 * What one stream has delivered of one list, as it grows in one sync. What the sync could not deliver is a hole: it is
 * cut out of everything that the sync covers, before and after, so that nothing closes it.
 */
export class ListCoverage {
  /** What this sync reads, fixed at its beginning: sorted, disjoint. */
  readonly gaps: readonly Gap[];
  #covered: Coverage;
  #holes: Coverage = NOTHING;
  #newestSeen: Timestamp | undefined;

  constructor(stored: Coverage, { wanted, lookbackMs, present }: ListOptions) {
    const reopened = reopenNewest(clipAbove(stored, present), lookbackMs);
    this.#covered = reopened.filter(([older, newer], at) => older !== newer || at === reopened.length - 1);
    this.#newestSeen = newestOf(reopened);
    this.gaps = gapsIn(wanted, this.#covered);
  }

  get covered(): Coverage {
    return this.#covered;
  }

  /** The newest item of the list that this sync has met, unless it is from the future: nothing above it is covered. */
  sees(newest: Timestamp | undefined): void {
    this.#newestSeen = latest(this.#newestSeen, newest);
  }

  /** Whether a hole holds all of `range`. */
  isLeft([older, newer]: Interval): boolean {
    return this.#holes.some(
      ([from, to]) => newer < to && (from === null || (older !== null && from < older)),
    );
  }

  /** What this sync reads of each range is left to the next one. @returns the parts that it reads */
  leave(ranges: readonly Interval[]): Interval[] {
    const parts = ranges.flatMap((range) => partsIn(this.gaps, range));
    if (parts.length === 0) return parts;
    this.#holes = coverageOf([...this.#holes, ...parts.map(holeAround)]);
    this.#covered = cutOut(this.#covered, this.#holes);
    return parts;
  }

  /** Everything in `interval` was delivered or left, up to the newest item; `isWhole`: also above that. */
  cover([older, newer]: Interval, isWhole: boolean): void {
    const limit = isWhole ? newer : this.#newestSeen;
    if (limit === undefined || (older !== null && older > limit)) return;
    const pieces = cutOut([[older, earlier(newer, limit)]], this.#holes);
    const [only] = pieces;
    this.#covered =
      pieces.length === 1 && only ? cover(this.#covered, only) : coverageOf([...this.#covered, ...pieces]);
  }
}

export interface ListOptions {
  /** The bounds of what is read at all. */
  readonly wanted: Gap;
  readonly lookbackMs: number;
  /** A state that reaches above it is cut there (S12). */
  readonly present: Timestamp;
}
