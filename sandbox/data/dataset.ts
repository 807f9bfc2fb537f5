import { formatTimestamp } from "../time.ts";
import { spread } from "./random.ts";
import type { ResponseInput } from "./record.ts";
import { type RespondentInput, Respondents } from "./respondents.ts";
import {
  comparePositions,
  type StoredResponse,
  Survey,
  type SurveyOptions,
  type SurveyRules,
} from "./survey.ts";

/** This many made-up responses. By default they are newer than all others. */
export interface CollectedCount {
  readonly count: number;
  /** Late arrivals: spread over this time before the survey's newest response, back to its older end. */
  readonly lateByMs?: number;
  /** Collected now, or after the newest response if that is later. */
  readonly now?: boolean;
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
  readonly #byRespondent = new Map<string, StoredResponse[]>();
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
    this.respondents = new Respondents(rules.seed, rules.hasPersonalData);
    for (const respondent of respondents) this.respondents.describe(respondent);
    for (const [number, options] of surveys.entries()) {
      if (this.#surveys.has(options.id)) throw new Error(`Two surveys have the id "${options.id}".`);
      const survey = new Survey(options, number, this.respondents, rules);
      this.#surveys.set(options.id, survey);
      this.#index(survey.responses);
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

  /** A respondent's responses to all surveys, newest first. */
  responsesOf(respondent: string): StoredResponse[] {
    return (this.#byRespondent.get(respondent) ?? []).toSorted((one, other) => comparePositions(other, one));
  }

  /** The newest responses of all surveys, newest first. */
  newest(count: number): StoredResponse[] {
    return this.surveys()
      .flatMap(({ responses }) => responses.slice(-count))
      .sort((one, other) => comparePositions(other, one))
      .slice(0, count);
  }

  /** Adds responses to a survey and returns their UUIDs. */
  collect(surveyId: string, what: Collected): string[] {
    const survey = this.#surveys.get(surveyId);
    if (survey === undefined) throw new Error(`There is no survey "${surveyId}" to collect responses for.`);
    this.#version += 1;
    const added = survey.add("count" in what ? this.#madeUp(survey, what) : what, this.respondents);
    this.#index(added);
    return added.map((response) => response.uuid);
  }

  /** Removes data. Returns how many of the named things existed. */
  remove({ responses = [], respondents = [], andTheirResponses = false, surveys = [] }: Removal): number {
    this.#version += 1;
    let removed = 0;
    for (const uuid of respondents) {
      if (this.respondents.attributes(uuid) !== undefined) removed += 1;
      if (andTheirResponses)
        for (const response of this.responsesOf(uuid)) this.#removeResponse(response.uuid);
      this.respondents.remove(uuid);
    }
    for (const uuid of responses) if (this.#removeResponse(uuid)) removed += 1;
    for (const id of surveys) {
      if (!this.#surveys.delete(id)) continue;
      removed += 1;
      for (const [uuid, theirs] of this.#byRespondent) {
        this.#byRespondent.set(
          uuid,
          theirs.filter(({ survey }) => survey.id !== id),
        );
      }
    }
    return removed;
  }

  /** Replaces a respondent's attributes. The respondent is known from now on. */
  describe(respondent: RespondentInput): void {
    this.#version += 1;
    this.respondents.describe(respondent);
  }

  #index(added: readonly StoredResponse[]): void {
    for (const response of added) {
      const theirs = this.#byRespondent.get(response.respondent);
      if (theirs === undefined) this.#byRespondent.set(response.respondent, [response]);
      else theirs.push(response);
    }
  }

  #removeResponse(uuid: string): boolean {
    for (const survey of this.surveys()) {
      const removed = survey.remove(uuid);
      if (removed === undefined) continue;
      const theirs = this.#byRespondent.get(removed.respondent) ?? [];
      this.#byRespondent.set(
        removed.respondent,
        theirs.filter((response) => response !== removed),
      );
      return true;
    }
    return false;
  }

  /** Two of three made-up responses are from known respondents. */
  #madeUp(survey: Survey, what: CollectedCount): ResponseInput[] {
    const microsOf = this.#timesOf(survey, what);
    const { size } = this.respondents;
    return Array.from({ length: what.count }, (_, place) => {
      const chance = spread(this.#seed, this.#version, place);
      return {
        ...(size > 0 && chance % 3 !== 0 && { respondent_uuid: this.respondents.uuid(chance % size) }),
        ...survey.answer?.(chance),
        collected_at: formatTimestamp(microsOf(place, chance)),
      };
    });
  }

  #timesOf(
    survey: Survey,
    { count, lateByMs, now }: CollectedCount,
  ): (place: number, chance: number) => number {
    if (lateByMs !== undefined) {
      const newest = survey.responses.at(-1)?.micros ?? FIRST_MICROS;
      return (place) => newest - Math.floor((lateByMs * 1_000 * (place + 1)) / count);
    }
    const newest = this.newest(1)[0]?.micros ?? FIRST_MICROS;
    const present = Math.floor(this.#nowMs()) * 1_000 - count;
    if (now) return (place) => Math.max(newest + 1, present) + place;
    return (place, chance) => newest + place * 1_000_000 + (chance % 900_000) + 1;
  }
}

/** When the first response comes, if there is none yet. */
const FIRST_MICROS = Date.UTC(2026, 0, 1) * 1_000;
