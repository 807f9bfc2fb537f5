import { certain } from "../errors.ts";
import {
  adding,
  type Coverage,
  type Edit,
  type Gap,
  gapsIn,
  holeAround,
  type Interval,
  newestOf,
  outside,
  partsIn,
  removing,
} from "./coverage.ts";
import {
  addMicroseconds,
  COARSEST_GRAIN,
  earlier,
  earliest,
  LATEST,
  latest,
  microsecondsBetween,
  roundDown,
  type Timestamp,
} from "./timestamp.ts";

export interface ListOptions {
  /** The bounds of what is read at all. */
  readonly wanted: Gap;
  readonly lookbackMs: number;
  /** A state that reaches above it is cut there (S12). */
  readonly present: Timestamp;
  /** Whether it also covers what lies above the newest item: so it says which items are gone. */
  readonly isWhole: boolean;
}

/** What a page shows of its list, beside its items. */
export interface Seen {
  /** When everything that the page leads to was read, at the earliest: the service's present, or the machine's (S12). */
  readonly present: Timestamp;
  /** Whether the service told it. */
  readonly isDated: boolean;
  /** The newest item that is not from the future. */
  readonly newest: Timestamp | undefined;
  /** The unit of the timestamps (S7), in microseconds. */
  readonly grain: number;
}

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
  /** Changed in place: there may be thousands of holes, and as many pages. */
  readonly #covered: Interval[];
  readonly #holes: Interval[] = [];
  readonly #onEdit: (edit: Edit) => void;
  /** Of all pages: the earliest present, whether each one told it, the newest item and the finest unit. */
  #present: Timestamp | undefined;
  #isDated = true;
  #newest: Timestamp | undefined;
  #grain = COARSEST_GRAIN;

  /** `onEdit`: told of each change of `covered`. */
  constructor(stored: Coverage, options: ListOptions, onEdit: (edit: Edit) => void = () => {}) {
    this.#options = options;
    this.#onEdit = onEdit;
    this.#covered = [...stored];
    this.#edit(removing(stored, [options.present, LATEST]));
    this.#newestStored = newestOf(this.#covered);
    this.gaps = gapsIn(options.wanted, this.#covered);
  }

  get covered(): Coverage {
    return this.#covered;
  }

  /** Before what a page has read is covered. */
  sees({ present, isDated, newest, grain }: Seen): void {
    this.#present = earliest(this.#present, present);
    this.#isDated &&= isDated;
    this.#newest = latest(this.#newest, newest);
    this.#grain = Math.min(this.#grain, grain);
  }

  /** What this sync reads of each range is left to the next one. @returns whether it reads any of it */
  leave(ranges: readonly Interval[]): boolean {
    const parts = ranges.flatMap((range) => partsIn(this.gaps, range));
    for (const hole of parts.map(holeAround)) {
      apply(this.#holes, adding(this.#holes, hole));
      this.#edit(removing(this.#covered, hole));
    }
    return parts.length > 0;
  }

  /** Everything in `interval` was delivered or left. It is covered as far as that is final. */
  cover([older, newer]: Interval): void {
    const final = this.#final();
    if (final === undefined || (older !== null && older >= final)) return;
    for (const part of outside(this.#holes, [older, earlier(newer, final)]))
      this.#edit(adding(this.#covered, part));
  }

  /** Nothing of it counts as read any more. */
  forget(): void {
    this.#edit(removing(this.#covered, [null, LATEST]));
  }

  #edit(edit: Edit): void {
    apply(this.#covered, edit);
    this.#onEdit(edit);
  }

  /**
   * Nothing above it is covered (I5): what is younger than the lookback may still appear, or grow, and of what lies more
   * than one unit above the newest item nothing is known. The newest item stands for a present that is not told.
   * The earliest present counts: what appears between two pages may be above the second one, and not on the first one.
   */
  #final(): Timestamp | undefined {
    const { lookbackMs, isWhole } = this.#options;
    const [newest, stored] = [this.#newest, this.#newestStored];
    const readAt = this.#isDated ? this.#present : newest && earliest(this.#present, newest);
    const settled = readAt && roundDown(addMicroseconds(readAt, -1000 * lookbackMs), this.#grain);
    const final = this.#isDated ? settled : latest(settled, stored);
    if (isWhole) return final;
    const known = latest(newest && addMicroseconds(newest, this.#grain), stored);
    return final && known && earlier(final, known);
  }
}

const apply = (coverage: Interval[], [at, removed, inserted]: Edit): void =>
  void coverage.splice(at, removed.length, ...inserted);

/** What the next moment has changed, in the list of `id`. Undefined for the latest one. */
interface Moment {
  change?: { readonly id: string; readonly edit: Edit; readonly next: Moment };
}

/** The coverage of lists of one kind in one stream: of surveys, or of configured people. */
export class Lists {
  readonly #read = new Map<string, ListCoverage>();
  /** With those that this sync does not read. */
  readonly #coverages: Map<string, Coverage>;
  readonly #unknown: Coverage;
  readonly #options: ListOptions;
  #now: Moment = {};

  /** `unknown`: what holds for a list of which `stored` says nothing. */
  constructor(stored: ReadonlyMap<string, Coverage>, unknown: Coverage, options: ListOptions) {
    this.#coverages = new Map(stored);
    this.#unknown = unknown;
    this.#options = options;
  }

  /**
   * This sync reads the list of `id`. All others keep what their state says.
   * @returns whether its state reached above the present, and was cut there (S12)
   */
  add(id: string): boolean {
    const known = this.#coverages.get(id) ?? this.#unknown;
    const list = new ListCoverage(known, this.#options, (edit) => {
      const next: Moment = {};
      this.#now.change = { id, edit, next };
      this.#now = next;
    });
    this.#read.set(id, list);
    this.#coverages.set(id, list.covered);
    return isFarAbove(newestOf(known), this.#options.present);
  }

  /** The list of an id that this sync reads. */
  of(id: string): ListCoverage {
    return certain(this.#read.get(id), "the list");
  }

  reads(id: string): boolean {
    return this.#read.has(id);
  }

  /** The coverage of each list that has one, as of now: when it is asked for, the changes since then are taken back. */
  snapshot(): () => Record<string, Coverage> {
    const moment = this.#now;
    return () => {
      const since: NonNullable<Moment["change"]>[] = [];
      for (let { change } = moment; change; { change } = change.next) since.push(change);
      const then = new Map([...this.#coverages].map(([id, coverage]) => [id, [...coverage]]));
      for (const { id, edit } of since.reverse()) {
        const [at, removed, inserted] = edit;
        apply(then.get(id) ?? [], [at, inserted, removed]);
      }
      return Object.fromEntries([...then].filter(([, { length }]) => length > 0));
    };
  }
}

/** Clocks of one service differ by less. */
const CLOCK_TOLERANCE_MICROSECONDS = 60_000_000;

/** Whether `timestamp` is in the future by more than the clocks of one service differ. */
export const isFarAbove = (timestamp: Timestamp | undefined, present: Timestamp): boolean =>
  timestamp !== undefined && microsecondsBetween(present, timestamp) > CLOCK_TOLERANCE_MICROSECONDS;
