import {
  type Coverage,
  clipAbove,
  cover,
  type Gap,
  gapsIn,
  holdsAll,
  type Interval,
  isStrictlyInside,
  isWithin,
  liesIn,
  NOTHING,
  newestOf,
  reopenNewest,
} from "../coverage/coverage.ts";
import { CoverageMap } from "../coverage/coverage-map.ts";
import { OpenRanges, type Place } from "../coverage/open-ranges.ts";
import type { InitialState, StateSnapshot } from "../coverage/stream-state.ts";
import {
  addMicroseconds,
  earlier,
  grainOf,
  later,
  latest,
  microsecondsBetween,
  type Timestamp,
} from "../coverage/timestamp.ts";
import { invariant } from "../errors.ts";
import { given, say } from "../text/message.ts";
import { ConfiguredProgress } from "./configured-respondents.ts";

export interface StreamCursorOptions {
  readonly initialState: InitialState;
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  readonly startDate: Timestamp | undefined;
  readonly endDate: Timestamp | undefined;
  readonly lookbackMs: number;
  /** The service's present as far as it is known when the sync begins. */
  readonly present: Timestamp;
  /** The service's present at the first page of the sync, for a stream that covers nothing above it. */
  readonly bound: { readonly at: Timestamp | undefined } | undefined;
  /** Whether the state depends on whom the configuration names and on the start date: respondents' responses do. */
  readonly readsListsOfResponses: boolean;
  /** How personal data is treated, for the state. */
  readonly personalData: string | undefined;
}

/** A part of a survey's list that a stream is done with. */
export interface Settlement {
  readonly surveyId: string;
  readonly intervals: readonly Interval[];
  /** The newest timestamp that was read. */
  readonly upTo: Timestamp | undefined;
  /** Of that survey, in this sync. */
  readonly newestSeen: Timestamp | undefined;
  /** Whether it was read only because something of it was open. */
  readonly isRetry: boolean;
  /** How many of its responses the stream takes; how many of them were delivered; and the others. */
  readonly taken: number;
  readonly delivered: number;
  readonly open: readonly Place[];
  /** How many are in doubt, and listed as open until that is decided. */
  readonly doubtful: number;
}

interface SurveyAtStart {
  /** Before the lookback, without points, which cover nothing. */
  readonly stored: Coverage;
  readonly coverage: Coverage;
  readonly gaps: readonly Gap[];
}

/** Clocks of one service differ by less. */
const CLOCK_TOLERANCE_MICROSECONDS = 60_000_000;

/** Whether `timestamp` is in the future by more than the clocks of one service differ. */
export function isFarAbove(timestamp: Timestamp, present: Timestamp): boolean {
  return timestamp > present && microsecondsBetween(present, timestamp) > CLOCK_TOLERANCE_MICROSECONDS;
}

/**
 * What a stream has delivered, as it stood when the sync began and as it grows: the coverage of each survey, and what is
 * open in it. The range that the lookback re-opens is out of every state until it has been walked again (I5).
 */
export class StreamCursor {
  /** Surveys whose state reached above the present when the sync began, and was cut there (S12). */
  readonly cutAtPresent: string[] = [];
  readonly open: OpenRanges;
  readonly configured: ConfiguredProgress;
  readonly #options: StreamCursorOptions;
  readonly #coverage: CoverageMap;
  readonly #atStart: ReadonlyMap<string, SurveyAtStart>;
  /** The lowest timestamp that this sync may read of any survey; null = the beginning. */
  readonly #lowestWanted: Timestamp | null | undefined;
  #openNext: InitialState["openNext"];
  #snapshot: StateSnapshot | undefined;

  constructor(options: StreamCursorOptions) {
    const { initialState, startDate, endDate, readsListsOfResponses, respondentUuids, lookbackMs } = options;
    this.#options = options;
    const isVoid =
      readsListsOfResponses &&
      initialState.startDate !== undefined &&
      (startDate === undefined || startDate < initialState.startDate);
    const { upTo } = initialState;
    // Surveys that are not configured now keep their entries.
    this.#coverage = new CoverageMap(isVoid ? [] : initialState.surveys);
    this.open = new OpenRanges(isVoid ? new Map() : initialState.open);
    this.#openNext = isVoid ? undefined : initialState.openNext;
    this.configured = new ConfiguredProgress({
      uuids: readsListsOfResponses ? respondentUuids : [],
      stored: isVoid ? undefined : initialState.configured,
      ...{ upTo: isVoid ? undefined : upTo, lookbackMs, endDate, present: options.present },
    });
    this.#atStart = this.#begin(upTo === undefined || isVoid ? NOTHING : [[null, upTo]]);
    this.#lowestWanted = this.#findLowestWanted();
  }

  /** Whether the survey is configured. */
  reads(surveyId: string): boolean {
    return this.#atStart.has(surveyId);
  }

  /** The gaps of a survey in this stream, fixed when the sync began. */
  gapsOfSurvey(id: string): readonly Gap[] {
    return this.#atStart.get(id)?.gaps ?? [];
  }

  /** The open ranges that are still to be tried, within the dates of this sync and outside of its gaps, oldest first. */
  toRetry(surveyId: string): Coverage {
    const { startDate = null, endDate } = this.#options;
    const isRead = ([older, newer]: Interval): boolean =>
      this.gapsOfSurvey(surveyId).some(
        (gap) =>
          (gap.older === null || (older !== null && gap.older <= older)) &&
          (gap.newer === undefined || newer <= gap.newer),
      );
    return this.open.left(surveyId).flatMap(([from, to]): Interval[] => {
      const older = startDate === null ? from : later(from ?? startDate, startDate);
      const newer = earlier(to, endDate ?? to);
      return (older !== null && older > newer) || isRead([older, newer]) ? [] : [[older, newer]];
    });
  }

  /** Whether the stream takes a response: it lies in a gap, or in an open range that was not read since. */
  takes({ surveyId, timestamp }: Place, isRetry: boolean): boolean {
    if (liesIn(this.gapsOfSurvey(surveyId), timestamp)) return !isRetry;
    const { startDate = timestamp, endDate = timestamp } = this.#options;
    return startDate <= timestamp && timestamp <= endDate && this.open.isLeft({ surveyId, timestamp });
  }

  /**
   * Whether a response of a configured survey was delivered, with its respondent, before this sync (I3): all of the unit
   * of time that it shows lies strictly inside the coverage, and nothing of that is open.
   */
  wasDelivered({ surveyId, timestamp }: Place): boolean {
    const unit = grainOf(timestamp) - 1;
    // Most services show microseconds, and this is asked of each response of each respondent.
    const from = unit === 0 ? timestamp : addMicroseconds(timestamp, -unit);
    const to = unit === 0 ? timestamp : addMicroseconds(timestamp, unit);
    return (
      isStrictlyInside(this.#atStart.get(surveyId)?.coverage ?? NOTHING, from, to) &&
      !this.open.atStart(surveyId).some(([older, newer]) => (older === null || older <= to) && from <= newer)
    );
  }

  /**
   * Whether an earlier sync covered it, be it only as an edge or in the range that the lookback re-opens: its respondent
   * was read or counted as deleted.
   */
  wasCovered(place: Place): boolean {
    const { surveyId, timestamp } = place;
    return !this.open.wasOpen(place) && isWithin(this.#atStart.get(surveyId)?.stored ?? NOTHING, timestamp);
  }

  /** Whether this sync reads nothing of any survey below `timestamp`. */
  isWholeBelow(timestamp: Timestamp): boolean {
    const lowest = this.#lowestWanted;
    return lowest === undefined || (lowest !== null && lowest >= timestamp);
  }

  /** Whether a response of this time can be covered by this sync. */
  isWithinBound(timestamp: Timestamp): boolean {
    const at = this.#options.bound?.at;
    return at === undefined || timestamp <= at;
  }

  /**
   * The stream is done with a part of a survey's list: it is covered, up to the newest response seen (I2) and the bound, and
   * what could not be delivered of it is open.
   *
   * @throws SurveyExportError `defect` if a response of it was neither delivered nor is open
   */
  settle(settlement: Settlement): void {
    const { surveyId, intervals, upTo, newestSeen, isRetry, taken, delivered, open, doubtful } = settlement;
    invariant(
      delivered + open.length + doubtful === taken,
      () => say`${taken - delivered} of ${taken} responses of survey ${given(surveyId)} are unaccounted for`,
    );
    const coverage = this.#coverage.get(surveyId);
    const limit = latest(newestOf(coverage), newestSeen);
    for (const [older, top] of intervals) {
      const newest = earlier(top, this.#options.bound?.at ?? top);
      if (older !== null && older > newest) continue;
      const closedTo = earlier(newest, upTo ?? newest);
      if (older === null || older <= closedTo) this.open.close(surveyId, [older, closedTo]);
      if (isRetry || limit === undefined || (older !== null && older > limit)) continue;
      this.#coverage.set(surveyId, cover(this.#coverage.get(surveyId), [older, earlier(newest, limit)]));
    }
    const grown = this.#coverage.get(surveyId);
    invariant(
      grown === coverage || (holdsAll(grown, coverage) && latest(newestOf(grown), limit) === limit),
      () => say`the state of survey ${given(surveyId)} lost something, or rose above what was seen`,
    );
    for (const { timestamp } of open) this.open.add(surveyId, [timestamp, timestamp]);
    this.changed();
  }

  /** A range of a survey may hold something that was not read. Nothing happens if this stream has read it before. */
  leaveOpen(surveyId: string, [older, newer]: Interval): void {
    const meets = (from: Timestamp | null, to: Timestamp | undefined): boolean =>
      (from === null || from <= newer) && (to === undefined || older === null || older <= to);
    const isWanted =
      this.gapsOfSurvey(surveyId).some((gap) => meets(gap.older, gap.newer)) ||
      this.open.left(surveyId).some(([from, to]) => meets(from, to));
    if (!isWanted || (older !== null && !this.isWithinBound(older))) return;
    this.open.add(surveyId, [older, newer]);
    this.changed();
  }

  /** Where this sync begins to try open ranges, in turn with earlier syncs. */
  get openNext(): InitialState["openNext"] {
    return this.#openNext;
  }

  /** The next sync begins there; undefined = all were tried. */
  stopTriesAt(place: InitialState["openNext"]): void {
    this.#openNext = place;
    this.changed();
  }

  /** Something that the state tells of has changed. */
  changed(): void {
    this.#snapshot = undefined;
  }

  /** The state as of now; it never changes afterwards (I4). */
  state(): StateSnapshot {
    if (this.#snapshot) return this.#snapshot;
    const { readsListsOfResponses, startDate, personalData } = this.#options;
    const [surveys, open] = [this.#coverage.snapshot(), this.open.snapshot()];
    const [openNext, configured] = [this.#openNext, this.configured.stored];
    this.#snapshot = {
      toJSON: () => ({
        version: 1,
        surveys: surveys.toJSON(),
        ...(!open.isEmpty && { open: open.toJSON() }),
        ...(!open.isEmpty && openNext && { open_next: openNext }),
        ...(configured && { configured_respondents: configured }),
        ...(readsListsOfResponses && startDate !== undefined && { start_date: startDate }),
        ...(personalData !== undefined && { personal_data: personalData }),
      }),
    };
    return this.#snapshot;
  }

  #begin(fallback: Coverage): Map<string, SurveyAtStart> {
    const { surveyIds, startDate, endDate, lookbackMs, present } = this.#options;
    const wanted: Gap = { older: startDate ?? null, newer: endDate };
    return new Map(
      surveyIds.map((id) => {
        const known = this.#coverage.has(id) ? this.#coverage.get(id) : fallback;
        const past = clipAbove(known, present);
        const newest = newestOf(known);
        if (newest !== undefined && isFarAbove(newest, present)) this.cutAtPresent.push(id);
        const coverage = reopenNewest(past, lookbackMs);
        this.#coverage.set(id, coverage);
        const stored = past.filter(([older, newer]) => older !== newer);
        return [id, { stored, coverage, gaps: gapsIn(wanted, coverage) }];
      }),
    );
  }

  #findLowestWanted(): Timestamp | null | undefined {
    let lowest: Timestamp | null | undefined;
    for (const [id, { gaps }] of this.#atStart) {
      const olders = [...gaps.map(({ older }) => older), ...this.toRetry(id).map(([older]) => older)];
      for (const older of olders) {
        if (older === null) return null;
        if (lowest === undefined || lowest === null || older < lowest) lowest = older;
      }
    }
    return lowest;
  }
}
