import { type Coverage, cover, NOTHING } from "../coverage/coverage.ts";
import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import type { Read } from "../lists/coverage-tracker.ts";
import type { WholeSurvey } from "../streams/definition.ts";

export interface WholeSurveysOptions {
  readonly startDate: Timestamp | undefined;
  readonly lookbackMs: number;
}

/**
 * Says which surveys a sync that began with nothing has read completely: what it covers is one interval that reaches
 * down to the start date, and nothing in it is open.
 */
export class WholeSurveys {
  readonly #older: Timestamp | null;
  readonly #lookbackMs: number;
  readonly #surveys = new Map<string, { count: number; covered: Coverage; isOpen: boolean }>();

  constructor({ startDate, lookbackMs }: WholeSurveysOptions) {
    this.#older = startDate ?? null;
    this.#lookbackMs = lookbackMs;
  }

  /** A page of a survey brought `count` responses. */
  add(surveyId: string, count: number, reads: readonly Read[]): void {
    const survey = this.#surveys.get(surveyId) ?? { count: 0, covered: NOTHING, isOpen: false };
    this.#surveys.set(surveyId, survey);
    survey.count += count;
    for (const { covered, open } of reads) {
      survey.isOpen ||= open.length > 0;
      for (const interval of covered) survey.covered = cover(survey.covered, interval);
    }
  }

  /** The surveys that are whole, once nothing more is read. */
  *whole(): Generator<readonly [surveyId: string, survey: WholeSurvey]> {
    for (const [id, { count, covered, isOpen }] of this.#surveys) {
      const [interval, ...others] = covered;
      if (isOpen || interval === undefined || others.length > 0 || interval[0] !== this.#older) continue;
      const [older] = interval;
      const newer = addMicroseconds(interval[1], -1000 * this.#lookbackMs);
      if (older === null || older <= newer) yield [id, { numberOfResponses: count, older, newer }];
    }
  }
}
