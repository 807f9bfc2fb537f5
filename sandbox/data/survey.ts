import { formatTimestamp, requireTimestamp } from "../time.ts";
import { questionsOf, type Variant, variantsOf } from "./answers.ts";
import { type GeneratedResponses, generate } from "./generated.ts";
import type { Question } from "./question.ts";
import { itemAt, spread, uuidOf } from "./random.ts";
import type { AttributePair, Respondents } from "./respondents.ts";

/** What may change while the service runs. */
export interface SurveySettings {
  readonly name: string;
  readonly enabled: boolean;
  /** False: archived. The list of surveys does not have it, and its own lists still answer. Default true. */
  readonly listed: boolean;
  /** The times have an offset, such as `2026-03-01T09:00:00+01:00`. Default: all null. */
  readonly launch: {
    readonly start_at: string | null;
    readonly end_at: string | null;
    readonly responses_limit: number | null;
  };
  /** Default: those of generated responses, but for one that people answered. */
  readonly questions: readonly Question[];
}

export interface SurveyOptions extends Partial<SurveySettings> {
  readonly id: string;
  /** Any, such as `PageSurvey`, the default. */
  readonly type?: string;
  /** As the service writes it. Default: a week after the survey before it, or for one that is added, now. */
  readonly created_at?: string;
  /** More fields of the `survey` object of an item. */
  readonly fields?: object;
  /** Listed one by one, or generated. `collect` adds more later. */
  readonly responses: readonly ResponseInput[] | GeneratedResponses;
  /** `little` omits the answers, for simulations in which only the pages matter. */
  readonly content?: "full" | "little";
  /** What `collect` makes up, for any number, besides the timestamp. Default: the answers of a generated response. */
  readonly answer?: (number: number) => Partial<ResponseInput>;
}

/** A response as an option. */
export interface ResponseInput {
  /** As the service writes it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
  readonly collected_at: string;
  /** Made up if omitted; so is `respondent_uuid`. */
  readonly uuid?: string;
  readonly respondent_uuid?: string;
  /** Attributes recorded with this response. */
  readonly attributes?: readonly AttributePair[];
  /** Somebody is still answering: the lists show so many answers, and `grow` shows more. Default: all. */
  readonly answersShown?: number;
  /** Fields that replace those of the response as it is sent. `undefined` removes a field. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A survey as the list of surveys has it. */
export interface SurveyRecord extends Pick<SurveySettings, "name" | "enabled" | "launch"> {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  /** How many there are. */
  readonly responses: number;
}

/** A position in a list that runs from the newest to the oldest. The order decides between equal times. */
export interface Position {
  readonly micros: number;
  readonly order: number;
}

/** Greater than 0 if `one` comes before `other` in a list. */
export const comparePositions = (one: Position, other: Position): number =>
  one.micros - other.micros || one.order - other.order;

/** A response as the service keeps it. */
export interface StoredResponse extends Position {
  readonly survey: Survey;
  readonly uuid: string;
  readonly respondent: string;
  /** The number of its variant, which has what is undefined here. */
  readonly variant: number;
  readonly attributes: readonly AttributePair[] | undefined;
  /** Replace those of the response as it is sent. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** How many of its answers the lists show. */
  readonly answersShown: number;
}

/** All answers of a response, also those that the lists do not show yet. */
export const answersOf = ({ fields, survey, variant }: StoredResponse): readonly unknown[] =>
  (fields?.answers ?? survey.variant(variant).content.answers) as readonly unknown[];

/** Whether somebody is still answering. */
export const isGrowing = (response: StoredResponse): boolean =>
  response.answersShown < answersOf(response).length;

/** More than a survey's responses, so that the orders of two surveys do not meet. */
const ORDERS_PER_SURVEY = 1_000_000_000;

/** When the first survey was created, unless told otherwise. */
const FIRST_CREATED_MICROS = Date.UTC(2022, 0, 3, 9, 30) * 1_000 + 123_456;
const WEEK_MICROS = 7 * 86_400_000_000;
const NO_LAUNCH = { start_at: null, end_at: null, responses_limit: null };

/** One survey with its responses. Its position is the one in the list of surveys. */
export class Survey implements Position {
  readonly id: string;
  readonly type: string;
  readonly micros: number;
  readonly order: number;
  settings: SurveySettings;
  /** More fields of the `survey` object of an item. */
  readonly #fields: object | undefined;
  readonly answer: SurveyOptions["answer"];
  /** The variant for any whole number. */
  readonly variant: (number: number) => Variant;
  readonly #seed: number;
  readonly #respondents: Respondents;
  readonly #firstOrder: number;
  /** Oldest first. */
  #responses: readonly StoredResponse[];
  /** How many responses there ever were. */
  #count: number;

  constructor(options: SurveyOptions, surveyNumber: number, respondents: Respondents, seed: number) {
    const { id, type = "PageSurvey", created_at, responses } = options;
    const isLittle = options.content === "little";
    this.id = id;
    this.type = type;
    this.micros =
      created_at === undefined
        ? FIRST_CREATED_MICROS + surveyNumber * WEEK_MICROS
        : requireTimestamp(created_at, `surveys["${id}"].created_at`);
    this.order = surveyNumber;
    const { name = `Survey ${id}`, enabled = true, listed = true, launch = NO_LAUNCH } = options;
    const { questions = isLittle ? [] : questionsOf(surveyNumber) } = options;
    this.settings = { name, enabled, listed, launch, questions };
    this.answer = options.answer;
    this.#fields = options.fields;
    this.#seed = [...`${seed} ${id}`].reduce(
      (bits, character, at) => spread(bits, character.codePointAt(0) ?? 0, at),
      0x1234567,
    );
    this.variant = variantsOf({ seed: this.#seed, surveyNumber, isLittle });
    this.#respondents = respondents;
    this.#firstOrder = surveyNumber * ORDERS_PER_SURVEY;
    this.#responses = "count" in responses ? this.#generated(responses) : [];
    this.#count = this.#responses.length;
    if (!("count" in responses)) this.add(responses);
  }

  /** The `survey` object of an item. */
  get shown(): object {
    return { id: this.id, type: this.type, name: this.settings.name, ...this.#fields };
  }

  /** As the list of surveys has it. */
  get record(): SurveyRecord {
    const { id, type, micros, settings } = this;
    const { name, enabled, launch } = settings;
    const [created_at, responses] = [formatTimestamp(micros), this.#responses.length];
    return { id, type, name, created_at, enabled, responses, launch };
  }

  /** Oldest first. */
  get responses(): readonly StoredResponse[] {
    return this.#responses;
  }

  /** Adds responses at their own timestamps and returns their UUIDs. */
  add(responses: readonly ResponseInput[]): string[] {
    const added = responses.map((response, place): StoredResponse => {
      const number = this.#count++;
      const { collected_at, attributes = [], fields, answersShown = Infinity } = response;
      return {
        survey: this,
        order: this.#firstOrder + number,
        variant: number,
        attributes,
        fields,
        answersShown,
        uuid: response.uuid ?? uuidOf(this.#seed ^ 0x5eed, number),
        micros: requireTimestamp(collected_at, `surveys["${this.id}"]: collected_at of response ${place}`),
        respondent: response.respondent_uuid ?? uuidOf(this.#seed ^ 0xfeed, number),
      };
    });
    for (const { respondent } of added) this.#respondents.ensureKnown(respondent);
    this.#responses = [...this.#responses, ...added].sort(comparePositions);
    return added.map(({ uuid }) => uuid);
  }

  /** Shows so many more answers of each response that is still being given. Returns how many responses that are. */
  grow(answers: number): number {
    const growing = new Set(this.#responses.filter(isGrowing));
    this.#responses = this.#responses.map((response) =>
      growing.has(response) ? { ...response, answersShown: response.answersShown + answers } : response,
    );
    return growing.size;
  }

  /** Removes responses, and returns how many there were. */
  remove(uuids: ReadonlySet<string>): number {
    const before = this.#responses.length;
    this.#responses = this.#responses.filter(({ uuid }) => !uuids.has(uuid));
    return before - this.#responses.length;
  }

  /** Up to `limit` responses from a position downwards, none older than `oldestMicros`. */
  list(from: Position, oldestMicros: number, limit: number): StoredResponse[] {
    let [low, high] = [0, this.#responses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(itemAt(this.#responses, middle), from) <= 0) low = middle + 1;
      else high = middle;
    }
    const falling = this.#responses.slice(Math.max(0, low - limit), low).reverse();
    return falling.filter(({ micros }) => micros >= oldestMicros);
  }

  #generated(options: GeneratedResponses): StoredResponse[] {
    this.#respondents.growPool(options.respondents);
    return generate(options, `surveys["${this.id}"].responses`).map(({ micros, respondent }, number) => ({
      survey: this,
      micros,
      order: this.#firstOrder + number,
      attributes: undefined,
      fields: undefined,
      answersShown: Infinity,
      uuid: uuidOf(options.seed, number),
      respondent: itemAt(this.#respondents.pool, respondent),
      variant: spread(options.seed, number, 2),
    }));
  }
}
