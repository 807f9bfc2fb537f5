import { certain } from "../errors.ts";
import { apply, type Coverage, type Edit, newestOf } from "./coverage.ts";
import { ListCoverage, type ListOptions } from "./list-coverage.ts";
import { isFarAbove } from "./timestamp.ts";

/** What the next moment has changed, in the list of `id`. Undefined for the latest one. */
interface Moment {
  change?: { readonly id: string; readonly edit: Edit; readonly next: Moment };
}

/** The coverage of lists of one kind in one stream: of surveys, or of configured respondents. */
export class ListCoverages {
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
