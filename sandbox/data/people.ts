import { drawFrom, spread } from "./chance.ts";
import type { AttributePair, AttributeRecord } from "./record.ts";
import { numberOf, uuidOf } from "./uuid.ts";

/** A respondent given by hand. Attribute ids count upwards in the order given when left out. */
export interface RespondentInput {
  readonly uuid: string;
  readonly attributes?: readonly (AttributePair & { readonly id?: number })[];
}

const usualNames = [
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
const firstGivenId = 5_000_000_001;
const idsPerPerson = 1_000;

/** How many attributes generated person `number` has: one in seven none, one in fifty hundreds. */
function attributeCount(seed: number, number: number): number {
  if (number % 7 === 3) return 0;
  const draw = drawFrom(spread(seed, number, 21));
  return number % 50 === 1 ? 150 + draw.below(300) : 1 + draw.below(usualNames.length);
}

/** Everybody whom the service knows: a pool of generated people, known by number, and given ones. */
export class People {
  readonly #seed: number;
  #pool = 0;
  readonly #given = new Map<string, AttributeRecord[]>();
  readonly #gone = new Set<string>();
  #nextId = firstGivenId;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Makes people 0 to `count - 1` known. */
  widen(count: number): void {
    this.#pool = Math.max(this.#pool, count);
  }

  get pool(): number {
    return this.#pool;
  }

  uuid(number: number): string {
    return uuidOf(this.#seed, number);
  }

  /** The number of a generated person. */
  numberOf(uuid: string): number | undefined {
    const number = numberOf(this.#seed, uuid);
    return number !== undefined && number < this.#pool ? number : undefined;
  }

  /** Makes a person known, without attributes if nothing was known of them. */
  meet(uuid: string): void {
    if (!this.#given.has(uuid) && this.numberOf(uuid) === undefined) this.#given.set(uuid, []);
  }

  /** Replaces a person's attributes. */
  describe(person: RespondentInput): void {
    const records = (person.attributes ?? []).map((pair) => {
      const id = pair.id ?? this.#nextId++;
      return { id, name: pair.name, value: pair.value };
    });
    this.#given.set(person.uuid, records);
  }

  /** From now on this person answers 404. */
  remove(uuid: string): void {
    this.#gone.add(uuid);
  }

  /** A person's attributes in no order, or undefined when the service does not know them (any more). */
  attributes(uuid: string): readonly AttributeRecord[] | undefined {
    if (this.#gone.has(uuid)) return undefined;
    const given = this.#given.get(uuid);
    if (given !== undefined) return given;
    const number = this.numberOf(uuid);
    return number === undefined ? undefined : this.#generated(number);
  }

  #generated(number: number): AttributeRecord[] {
    return Array.from({ length: attributeCount(this.#seed, number) }, (_, place) => ({
      id: number * idsPerPerson + place + 1,
      name: usualNames[place] ?? `custom ${place + 1}`,
      value: place === 7 ? String(spread(this.#seed, number, place) % 1_000) : valueFor(number, place),
    }));
  }
}

function valueFor(number: number, place: number): string {
  if (place === 4) return `person${number}@example.com`;
  return (number + place) % 11 === 0 ? "" : `value ${place + 1} of ${number}`;
}
