import { certain } from "../errors.ts";
import {
  type Coverage,
  cover,
  coverageOf,
  type Interval,
  isWithin,
  mergedTo,
  NOTHING,
  without,
} from "./coverage.ts";
import { CoverageMap, type CoverageSnapshot } from "./coverage-map.ts";
import type { Timestamp } from "./timestamp.ts";

/** Ranges of one survey in a state. More merge with their neighbours, so that a state has a bounded size. */
export const MOST_RANGES = 100;

/** A timestamp of a survey. */
export interface Place {
  readonly surveyId: string;
  readonly timestamp: Timestamp;
}

/**
 * What one stream has seen and could not deliver, by survey: closed ranges of time beside its coverage. Each sync tries
 * them again. Nothing leaves this list but by being read, or because its respondent was deleted.
 *
 * Example: the state lists 3 to 9. A page is read whole from 6 to 12, and an item at 7 fails: 3 to 5, and 7, are open.
 */
export class OpenRanges {
  readonly #atStart: ReadonlyMap<string, Coverage>;
  /** What is left of the ranges that were there at the start. */
  readonly #left: Map<string, Coverage>;
  /** What this sync has added for good. */
  readonly #added = new Map<string, Coverage>();
  /** What this sync has added in doubt: several respondents may share a timestamp. */
  readonly #doubtful = new Map<string, Timestamp[]>();
  /** All of them together, as the state lists them. */
  readonly #listed: CoverageMap;

  constructor(atStart: ReadonlyMap<string, Coverage>) {
    this.#atStart = atStart;
    this.#left = new Map(atStart);
    this.#listed = new CoverageMap(atStart);
  }

  /** The ranges of a survey when the sync began, oldest first. */
  atStart(surveyId: string): Coverage {
    return this.#atStart.get(surveyId) ?? NOTHING;
  }

  /** What is left of them, since it was not read again. */
  left(surveyId: string): Coverage {
    return this.#left.get(surveyId) ?? NOTHING;
  }

  isLeft({ surveyId, timestamp }: Place): boolean {
    return isWithin(this.left(surveyId), timestamp);
  }

  wasOpen({ surveyId, timestamp }: Place): boolean {
    return isWithin(this.atStart(surveyId), timestamp);
  }

  /** All of `interval` has been read: what was open there when the sync began is closed. */
  close(surveyId: string, interval: Interval): void {
    const left = this.#left.get(surveyId);
    if (left === undefined || left.length === 0) return;
    this.#left.set(surveyId, without(left, interval));
    this.#list(surveyId);
  }

  add(surveyId: string, range: Interval): void {
    this.#added.set(surveyId, mergedTo(MOST_RANGES, cover(this.#added.get(surveyId) ?? NOTHING, range)));
    this.#extend(surveyId, range);
  }

  /** Open like others, until `decide` closes it or adds it for good. */
  doubt({ surveyId, timestamp }: Place): void {
    const doubtful = this.#doubtful.get(surveyId);
    if (doubtful) doubtful.push(timestamp);
    else this.#doubtful.set(surveyId, [timestamp]);
    this.#extend(surveyId, [timestamp, timestamp]);
  }

  /** Ends the doubt about each of `places`, which were doubted before. */
  decide<P extends Place>(places: readonly P[], isClosed: (place: P) => boolean): void {
    for (const place of places) {
      const doubtful = certain(this.#doubtful.get(place.surveyId), "the doubt");
      doubtful.splice(doubtful.indexOf(place.timestamp), 1);
      if (!isClosed(place)) this.add(place.surveyId, [place.timestamp, place.timestamp]);
    }
    for (const surveyId of new Set(places.map((place) => place.surveyId))) this.#list(surveyId);
  }

  /** How many ranges are open in all. */
  get count(): number {
    let count = 0;
    for (const id of this.#listed.ids()) count += this.#listed.get(id).length;
    return count;
  }

  snapshot(): CoverageSnapshot {
    return this.#listed.snapshot();
  }

  #extend(surveyId: string, range: Interval): void {
    this.#listed.set(surveyId, mergedTo(MOST_RANGES, cover(this.#listed.get(surveyId), range)));
  }

  #list(surveyId: string): void {
    const doubtful = (this.#doubtful.get(surveyId) ?? []).map(
      (timestamp): Interval => [timestamp, timestamp],
    );
    const added = this.#added.get(surveyId) ?? NOTHING;
    const left = this.#left.get(surveyId) ?? NOTHING;
    this.#listed.set(surveyId, mergedTo(MOST_RANGES, coverageOf([...left, ...added, ...doubtful])));
  }
}
