import { formatMoment } from "../moment.ts";
import { spread } from "./chance.ts";
import type { ResponseInput } from "./given.ts";
import { People, type RespondentInput } from "./people.ts";
import { comparePositions } from "./position.ts";
import { type Listed, Survey, type SurveyOptions } from "./survey.ts";

/** So many responses, made up. */
export interface CollectedCount {
  readonly count: number;
  /** Late arrivals: spread over so many milliseconds before the survey's newest, the oldest exactly so old. */
  readonly lateByMs?: number;
  /** From the future: the first this far ahead of the service's clock, the others a second apart above it. */
  readonly aheadOfClockMs?: number;
}

/** What is to disappear. */
export interface Removal {
  readonly responses?: readonly string[];
  /** Their endpoints answer 404 from now on; their responses stay in the surveys unless said otherwise. */
  readonly respondents?: readonly string[];
  readonly andTheirResponses?: boolean;
  /** With all their responses. */
  readonly surveys?: readonly string[];
}

/** All data of one service. */
export class World {
  readonly people: People;
  readonly #surveys = new Map<string, Survey>();
  readonly #seed: number;
  readonly #nowMs: () => number;
  #version = 0;

  constructor(
    seed: number,
    surveys: readonly SurveyOptions[],
    respondents: readonly RespondentInput[],
    grainMicros: number,
    nowMs: () => number,
  ) {
    this.#seed = seed;
    this.#nowMs = nowMs;
    this.people = new People(seed);
    for (const respondent of respondents) this.people.describe(respondent);
    for (const [number, options] of surveys.entries()) {
      if (this.#surveys.has(options.id)) throw new Error(`Two surveys have the id "${options.id}".`);
      this.#surveys.set(options.id, new Survey(options, number, seed, this.people, grainMicros));
    }
  }

  /** Grows with every change of data. */
  get version(): number {
    return this.#version;
  }

  surveys(): Survey[] {
    return [...this.#surveys.values()];
  }

  survey(id: string): Survey | undefined {
    return this.#surveys.get(id);
  }

  /** A person's responses to all surveys, newest first; undefined when the person is not known. */
  responsesOf(respondent: string): Listed[] | undefined {
    if (this.people.attributes(respondent) === undefined) return undefined;
    return this.surveys()
      .flatMap((survey) => survey.listOf(respondent))
      .sort((one, other) => comparePositions(other, one));
  }

  /** Adds responses to a survey and returns their uuids. */
  collect(surveyId: string, what: readonly ResponseInput[] | CollectedCount): string[] {
    const survey = this.#surveys.get(surveyId);
    if (survey === undefined) throw new Error(`There is no survey "${surveyId}" to collect responses for.`);
    this.#version += 1;
    const given = "count" in what ? this.#madeUp(survey, what) : what;
    return survey.add(given).map((response) => response.uuid);
  }

  /** Takes data away and returns how many of the named things were there. */
  remove(removal: Removal): number {
    this.#version += 1;
    let removed = 0;
    for (const uuid of removal.respondents ?? []) {
      if (this.people.attributes(uuid) !== undefined) removed += 1;
      if (removal.andTheirResponses === true) {
        for (const listed of this.responsesOf(uuid) ?? []) listed.of.remove(listed.of.uuid(listed));
      }
      this.people.remove(uuid);
    }
    for (const uuid of removal.responses ?? []) {
      if (this.surveys().some((survey) => survey.remove(uuid))) removed += 1;
    }
    for (const id of removal.surveys ?? []) {
      if (this.#surveys.delete(id)) removed += 1;
    }
    return removed;
  }

  /** Replaces a person's attributes, making the person known if need be. */
  describe(respondent: RespondentInput): void {
    this.#version += 1;
    this.people.describe(respondent);
  }

  /** New ones come after everything in the service; two of three are from people who answered before. */
  #madeUp(survey: Survey, { count, lateByMs, aheadOfClockMs }: CollectedCount): ResponseInput[] {
    if (aheadOfClockMs !== undefined) {
      const firstMicros = Math.floor(this.#nowMs() + aheadOfClockMs) * 1_000;
      return Array.from({ length: count }, (_, place) => ({
        collected_at: formatMoment(firstMicros + place * 1_000_000),
      }));
    }
    const ends = (lateByMs === undefined ? this.surveys() : [survey]).flatMap(
      (of) => of.newestMicros() ?? [],
    );
    const from = ends.length === 0 ? Date.UTC(2026, 0, 1) * 1_000 : Math.max(...ends);
    return Array.from({ length: count }, (_, place) => {
      const chance = spread(this.#seed, this.#version, place);
      const known = this.people.pool > 0 && chance % 3 !== 0;
      const beside =
        lateByMs === undefined
          ? place * 1_000_000 + (chance % 900_000) + 1
          : -Math.floor((lateByMs * 1_000 * (place + 1)) / count);
      return {
        collected_at: formatMoment(from + beside),
        ...(known ? { respondent_uuid: this.people.uuid(chance % this.people.pool) } : {}),
      };
    });
  }
}
