import { formatTimestamp } from "../time.ts";
import { itemAt, spread } from "./random.ts";
import { type RespondentInput, Respondents } from "./respondents.ts";
import {
  comparePositions,
  type Position,
  type ResponseInput,
  type StoredResponse,
  Survey,
  type SurveyOptions,
  type SurveySettings,
} from "./survey.ts";

/** This many made-up responses. By default they are newer than all others. */
export interface CollectedCount {
  readonly count: number;
  /** Late arrivals: spread over this time before the survey's newest response (`now`: the present), back to its older end. */
  readonly lateByMs?: number;
  /** Collected now, or after the newest response if that is later. */
  readonly now?: boolean;
  /** As in `ResponseInput`. */
  readonly answersShown?: number;
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

/** When the first response comes, if there is none yet. */
const FIRST_MICROS = Date.UTC(2026, 0, 1) * 1_000;

/** All data of one service. */
export class Dataset {
  readonly respondents: Respondents;
  readonly #surveys = new Map<string, Survey>();
  /** How many surveys there ever were. */
  #surveyCount = 0;
  readonly #seed: number;
  readonly #nowMs: () => number;
  /** As of this version. */
  #byRespondent: Map<string, StoredResponse[]> | undefined;
  #version = 0;

  constructor(
    surveys: readonly SurveyOptions[],
    respondents: readonly RespondentInput[],
    seed: number,
    nowMs: () => number,
  ) {
    this.#seed = seed;
    this.#nowMs = nowMs;
    this.respondents = new Respondents(seed);
    for (const respondent of respondents) this.respondents.describe(respondent);
    for (const options of surveys) this.#create(options);
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

  /** The list of surveys, newest first. */
  listedSurveys(): Survey[] {
    return newestFirst(this.surveys().filter(({ settings }) => settings.listed));
  }

  /** Adds a survey, created now unless it says when. Throws a sentence if there is one with its id. */
  addSurvey(options: SurveyOptions): void {
    this.#change();
    this.#create({ created_at: formatTimestamp(Math.floor(this.#nowMs() * 1_000)), ...options });
  }

  changeSurvey(id: string, change: Partial<SurveySettings>): void {
    const survey = this.#surveys.get(id);
    if (survey === undefined) throw new Error(`There is no survey "${id}" to change.`);
    this.#change();
    survey.settings = { ...survey.settings, ...change };
  }

  /** A respondent's responses to all surveys, newest first. */
  responsesOf(respondent: string): StoredResponse[] {
    this.#byRespondent ??= Map.groupBy(
      this.surveys().flatMap(({ responses }) => responses),
      (response) => response.respondent,
    );
    return newestFirst(this.#byRespondent.get(respondent) ?? []);
  }

  /** The newest responses of all surveys, newest first. */
  newest(count: number): StoredResponse[] {
    return newestFirst(this.surveys().flatMap(({ responses }) => responses.slice(-count))).slice(0, count);
  }

  /** Adds responses to a survey and returns their UUIDs. */
  collect(surveyId: string, what: Collected): string[] {
    const survey = this.#surveys.get(surveyId);
    if (survey === undefined) throw new Error(`There is no survey "${surveyId}" to collect responses for.`);
    this.#change();
    return survey.add("count" in what ? this.#madeUp(survey, what) : what);
  }

  /** Shows so many more answers of each response that is still being given. Returns how many responses that are. */
  grow(answers: number): number {
    this.#change();
    return this.surveys().reduce((sum, survey) => sum + survey.grow(answers), 0);
  }

  /** Removes data. Returns how many of the named things existed. */
  remove({ responses = [], respondents = [], andTheirResponses = false, surveys = [] }: Removal): number {
    const theirs = andTheirResponses ? respondents.flatMap((uuid) => this.responsesOf(uuid)) : [];
    const removedOf = (uuids: readonly string[]): number =>
      this.surveys().reduce((sum, survey) => sum + survey.remove(new Set(uuids)), 0);
    const known = respondents.filter((uuid) => this.respondents.attributes(uuid) !== undefined);
    this.#change();
    for (const uuid of respondents) this.respondents.remove(uuid);
    removedOf(theirs.map(({ uuid }) => uuid));
    return known.length + removedOf(responses) + surveys.filter((id) => this.#surveys.delete(id)).length;
  }

  /** Replaces a respondent's attributes. The respondent is known from now on. */
  describe(respondent: RespondentInput): void {
    this.#change();
    this.respondents.describe(respondent);
  }

  #create(options: SurveyOptions): void {
    if (this.#surveys.has(options.id)) throw new Error(`Two surveys have the id "${options.id}".`);
    const survey = new Survey(options, this.#surveyCount, this.respondents, this.#seed);
    this.#surveyCount += 1;
    this.#surveys.set(options.id, survey);
  }

  #change(): void {
    this.#version += 1;
    this.#byRespondent = undefined;
  }

  /** Two of three made-up responses are from known respondents. */
  #madeUp(survey: Survey, what: CollectedCount): ResponseInput[] {
    const microsOf = this.#timesOf(survey, what);
    const { pool } = this.respondents;
    return Array.from({ length: what.count }, (_, place) => {
      const chance = spread(this.#seed, this.#version, place);
      return {
        ...(pool.length > 0 && chance % 3 !== 0 && { respondent_uuid: itemAt(pool, chance) }),
        ...survey.answer?.(chance),
        collected_at: formatTimestamp(microsOf(place, chance)),
        answersShown: what.answersShown ?? Infinity,
      };
    });
  }

  #timesOf(survey: Survey, { count, lateByMs, now }: CollectedCount) {
    const present = Math.floor(this.#nowMs()) * 1_000 - count;
    if (lateByMs !== undefined) {
      const latest = now ? present : (survey.responses.at(-1)?.micros ?? FIRST_MICROS);
      return (place: number) => latest - Math.floor((lateByMs * 1_000 * (place + 1)) / count);
    }
    const newest = this.newest(1)[0]?.micros ?? FIRST_MICROS;
    if (now) return (place: number) => Math.max(newest + 1, present) + place;
    return (place: number, chance: number) => newest + place * 1_000_000 + (chance % 900_000) + 1;
  }
}

const newestFirst = <Listed extends Position>(list: readonly Listed[]): Listed[] =>
  list.toSorted((one, other) => comparePositions(other, one));
