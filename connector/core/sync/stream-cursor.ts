import { type Coverage, type Gap, NOTHING, newestOf } from "../coverage/coverage.ts";
import { ListCoverage, type ListOptions } from "../coverage/list-coverage.ts";
import type { InitialState, StateSnapshot, StreamState } from "../coverage/stream-state.ts";
import { microsecondsBetween, type Timestamp } from "../coverage/timestamp.ts";
import { certain } from "../errors.ts";

/** Clocks of one service differ by less. */
const CLOCK_TOLERANCE_MICROSECONDS = 60_000_000;

/** Whether `timestamp` is in the future by more than the clocks of one service differ. */
export function isFarAbove(timestamp: Timestamp, present: Timestamp): boolean {
  return timestamp > present && microsecondsBetween(present, timestamp) > CLOCK_TOLERANCE_MICROSECONDS;
}

/** The coverage of lists of one kind in one stream: of surveys, or of configured people. */
export class Lists {
  /** Those whose state reached above the present when the sync began, and was cut there (S12). */
  readonly cutAtPresent: string[] = [];
  readonly #read = new Map<string, ListCoverage>();
  /** Of those that this sync does not read. */
  readonly #others: Map<string, Coverage>;

  /** `ids`: those that this sync reads. The others keep what `stored` says. */
  constructor(
    stored: Iterable<readonly [string, Coverage]>,
    ids: readonly string[],
    unknown: Coverage,
    options: ListOptions,
  ) {
    this.#others = new Map(stored);
    for (const id of ids) {
      const known = this.#others.get(id) ?? unknown;
      const newest = newestOf(known);
      if (newest !== undefined && isFarAbove(newest, options.present)) this.cutAtPresent.push(id);
      this.#read.set(id, new ListCoverage(known, options));
    }
    for (const id of ids) this.#others.delete(id);
  }

  /** The list of an id that this sync reads. */
  of(id: string): ListCoverage {
    return certain(this.#read.get(id), "the list");
  }

  reads(id: string): boolean {
    return this.#read.has(id);
  }

  /** The gaps of a list, fixed when the sync began. */
  gapsOf(id: string): readonly Gap[] {
    return this.of(id).gaps;
  }

  /** The coverage of each list that has one, as of now. Most snapshots are never asked for their content. */
  snapshot(): () => Record<string, Coverage> {
    const covered = Array.from(this.#read.values(), (list) => list.covered);
    return () => {
      const read = Array.from(this.#read.keys(), (id, at) => [id, covered[at] ?? NOTHING] as const);
      return Object.fromEntries([...this.#others, ...read].filter(([, { length }]) => length > 0));
    };
  }
}

export interface StreamCursorOptions extends Omit<ListOptions, "wanted"> {
  readonly initialState: InitialState;
  readonly surveyIds: readonly string[];
  /** As `respondentKey` gives them, of a stream that remembers them. */
  readonly respondents: readonly string[];
  readonly startDate: Timestamp | undefined;
  readonly endDate: Timestamp | undefined;
  /** Whether the state depends on the start date: people's lists are read down to it. */
  readonly dependsOnStartDate: boolean;
  /** How personal data is treated, for the state. */
  readonly personalData: string | undefined;
}

/**
 * What a stream has delivered, as it stood when the sync began and as it grows. The range that the lookback re-opens is
 * out of every state until it has been walked again (I5).
 */
export class StreamCursor {
  readonly surveys: Lists;
  readonly respondents: Lists;
  readonly #options: StreamCursorOptions;
  #snapshot: StateSnapshot | undefined;

  constructor(options: StreamCursorOptions) {
    const { initialState, surveyIds, respondents, startDate, endDate, dependsOnStartDate } = options;
    this.#options = options;
    const { startDate: readFrom, upTo } = initialState;
    const isVoid =
      dependsOnStartDate && readFrom !== undefined && (startDate === undefined || startDate < readFrom);
    const unknown: Coverage = upTo === undefined ? NOTHING : [[null, upTo]];
    const list: ListOptions = { ...options, wanted: { older: startDate ?? null, newer: endDate } };
    // Surveys that are not configured now keep their entries. People do not: a state names nobody else.
    const configured = [...initialState.respondents].filter(([uuid]) => respondents.includes(uuid));
    this.surveys = new Lists(isVoid ? [] : initialState.surveys, surveyIds, unknown, list);
    this.respondents = new Lists(isVoid ? [] : configured, respondents, unknown, list);
  }

  /** Something that the state tells of has changed. */
  changed(): void {
    this.#snapshot = undefined;
  }

  /** The state as of now; it never changes afterwards (I4). */
  state(): StateSnapshot {
    if (this.#snapshot) return this.#snapshot;
    const { dependsOnStartDate, startDate, personalData } = this.#options;
    const [surveys, respondents] = [this.surveys.snapshot(), this.respondents.snapshot()];
    const others = {
      ...(dependsOnStartDate && startDate !== undefined && { start_date: startDate }),
      ...(personalData !== undefined && { personal_data: personalData }),
    };
    const toJSON = (): StreamState => {
      const people = respondents();
      const named = Object.keys(people).length > 0 && { respondents: people };
      return { version: 1, surveys: surveys(), ...named, ...others };
    };
    this.#snapshot = { toJSON };
    return this.#snapshot;
  }
}
