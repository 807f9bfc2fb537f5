import {
  type Coverage,
  clipAbove,
  cover,
  type Gap,
  gapsIn,
  type Interval,
  isStrictlyInside,
  leaveOut,
  NOTHING,
  newestOf,
  reopenNewest,
} from "../coverage/coverage.ts";
import { CoverageMap } from "../coverage/coverage-map.ts";
import type { InitialState, NotFoundRespondent, StateSnapshot } from "../coverage/stream-state.ts";
import {
  addMicroseconds,
  earlier,
  latest,
  microsecondsBetween,
  parseTimestamp,
  type Timestamp,
} from "../coverage/timestamp.ts";
import type { RecordTreatment } from "../privacy/record-treatment.ts";
import { respondentKey } from "./respondent-depths.ts";

export interface StreamCursorOptions {
  readonly initialState: InitialState;
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  readonly startDate: Timestamp | undefined;
  readonly endDate: Timestamp | undefined;
  readonly lookbackMs: number;
  /** The service's present as far as it is known when the sync begins. */
  readonly present: Timestamp;
  /** For a stream that reads respondents' lists down to the start date: coverage made under a later one is void. */
  readonly dependsOnStartDate: boolean;
  readonly treatment: RecordTreatment;
}

/** A list that the sync reads: its coverage when the sync began, after lookback, and the gaps in it. */
interface ListAtStart {
  /** Before the lookback. */
  readonly stored: Coverage;
  readonly coverage: Coverage;
  readonly gaps: readonly Gap[];
  /** Timestamps that stay open, because a record of them could not be made. */
  readonly open: Set<Timestamp>;
}

/** More open timestamps than these, and the list is no longer covered at all: finding them would take too long. */
const MOST_OPEN_TIMESTAMPS = 10_000;
/** More intervals of a list than these, and the shortest are read again: a state has a bounded size. */
const MOST_INTERVALS = 200;
/** Clocks of one service differ by less. */
const CLOCK_TOLERANCE_MICROSECONDS = 60_000_000;
/** The lists of a service agree with each other after less. */
const SETTLED_AFTER_MICROSECONDS = 86_400_000_000;

/** Whether `timestamp` is in the future by more than the clocks of one service differ. */
export function isFarAbove(timestamp: Timestamp, present: Timestamp): boolean {
  return timestamp > present && microsecondsBetween(present, timestamp) > CLOCK_TOLERANCE_MICROSECONDS;
}

/**
 * A stream's coverage, as it stood when the sync began and as it grows. The range that the lookback re-opens is out of
 * every state until it has been walked again (I5).
 */
export class StreamCursor {
  /** Lists whose state reached above the service's present when the sync began, and was cut there (S12). */
  readonly cutAtPresent: string[] = [];
  /** Respondents that the service did not know, for the next sync to confirm. */
  notFound: readonly NotFoundRespondent[] = [];
  readonly #options: StreamCursorOptions;
  /** The spelling of each configured respondent, by key. */
  readonly #configured: ReadonlyMap<string, string>;
  readonly #surveys: CoverageMap;
  readonly #respondents: CoverageMap;
  readonly #surveysAtStart: Map<string, ListAtStart>;
  readonly #respondentsAtStart: Map<string, ListAtStart>;
  #settledUpTo: Timestamp;
  #snapshot: StateSnapshot | undefined;

  constructor(options: StreamCursorOptions) {
    const { initialState, surveyIds, startDate, dependsOnStartDate } = options;
    this.#options = options;
    this.#configured = new Map(options.respondentUuids.map((uuid) => [respondentKey(uuid), uuid]));
    this.#settledUpTo = addMicroseconds(options.present, -SETTLED_AFTER_MICROSECONDS);
    const respondentUuids = options.respondentUuids.map((uuid) => this.#keyOf(uuid));
    const isVoid =
      dependsOnStartDate &&
      initialState.startDate !== undefined &&
      (startDate === undefined || startDate < initialState.startDate);
    // Lists that are not configured now keep their entries.
    this.#surveys = new CoverageMap(isVoid ? [] : initialState.surveys);
    this.#respondents = new CoverageMap(initialState.respondents);
    const upTo: Coverage = initialState.upTo === undefined || isVoid ? NOTHING : [[null, initialState.upTo]];
    this.#surveysAtStart = this.#open(this.#surveys, surveyIds, upTo);
    this.#respondentsAtStart = this.#open(this.#respondents, dependsOnStartDate ? respondentUuids : [], upTo);
  }

  /** Whether the configuration names the respondent, in whatever spelling. */
  isConfigured(uuid: string): boolean {
    return this.#configured.has(respondentKey(uuid));
  }

  /** The gaps of a survey in this stream, fixed when the sync began. */
  gapsOfSurvey(id: string): readonly Gap[] {
    return this.#surveysAtStart.get(id)?.gaps ?? [];
  }

  gapsOfRespondent(uuid: string): readonly Gap[] {
    return this.#respondentsAtStart.get(this.#keyOf(uuid))?.gaps ?? [];
  }

  /** Whether a response of a configured survey was delivered, with its respondent, before this sync (I3). */
  wasDelivered(surveyId: string, timestamp: Timestamp): boolean {
    return isStrictlyInside(this.#surveysAtStart.get(surveyId)?.coverage ?? NOTHING, timestamp);
  }

  /** Whether an earlier sync covered it, be it only as an edge or in the range that the lookback re-opens. */
  wasCovered(surveyId: string, timestamp: Timestamp): boolean {
    const stored = this.#surveysAtStart.get(surveyId)?.stored ?? NOTHING;
    return stored.some(
      ([older, newer]) => older !== newer && (older === null || older <= timestamp) && timestamp <= newer,
    );
  }

  /** `newestSeen`: of that survey, in this sync. Nothing above the newest response seen is ever covered (I2). */
  coverSurvey(id: string, interval: Interval, newestSeen: Timestamp | undefined): void {
    this.#grow(this.#surveys, this.#surveysAtStart, id, interval, newestSeen);
  }

  /** Of a respondent whom the configuration names; for others nothing is kept, so the state does not grow with them. */
  coverRespondent(uuid: string, interval: Interval, newestSeen: Timestamp | undefined): void {
    this.#grow(this.#respondents, this.#respondentsAtStart, this.#keyOf(uuid), interval, newestSeen);
  }

  /** Whether the end date lets this sync read everything that the surveys' coverage holds. */
  get readsAllThatIsCovered(): boolean {
    const { endDate } = this.#options;
    if (endDate === undefined) return true;
    return [...this.#surveys.ids()].every((id) => (newestOf(this.#surveys.get(id)) ?? endDate) <= endDate);
  }

  /** A response with this timestamp could not be made a record: no later interval covers it. */
  leaveOpen(surveyId: string, timestamp: Timestamp): void {
    this.#surveysAtStart.get(surveyId)?.open.add(timestamp);
  }

  /**
   * Cuts the survey's coverage where it reaches far above the service's present: the next sync reads from there.
   *
   * @returns whether it did
   */
  cutSurveyAt(id: string, present: Timestamp): boolean {
    const coverage = this.#surveys.get(id);
    const newest = newestOf(coverage);
    if (newest === undefined || !isFarAbove(newest, present)) return false;
    this.#surveys.set(id, clipAbove(coverage, present));
    this.#snapshot = undefined;
    return true;
  }

  /** Responses up to here were there so long before the sync began that all lists of the service know them. */
  get settledUpTo(): Timestamp {
    return this.#settledUpTo;
  }

  /** An answer has shown the service's present: the machine's clock may have been ahead of it. */
  sawPresent(present: Timestamp): void {
    this.#settledUpTo = earlier(this.#settledUpTo, addMicroseconds(present, -SETTLED_AFTER_MICROSECONDS));
  }

  /** Whether `collectedAt` lies there. */
  isSettled(collectedAt: string): boolean {
    const timestamp = parseTimestamp(collectedAt);
    return timestamp !== undefined && timestamp <= this.settledUpTo;
  }

  /** The respondents that wait for confirmation have changed. */
  setNotFound(notFound: readonly NotFoundRespondent[]): void {
    this.notFound = notFound;
    this.#snapshot = undefined;
  }

  /** The state as of now; it never changes afterwards (I4). */
  state(): StateSnapshot {
    if (this.#snapshot) return this.#snapshot;
    const { dependsOnStartDate, startDate, treatment } = this.#options;
    const { fingerprint, identifiers } = treatment;
    const [surveys, respondents, notFound] = [
      this.#surveys.snapshot(),
      this.#respondents.snapshot(),
      this.notFound,
    ];
    this.#snapshot = {
      toJSON: () => ({
        version: 1,
        surveys: surveys.toJSON(),
        ...(dependsOnStartDate &&
          identifiers !== "omit" &&
          !respondents.isEmpty && { respondents: respondents.toJSON() }),
        ...(dependsOnStartDate && startDate !== undefined && { start_date: startDate }),
        ...(notFound.length > 0 && { not_found: notFound }),
        ...(fingerprint !== undefined && { personal_data: fingerprint }),
      }),
    };
    return this.#snapshot;
  }

  /** The respondent's name in the state. Where the state names nobody, their coverage is not written. */
  #keyOf(uuid: string): string {
    const configured = this.#configured.get(respondentKey(uuid)) ?? uuid;
    return this.#options.treatment.respondentKey(configured) ?? configured;
  }

  #open(map: CoverageMap, ids: readonly string[], fallback: Coverage): Map<string, ListAtStart> {
    const { startDate, endDate, lookbackMs, present } = this.#options;
    const wanted: Gap = { older: startDate ?? null, newer: endDate };
    return new Map(
      ids.map((id) => {
        const stored = map.has(id) ? map.get(id) : fallback;
        const past = clipAbove(stored, present);
        if (past !== stored && isFarAbove(newestOf(stored)!, present)) this.cutAtPresent.push(id);
        const coverage = reopenNewest(past, lookbackMs);
        map.set(id, coverage);
        return [id, { stored: past, coverage, gaps: gapsIn(wanted, coverage), open: new Set() }];
      }),
    );
  }

  #grow(
    map: CoverageMap,
    lists: ReadonlyMap<string, ListAtStart>,
    id: string,
    interval: Interval,
    newestSeen: Timestamp | undefined,
  ): void {
    const list = lists.get(id);
    if (list === undefined || list.open.size > MOST_OPEN_TIMESTAMPS) return;
    const coverage = map.get(id);
    const limit = latest(newestOf(coverage), newestSeen);
    if (limit === undefined) return;
    const newer = earlier(interval[1], limit);
    if (interval[0] !== null && interval[0] > newer) return;
    const grown = leaveOut([interval[0], newer], list.open).reduce(cover, coverage);
    map.set(id, mostOf(grown));
    this.#snapshot = undefined;
  }
}

/** The newest interval, where the next lookback begins, and the longest others. */
function mostOf(coverage: Coverage): Coverage {
  if (coverage.length <= MOST_INTERVALS) return coverage;
  const lengthOf = ([older, newer]: Interval): number =>
    older === null ? Number.POSITIVE_INFINITY : microsecondsBetween(older, newer);
  const longest = coverage.slice(0, -1).sort((a, b) => (lengthOf(a) < lengthOf(b) ? 1 : -1));
  const kept = new Set(longest.slice(0, MOST_INTERVALS - 1)).add(coverage.at(-1)!);
  return coverage.filter((interval) => kept.has(interval));
}
