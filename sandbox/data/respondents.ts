import { randomFrom, spread } from "./random.ts";
import type { AttributePair, AttributeRecord } from "./record.ts";
import { numberOf, uuidOf } from "./uuid.ts";

/** A respondent as an option. Attribute ids that are left out count upwards in the order of the attributes. */
export interface RespondentInput {
  readonly uuid: string;
  readonly attributes?: readonly (AttributePair & { readonly id?: number })[];
}

const ATTRIBUTE_NAMES = [
  "plan",
  "company",
  "signed up at",
  "locale",
  "email",
  "rôle & team",
  "tags[]",
  "visits",
  "city",
  "a=b",
  "uuid",
  "100 %",
];
const FIRST_INPUT_ID = 5_000_000_001;
const IDS_PER_RESPONDENT = 1_000;

/** How many attributes a generated respondent has: one in seven has none, one in fifty has hundreds. */
function attributeCount(seed: number, number: number): number {
  if (number % 7 === 3) return 0;
  const random = randomFrom(spread(seed, number, 21));
  return number % 50 === 1 ? 150 + random.below(300) : 1 + random.below(ATTRIBUTE_NAMES.length);
}

/** All respondents of the service: a pool of generated ones, known by number, and described ones. */
export class Respondents {
  readonly #seed: number;
  #pool = 0;
  readonly #described = new Map<string, AttributeRecord[]>();
  readonly #removed = new Set<string>();
  #nextId = FIRST_INPUT_ID;

  constructor(seed: number) {
    this.#seed = seed;
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
    const given = this.#described.get(uuid);
    if (given !== undefined) return given;
    const number = this.numberOf(uuid);
    return number === undefined ? undefined : this.#generated(number);
  }

  #generated(number: number): AttributeRecord[] {
    return Array.from({ length: attributeCount(this.#seed, number) }, (_, place) => ({
      id: number * IDS_PER_RESPONDENT + place + 1,
      name: ATTRIBUTE_NAMES[place] ?? `custom ${place + 1}`,
      value: place === 7 ? String(spread(this.#seed, number, place) % 1_000) : valueFor(number, place),
    }));
  }
}

function valueFor(number: number, place: number): string {
  if (place === 4) return `person${number}@example.com`;
  return (number + place) % 11 === 0 ? "" : `value ${place + 1} of ${number}`;
}
