import { Random, spread, uuidOf } from "./random.ts";

/** An attribute as responses have it. */
export interface AttributePair {
  readonly name: string;
  readonly value: string;
}

/** An attribute as a respondent's list has it. */
export interface AttributeRecord extends AttributePair {
  readonly id: number;
}

/** A respondent as an option. Attribute ids that are omitted count upwards in the order of the attributes. */
export interface RespondentInput {
  readonly uuid: string;
  readonly attributes?: readonly (AttributePair & { readonly id?: number })[];
}

const FIRST_INPUT_ID = 5_000_000_001;
const IDS_PER_RESPONDENT = 1_000;

/** All respondents of the service: a pool of generated ones, and described ones. */
export class Respondents {
  readonly #seed: number;
  /** The UUIDs of the generated respondents. */
  readonly pool: string[] = [];
  /** Attributes, or the number of a generated respondent. Undefined: removed. */
  readonly #known = new Map<string, readonly AttributeRecord[] | number | undefined>();
  #nextId = FIRST_INPUT_ID;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Makes respondents 0 to `count - 1` of the pool known. */
  growPool(count: number): void {
    for (let number = this.pool.length; number < count; number += 1) {
      const uuid = uuidOf(this.#seed, number);
      this.pool.push(uuid);
      if (!this.#known.has(uuid)) this.#known.set(uuid, number);
    }
  }

  /** Makes a respondent known. A new one has no attributes; a removed one stays removed. */
  ensureKnown(uuid: string): void {
    if (!this.#known.has(uuid)) this.#known.set(uuid, []);
  }

  /** Replaces a respondent's attributes. */
  describe({ uuid, attributes = [] }: RespondentInput): void {
    this.#known.set(
      uuid,
      attributes.map(({ id = this.#nextId++, name, value }) => ({ id, name, value })),
    );
  }

  /** From now on requests for this respondent get 404. */
  remove(uuid: string): void {
    this.#known.set(uuid, undefined);
  }

  /** A respondent's attributes, largest id first. Undefined for an unknown or removed respondent. */
  attributes(uuid: string): AttributeRecord[] | undefined {
    const known = this.#known.get(uuid);
    if (known === undefined) return undefined;
    const own = typeof known === "number" ? exampleAttributes(this.#seed, known) : known;
    return own.toSorted((one, other) => other.id - one.id);
  }
}

/** By which one would group answers: attributes of every respondent. */
const USUAL = 3;
/** Those after the usual ones belong to some. Their names are hard on programs that make columns or queries of them. */
const ATTRIBUTES: Readonly<Record<string, (random: Random, number: number) => string>> = {
  plan: (random) => random.pick(["free", "free", "starter", "starter", "pro", "enterprise"]),
  country: (random) => random.pick(["Brazil", "Germany", "Japan", "Poland", "South Korea", "United States"]),
  role: (random) => random.pick(["designer", "developer", "founder", "marketer", "product manager"]),
  "signed up at": (random) => `202${3 + random.below(3)}-0${1 + random.below(9)}-1${random.below(10)}`,
  locale: (random) => random.pick(["en-GB", "de-DE", "pl-PL", "pt-BR", ""]),
  email: (_, number) => `person${number}@example.com`,
  "rôle & team": (random) => random.pick(["R&D", "sales & support", ""]),
  "tags[]": (random) => random.pick(["beta", "beta,vip", "[]", ""]),
  city: (random) => random.pick(["São Paulo", "Köln", "東京", "Łódź", "Seoul"]),
  "a=b": (random) => random.pick(["c=d", "=", ""]),
  uuid: (_, number) => `customer-${number}`,
  "100 %": (random) => `${random.below(101)} %`,
};

/** The attributes of a generated respondent: three for everybody, up to nine more, hundreds for one in fifty. */
function exampleAttributes(seed: number, number: number): AttributeRecord[] {
  const random = new Random(spread(seed, number, 21));
  const all = Object.entries(ATTRIBUTES);
  const hasMany = number % 50 === 1;
  const count = hasMany ? all.length : USUAL + random.below(all.length - USUAL + 1);
  const named = all.slice(0, count).map(([name, value]) => ({ name, value: value(random, number) }));
  const custom = Array.from({ length: hasMany ? 150 + random.below(300) : 0 }, (_, place) => {
    return { name: `custom ${place + 1}`, value: `value ${place + 1} of ${number}` };
  });
  return [...named, ...custom].map((pair, place) => ({
    id: number * IDS_PER_RESPONDENT + place + 1,
    ...pair,
  }));
}
