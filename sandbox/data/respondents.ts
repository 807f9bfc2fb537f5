import { exampleAttributes } from "./example-attributes.ts";
import { PERSONAL_RESPONDENT_ATTRIBUTES } from "./personal-data.ts";
import type { AttributePair, AttributeRecord } from "./record.ts";
import { numberOf, uuidOf } from "./uuid.ts";

/** A respondent as an option. Attribute ids that are left out count upwards in the order of the attributes. */
export interface RespondentInput {
  readonly uuid: string;
  readonly attributes?: readonly (AttributePair & { readonly id?: number })[];
}

const FIRST_INPUT_ID = 5_000_000_001;
const IDS_PER_RESPONDENT = 1_000;
const FIRST_PERSONAL_ID = 9_000_000_001;
const PERSONAL_RECORDS: readonly AttributeRecord[] = PERSONAL_RESPONDENT_ATTRIBUTES.map((pair, place) => ({
  id: FIRST_PERSONAL_ID + place,
  ...pair,
}));

/** All respondents of the service: a pool of generated ones, known by number, and described ones. */
export class Respondents {
  readonly #seed: number;
  readonly #personalData: boolean;
  #pool = 0;
  readonly #described = new Map<string, AttributeRecord[]>();
  readonly #removed = new Set<string>();
  #nextId = FIRST_INPUT_ID;

  constructor(seed: number, personalData: boolean) {
    this.#seed = seed;
    this.#personalData = personalData;
  }

  /** Makes respondents 0 to `count - 1` known. */
  growPool(count: number): void {
    this.#pool = Math.max(this.#pool, count);
  }

  get pool(): number {
    return this.#pool;
  }

  uuid(number: number): string {
    return uuidOf(this.#seed, number);
  }

  /** The number of a generated respondent, or undefined. */
  numberOf(uuid: string): number | undefined {
    const number = numberOf(this.#seed, uuid);
    return number !== undefined && number < this.#pool ? number : undefined;
  }

  /** Makes a respondent known. A new one has no attributes. */
  ensureKnown(uuid: string): void {
    if (!this.#described.has(uuid) && this.numberOf(uuid) === undefined) this.#described.set(uuid, []);
  }

  /** Replaces a respondent's attributes. */
  describe(person: RespondentInput): void {
    const records = (person.attributes ?? []).map((pair) => {
      const id = pair.id ?? this.#nextId++;
      return { id, name: pair.name, value: pair.value };
    });
    this.#described.set(person.uuid, records);
  }

  /** From now on requests for this respondent get 404. */
  remove(uuid: string): void {
    this.#removed.add(uuid);
  }

  /** A respondent's attributes in no order, or undefined for an unknown or removed respondent. */
  attributes(uuid: string): readonly AttributeRecord[] | undefined {
    if (this.#removed.has(uuid)) return undefined;
    const own = this.#own(uuid);
    return this.#personalData && own !== undefined ? [...own, ...PERSONAL_RECORDS] : own;
  }

  #own(uuid: string): readonly AttributeRecord[] | undefined {
    const given = this.#described.get(uuid);
    if (given !== undefined) return given;
    const number = this.numberOf(uuid);
    return number === undefined ? undefined : this.#generated(number);
  }

  #generated(number: number): AttributeRecord[] {
    return exampleAttributes(this.#seed, number).map((pair, place) => ({
      id: number * IDS_PER_RESPONDENT + place + 1,
      ...pair,
    }));
  }
}
