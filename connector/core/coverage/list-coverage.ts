import { certain } from "../errors.ts";
import {
  type Coverage,
  clipAbove,
  coverageOf,
  cutOut,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  NOTHING,
  newestOf,
  partsIn,
  withoutLookback,
} from "./coverage.ts";
import { earlier, latest, microsecondsBetween, type Timestamp } from "./timestamp.ts";

export interface ListOptions {
  /** The bounds of what is read at all. */
  readonly wanted: Gap;
  readonly lookbackMs: number;
  /** A state that reaches above it is cut there (S12). */
  readonly present: Timestamp;
}

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
    const trusted = withoutLookback(clipAbove(stored, present), lookbackMs);
    this.#covered = trusted.filter(([older, newer], at) => older !== newer || at === trusted.length - 1);
    this.#newestSeen = newestOf(trusted);
    this.gaps = gapsIn(wanted, this.#covered);
  }

  get covered(): Coverage {
    return this.#covered;
  }

  /** The newest item of the list that this sync has met, unless it is from the future: nothing above it is covered. */
  sees(newest: Timestamp | undefined): void {
    this.#newestSeen = latest(this.#newestSeen, newest);
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
    const newest = isWhole ? newer : this.#newestSeen;
    if (newest === undefined || (older !== null && older > newest)) return;
    const pieces = cutOut([[older, earlier(newer, newest)]], this.#holes);
    this.#covered = coverageOf([...this.#covered, ...pieces]);
  }
}

/** The coverage of lists of one kind in one stream: of surveys, or of configured people. */
export class Lists {
  /** Those whose state reached above the present when the sync began, and was cut there (S12). */
  readonly cutAtPresent: string[] = [];
  readonly #read = new Map<string, ListCoverage>();
  /** Of those that this sync does not read. */
  readonly #others: readonly (readonly [string, Coverage])[];

  /** `ids`: those that this sync reads. The others keep what `stored` says. `unknown`: what holds if it says nothing. */
  constructor(
    stored: ReadonlyMap<string, Coverage>,
    ids: Iterable<string>,
    unknown: Coverage,
    options: ListOptions,
  ) {
    for (const id of ids) {
      const known = stored.get(id) ?? unknown;
      if (isFarAbove(newestOf(known), options.present)) this.cutAtPresent.push(id);
      this.#read.set(id, new ListCoverage(known, options));
    }
    this.#others = [...stored].filter(([id]) => !this.#read.has(id));
  }

  /** The list of an id that this sync reads. */
  of(id: string): ListCoverage {
    return certain(this.#read.get(id), "the list");
  }

  reads(id: string): boolean {
    return this.#read.has(id);
  }

  /** The coverage of each list that has one, as of now. Most snapshots are never asked for their content. */
  snapshot(): () => Record<string, Coverage> {
    const read = Array.from(this.#read, ([id, { covered }]) => [id, covered] as const);
    return () => Object.fromEntries([...this.#others, ...read].filter(([, { length }]) => length > 0));
  }
}

/** Clocks of one service differ by less. */
const CLOCK_TOLERANCE_MICROSECONDS = 60_000_000;

/** Whether `timestamp` is in the future by more than the clocks of one service differ. */
export const isFarAbove = (timestamp: Timestamp | undefined, present: Timestamp): boolean =>
  timestamp !== undefined && microsecondsBetween(present, timestamp) > CLOCK_TOLERANCE_MICROSECONDS;
