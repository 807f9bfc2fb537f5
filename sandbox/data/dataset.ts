import { formatTimestamp } from "../time.ts";
import { spread } from "./random.ts";
import type { ResponseInput } from "./record.ts";
import { type RespondentInput, Respondents } from "./respondents.ts";
import {
  comparePositions,
  type ListedResponse,
  Survey,
  type SurveyOptions,
  type SurveyRules,
} from "./survey.ts";

/** This many made-up responses. */
export interface CollectedCount {
  readonly count: number;
  /** Late arrivals: spread over this time before the survey's newest response, back to its older end. */
  readonly lateByMs?: number;
  /** Responses from the future: the first this far ahead of the clock, the others a second apart after it. */
  readonly aheadOfClockMs?: number;
}

/** Responses to add: one by one, or made up. */
export type Collected = readonly ResponseInput[] | CollectedCount;

/** The data to remove. */
export interface Removal {
  readonly responses?: readonly string[];
  /** Their endpoints answer 404 from now on. Their responses stay in the surveys by default. */
  readonly respondents?: readonly string[];
  readonly andTheirResponses?: boolean;
  /** With all their responses. */
  readonly surveys?: readonly string[];
}

/** All data of one service. */
export class Dataset {
  readonly respondents: Respondents;
  readonly #surveys = new Map<string, Survey>();
  readonly #seed: number;
  readonly #nowMs: () => number;
  #version = 0;

  constructor(
    surveys: readonly SurveyOptions[],
    respondents: readonly RespondentInput[],
    rules: SurveyRules,
    nowMs: () => number,
  ) {
    this.#seed = rules.seed;
    this.#nowMs = nowMs;
    this.respondents = new Respondents(rules.seed, rules.personalData);
    for (const respondent of respondents) this.respondents.describe(respondent);
    for (const [number, options] of surveys.entries()) {
      if (this.#surveys.has(options.id)) throw new Error(`Two surveys have the id "${options.id}".`);
      this.#surveys.set(options.id, new Survey(options, number, this.respondents, rules));
    }
  }

  /** Increases with every change of data. */
  get version(): number {
    return this.#version;
  }

  surveys(): Survey[] {
    return [...this.#surveys.values()];
  }

  survey(id: string): Survey | undefined {
    return this.#surveys.get(id);
  }

  /** A respondent's responses to all surveys, newest first, or undefined for an unknown respondent. */
  responsesOf(respondent: string): ListedResponse[] | undefined {
    if (this.respondents.attributes(respondent) === undefined) return undefined;
    return this.surveys()
      .flatMap((survey) => survey.listOf(respondent))
      .sort((one, other) => comparePositions(other, one));
  }

  /** Adds responses to a survey and returns their UUIDs. */
  collect(surveyId: string, what: Collected): string[] {
    const survey = this.#surveys.get(surveyId);
    if (survey === undefined) throw new Error(`There is no survey "${surveyId}" to collect responses for.`);
    this.#version += 1;
    const given = "count" in what ? this.#madeUp(survey, what) : what;
    return survey.add(given).map((response) => response.uuid);
  }

  /** Removes data. Returns how many of the named things existed. */
  remove(removal: Removal): number {
    this.#version += 1;
    let removed = 0;
    for (const uuid of removal.respondents ?? []) {
      if (this.respondents.attributes(uuid) !== undefined) removed += 1;
      if (removal.andTheirResponses === true) {
        for (const listed of this.responsesOf(uuid) ?? []) listed.of.remove(listed.of.uuid(listed));
      }
      this.respondents.remove(uuid);
    }
    for (const uuid of removal.responses ?? []) {
      if (this.surveys().some((survey) => survey.remove(uuid))) removed += 1;
    }
    for (const id of removal.surveys ?? []) {
      if (this.#surveys.delete(id)) removed += 1;
    }
    return removed;
  }

  /** Replaces a respondent's attributes. The respondent is known from now on. */
  describe(respondent: RespondentInput): void {
    this.#version += 1;
    this.respondents.describe(respondent);
  }

  /** New responses are newer than all others by default. Two of three are from known respondents. */
  #madeUp(survey: Survey, what: CollectedCount): ResponseInput[] {
    const microsOf = this.#timesOf(survey, what);
    return Array.from({ length: what.count }, (_, place) => {
      const chance = spread(this.#seed, this.#version, place);
      const known = this.respondents.pool > 0 && chance % 3 !== 0;
      return {
        ...(known && { respondent_uuid: this.respondents.uuid(chance % this.respondents.pool) }),
        ...survey.answer?.(chance),
        collected_at: formatTimestamp(microsOf(place, chance)),
      };
    });
  }

  #timesOf(
    survey: Survey,
    { count, lateByMs, aheadOfClockMs }: CollectedCount,
  ): (place: number, chance: number) => number {
    if (aheadOfClockMs !== undefined) {
      const firstMicros = Math.floor(this.#nowMs() + aheadOfClockMs) * 1_000;
      return (place) => firstMicros + place * 1_000_000;
    }
    const of = lateByMs === undefined ? this.surveys() : [survey];
    const newest = of.flatMap((one) => one.newestMicros() ?? []);
    const from = newest.length === 0 ? Date.UTC(2026, 0, 1) * 1_000 : Math.max(...newest);
    if (lateByMs !== undefined) return (place) => from - Math.floor((lateByMs * 1_000 * (place + 1)) / count);
    return (place, chance) => from + place * 1_000_000 + (chance % 900_000) + 1;
  }
}
