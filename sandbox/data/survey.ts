import { requireTimestamp } from "../time.ts";
import { contentsOf, type Variant } from "./content.ts";
import { type GeneratedResponses, generate } from "./generated.ts";
import { PERSONAL_SURVEY_FIELDS } from "./personal-data.ts";
import { seedOf, spread, uuidOf } from "./random.ts";
import type { AttributePair, ResponseInput, SurveyType } from "./record.ts";
import type { Respondents } from "./respondents.ts";

export interface SurveyOptions {
  readonly id: string;
  readonly type?: SurveyType;
  readonly name?: string;
  /** Listed one by one, or generated. `collect` adds more later. */
  readonly responses: readonly ResponseInput[] | GeneratedResponses;
  /** `little` leaves out the answers, for simulations in which only the pages matter. */
  readonly content?: "full" | "little";
  /** What `collect` makes up, for any number, besides the timestamp. Default: the answers of a generated response. */
  readonly answer?: (number: number) => Partial<ResponseInput>;
}

/** What the surveys of a service share. */
export interface SurveyRules {
  readonly seed: number;
  /** Whether personal data is planted in every response. */
  readonly hasPersonalData: boolean;
}

/** A response as the service keeps it. What is undefined comes from its variant. */
export interface StoredResponse extends Position {
  readonly survey: Survey;
  readonly uuid: string;
  readonly respondent: string;
  /** Decides the variant. */
  readonly variant: number;
  readonly attributes: readonly AttributePair[] | undefined;
  /** Replace those of the response as it is sent. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** One survey with its responses. */
export class Survey {
  readonly id: string;
  readonly type: SurveyType;
  readonly name: string;
  /** The `survey` object of an item. */
  readonly shown: object;
  readonly number: number;
  readonly hasPersonalData: boolean;
  readonly answer: SurveyOptions["answer"];
  readonly #contents: (number: number) => Variant;
  readonly #seed: number;
  /** Oldest first. */
  #responses: StoredResponse[] = [];
  #nextOrder = 0;

  constructor(options: SurveyOptions, number: number, respondents: Respondents, rules: SurveyRules) {
    const { id, type = "PageSurvey", name = `Survey ${id}`, responses, answer } = options;
    this.id = id;
    this.type = type;
    this.name = name;
    this.number = number;
    this.answer = answer;
    this.hasPersonalData = rules.hasPersonalData;
    this.shown = { id, type, name, ...(this.hasPersonalData && PERSONAL_SURVEY_FIELDS) };
    this.#seed = seedOf(`${rules.seed} ${id}`);
    this.#contents = contentsOf({
      ...{ seed: this.#seed, surveyNumber: number },
      ...{ isLittle: options.content === "little", hasPersonalData: this.hasPersonalData },
    });
    if ("count" in responses) this.#generate(responses, respondents);
    else this.add(responses, respondents);
  }

  /** Oldest first. */
  get responses(): readonly StoredResponse[] {
    return this.#responses;
  }

  /** Adds responses at their own timestamps and returns them as stored. */
  add(responses: readonly ResponseInput[], respondents: Respondents): StoredResponse[] {
    const added = responses.map((response, place): StoredResponse => {
      const order = this.#nextOrder++;
      const { collected_at, uuid, respondent_uuid, attributes = [], fields } = response;
      return {
        ...{ survey: this, order, variant: order, attributes, fields },
        uuid: uuid ?? uuidOf(this.#seed ^ 0x5eed, order),
        micros: requireTimestamp(collected_at, `surveys["${this.id}"]: collected_at of response ${place}`),
        respondent: respondent_uuid ?? uuidOf(this.#seed ^ 0xfeed, order),
      };
    });
    for (const { respondent } of added) respondents.ensureKnown(respondent);
    this.#responses = [...this.#responses, ...added].sort(comparePositions);
    return added;
  }

  /** Removes a response. Undefined if it is not in this survey. */
  remove(uuid: string): StoredResponse | undefined {
    const removed = this.#responses.find((response) => response.uuid === uuid);
    if (removed !== undefined) this.#responses = this.#responses.filter((response) => response !== removed);
    return removed;
  }

  /** Up to `limit` responses from a position downwards, none older than `oldestMicros`. */
  list(from: Position, oldestMicros: number, limit: number): StoredResponse[] {
    let [low, high] = [0, this.#responses.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(this.#responses[middle] as StoredResponse, from) <= 0) low = middle + 1;
      else high = middle;
    }
    const falling = this.#responses.slice(Math.max(0, low - limit), low).reverse();
    return falling.filter(({ micros }) => micros >= oldestMicros);
  }

  variant(response: StoredResponse): Variant {
    return this.#contents(response.variant);
  }

  #generate(options: GeneratedResponses, respondents: Respondents): void {
    const made = generate(options, `surveys["${this.id}"].responses`);
    respondents.growPool(options.respondents);
    this.#nextOrder = made.length;
    this.#responses = made.map(({ micros, respondent }, order) => ({
      ...{ survey: this, micros, order, attributes: undefined, fields: undefined },
      uuid: uuidOf(options.seed, order),
      respondent: respondents.uuid(respondent),
      variant: spread(options.seed, order, 2),
    }));
  }
}

/** A position in a list that runs from the newest to the oldest. Survey, then order, decide between equal times. */
export interface Position {
  readonly micros: number;
  readonly survey: { readonly number: number };
  readonly order: number;
}

/** Before every response collected at or before a timestamp. */
export const startingAt = (micros: number): Position => ({
  micros,
  survey: { number: Infinity },
  order: Infinity,
});

/** Greater than 0 if `one` comes before `other` in a list. */
export function comparePositions(one: Position, other: Position): number {
  return (
    compare(one.micros, other.micros) ||
    compare(one.survey.number, other.survey.number) ||
    compare(one.order, other.order)
  );
}

/** A subtraction of two infinities would be NaN. */
const compare = (one: number, other: number): number => (one === other ? 0 : one > other ? 1 : -1);
