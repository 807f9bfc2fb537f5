import { type Fraction, formatTimestamp, requireTimestamp, roundedDown } from "../time.ts";
import { Contents, type Variant } from "./content.ts";
import { type GeneratedResponses, GeneratedSource } from "./generated.ts";
import { PERSONAL_SURVEY_FIELDS } from "./personal-data.ts";
import { seedOf, uuidOf } from "./random.ts";
import type { ResponseInput, SurveyType } from "./record.ts";
import type { Respondents } from "./respondents.ts";
import { type StoredResponse, StoredResponses } from "./stored-responses.ts";

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
  /** Timestamps are rounded down to multiples of it. */
  readonly resolutionMicros: number;
  /** Whether personal data is planted in every response. */
  readonly personalData: boolean;
}

/** A survey in a few words. */
export interface SurveySummary {
  readonly id: string;
  readonly type: SurveyType;
  readonly name: string;
  /** How many responses it has. */
  readonly count: number;
  /** Undefined if it has no responses. */
  readonly newest: { readonly collected_at: string; readonly respondent_uuid: string } | undefined;
}

/** A response at its position in a list. `stored` is undefined for a generated one; `order` is then its index. */
export interface ListedResponse extends Position {
  readonly of: Survey;
  readonly stored: StoredResponse | undefined;
}

const NONE_GENERATED: GeneratedResponses = {
  ...{ seed: 0, count: 0, density: "even", respondents: 0 },
  ...{ from: "1970-01-01T00:00:00Z", to: "1970-01-01T00:00:00Z" },
};

/** One survey. Its generated and its stored responses form one list. */
export class Survey {
  readonly id: string;
  readonly type: SurveyType;
  readonly name: string;
  /** The `survey` object of an item, as JSON. */
  readonly json: string;
  readonly number: number;
  /** Whether its responses carry planted personal data. */
  readonly personalData: boolean;
  readonly answer: SurveyOptions["answer"];
  readonly #contents: Contents;
  readonly #seed: number;
  readonly #resolutionMicros: number;
  readonly #respondents: Respondents;
  readonly #source: GeneratedSource;
  readonly #removed = new Set<number>();
  readonly #stored = new StoredResponses();
  #nextOrder: number;

  constructor(options: SurveyOptions, number: number, respondents: Respondents, rules: SurveyRules) {
    const { seed, resolutionMicros, personalData } = rules;
    this.id = options.id;
    this.type = options.type ?? "PageSurvey";
    this.name = options.name ?? `Survey ${options.id}`;
    const unknownFields = personalData ? PERSONAL_SURVEY_FIELDS : {};
    this.json = JSON.stringify({ id: this.id, type: this.type, name: this.name, ...unknownFields });
    this.personalData = personalData;
    this.number = number;
    this.#seed = seedOf(`${seed} ${options.id}`);
    this.#resolutionMicros = resolutionMicros;
    this.#respondents = respondents;
    this.answer = options.answer;
    this.#contents = new Contents(this.#seed, number, options.content === "little", personalData);
    const where = `surveys["${options.id}"].responses`;
    const [generated, listed] =
      "count" in options.responses ? [options.responses, []] : [NONE_GENERATED, options.responses];
    this.#source = new GeneratedSource(generated, resolutionMicros, where);
    this.#nextOrder = this.#source.count;
    respondents.growPool(this.#source.respondents);
    this.add(listed);
  }

  get count(): number {
    return this.#source.count - this.#removed.size + this.#stored.count;
  }

  /** Adds responses at their own timestamps and returns them as stored. */
  add(responses: readonly ResponseInput[]): StoredResponse[] {
    const added = responses.map((response, place) => this.#store(response, place));
    this.#stored.add(added);
    for (const { respondent } of added) this.#respondents.ensureKnown(respondent);
    return added;
  }

  /** Removes a response. False if it is not in this survey. */
  remove(uuid: string): boolean {
    const index = this.#source.indexOf(uuid);
    if (index !== undefined && !this.#removed.has(index)) {
      this.#removed.add(index);
      return true;
    }
    return this.#stored.remove(uuid);
  }

  /** Up to `limit` responses from a position downwards, none older than `oldestMicros`. */
  list(from: Position, oldestMicros: number, limit: number): ListedResponse[] {
    const listed: ListedResponse[] = [];
    let index = this.#indexBelow(from);
    let place = this.#storedBelow(from);
    while (listed.length < limit) {
      while (this.#removed.has(index)) index -= 1;
      const stored = this.#stored.at(place);
      const micros = index < 0 ? -Infinity : this.#source.micros(index);
      const takesStored = stored !== undefined && stored.micros >= micros;
      if (!takesStored && index < 0) break;
      if ((takesStored ? stored.micros : micros) < oldestMicros) break;
      if (takesStored) {
        listed.push(this.#position(stored.micros, stored.order, stored));
        place -= 1;
      } else {
        listed.push(this.#position(micros, index, undefined));
        index -= 1;
      }
    }
    return listed;
  }

  /** All responses of one respondent, in no order. */
  listOf(respondent: string): ListedResponse[] {
    const number = this.#respondents.numberOf(respondent);
    const generated = number === undefined ? [] : this.#source.itemsOf(number);
    return [
      ...generated
        .filter((index) => !this.#removed.has(index))
        .map((index) => this.#position(this.#source.micros(index), index, undefined)),
      ...this.#stored.of(respondent).map((stored) => this.#position(stored.micros, stored.order, stored)),
    ];
  }

  /** All responses, oldest first, found by plain counting. Tests check the lists against it. */
  *ascending(): Generator<ListedResponse> {
    let place = 0;
    for (let index = 0; index <= this.#source.count; index += 1) {
      const micros = index < this.#source.count ? this.#source.micros(index) : Infinity;
      let stored = this.#stored.at(place);
      while (stored !== undefined && stored.micros < micros) {
        yield this.#position(stored.micros, stored.order, stored);
        place += 1;
        stored = this.#stored.at(place);
      }
      if (micros < Infinity && !this.#removed.has(index)) yield this.#position(micros, index, undefined);
    }
  }

  uuid(listed: ListedResponse): string {
    return listed.stored?.uuid ?? this.#source.uuid(listed.order);
  }

  respondent(listed: ListedResponse): string {
    return listed.stored?.respondent ?? this.#respondents.uuid(this.#source.respondent(listed.order));
  }

  variant(listed: ListedResponse): Variant {
    return this.#contents.variant(listed.stored ? listed.order : this.#source.content(listed.order));
  }

  /** The newest timestamp, or undefined if the survey is empty. */
  newestMicros(): number | undefined {
    return this.#newest()?.micros;
  }

  summary(fraction: Fraction): SurveySummary {
    const { id, type, name, count } = this;
    const newest = this.#newest();
    return {
      ...{ id, type, name, count },
      newest: newest && {
        collected_at: formatTimestamp(newest.micros, fraction),
        respondent_uuid: this.respondent(newest),
      },
    };
  }

  #newest(): ListedResponse | undefined {
    return this.list(startingAt(Infinity), -Infinity, 1)[0];
  }

  #store(response: ResponseInput, place: number): StoredResponse {
    const exact = requireTimestamp(
      response.collected_at,
      `surveys["${this.id}"]: collected_at of response ${place}`,
    );
    const order = this.#nextOrder++;
    return {
      uuid: response.uuid ?? uuidOf(this.#seed ^ 0x5eed, order),
      micros: roundedDown(exact, this.#resolutionMicros),
      order,
      respondent: response.respondent_uuid ?? uuidOf(this.#seed ^ 0xfeed, order),
      attributes: response.attributes ?? [],
      fields: response.fields ?? {},
    };
  }

  #position(micros: number, order: number, stored: StoredResponse | undefined): ListedResponse {
    return { micros, survey: this.number, order, of: this, stored };
  }

  /** The last generated item at or below a position, -1 for none. */
  #indexBelow(from: Position): number {
    let index = this.#source.countUpTo(from.micros) - 1;
    while (index >= 0 && this.#isAbove(from, this.#source.micros(index), index)) index -= 1;
    return index;
  }

  #storedBelow(from: Position): number {
    return this.#stored.lastBelow(
      (stored) => stored.micros <= from.micros && !this.#isAbove(from, stored.micros, stored.order),
    );
  }

  /** Whether an item of the position's own microsecond comes before the position. */
  #isAbove(from: Position, micros: number, order: number): boolean {
    if (micros !== from.micros || from.survey > this.number) return false;
    return from.survey < this.number || order > from.order;
  }
}

/** A position in a list that runs from the newest to the oldest. Survey, then order, decide between equal times. */
export interface Position {
  readonly micros: number;
  readonly survey: number;
  readonly order: number;
}

/** Before every response. */
export const NEWEST: Position = { micros: Infinity, survey: Infinity, order: Infinity };

/** Before every response collected at or before a timestamp. */
export const startingAt = (micros: number): Position => ({ ...NEWEST, micros });

/** Greater than 0 if `one` comes before `other` in a list. */
export function comparePositions(one: Position, other: Position): number {
  return (
    compare(one.micros, other.micros) || compare(one.survey, other.survey) || compare(one.order, other.order)
  );
}

/** A subtraction of two infinities would be NaN. */
const compare = (one: number, other: number): number => (one === other ? 0 : one > other ? 1 : -1);
