import { PERSONAL_RESPONDENT_ATTRIBUTES } from "./personal-data.ts";
import { itemAt, Random, spread, uuidOf } from "./random.ts";
import type { AttributePair, AttributeRecord } from "./record.ts";

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
  readonly #hasPersonalData: boolean;
  /** By number, and the numbers by UUID. */
  readonly #pool: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #described = new Map<string, AttributeRecord[]>();
  readonly #removed = new Set<string>();
  #nextId = FIRST_INPUT_ID;

  constructor(seed: number, hasPersonalData: boolean) {
    this.#seed = seed;
    this.#hasPersonalData = hasPersonalData;
  }

  /** Makes respondents 0 to `count - 1` known. */
  growPool(count: number): void {
    for (let number = this.#pool.length; number < count; number += 1) {
      const uuid = uuidOf(this.#seed, number);
      this.#pool.push(uuid);
      this.#numbers.set(uuid, number);
    }
  }

  /** How many generated respondents there are. */
  get size(): number {
    return this.#pool.length;
  }

  /** The UUID of a generated respondent. */
  uuid(number: number): string {
    return itemAt(this.#pool, number);
  }

  /** Makes a respondent known. A new one has no attributes. */
  ensureKnown(uuid: string): void {
    if (!this.#described.has(uuid) && !this.#numbers.has(uuid)) this.#described.set(uuid, []);
  }

  /** Replaces a respondent's attributes. */
  describe(person: RespondentInput): void {
    const records = (person.attributes ?? []).map(({ id, name, value }) => {
      return { id: id ?? this.#nextId++, name, value };
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
    const own = this.#described.get(uuid) ?? this.#generated(uuid);
    return this.#hasPersonalData && own !== undefined ? [...own, ...PERSONAL_RECORDS] : own;
  }

  #generated(uuid: string): AttributeRecord[] | undefined {
    const number = this.#numbers.get(uuid);
    if (number === undefined) return undefined;
    const firstId = number * IDS_PER_RESPONDENT + 1;
    return exampleAttributes(this.#seed, number).map((pair, place) => ({ id: firstId + place, ...pair }));
  }
}

/** Plans of the example company. */
export const PLANS = ["free", "starter", "pro", "enterprise"];
const COUNTRIES = ["Brazil", "Germany", "Japan", "Poland", "South Korea", "United Kingdom", "United States"];
const ROLES = ["designer", "developer", "founder", "marketer", "product manager"];
const CITIES = ["São Paulo", "Köln", "東京", "Łódź", "Seoul", "Leeds", "Denver"];

type Value = (random: Random, number: number) => string;

/** Attributes of every respondent, by which one would group answers. */
const USUAL: Readonly<Record<string, Value>> = {
  plan: (random) => itemAt(PLANS, Math.min(random.below(4), random.below(4))),
  country: (random) => random.pick(COUNTRIES),
  role: (random) => random.pick(ROLES),
};

/** Attributes of some respondents. Their names are hard on programs that make columns or queries of them. */
const FURTHER: Readonly<Record<string, Value>> = {
  company: (random) => `Example ${1 + random.below(40)} Ltd`,
  "signed up at": (random) => `202${3 + random.below(3)}-0${1 + random.below(9)}-1${random.below(10)}`,
  locale: (random) => random.pick(["en-GB", "de-DE", "pl-PL", "pt-BR", ""]),
  email: (_, number) => `person${number}@example.com`,
  "rôle & team": (random) => random.pick(["R&D", "sales & support", ""]),
  "tags[]": (random) => random.pick(["beta", "beta,vip", "[]", ""]),
  visits: (random) => String(random.below(1_000)),
  city: (random) => random.pick(CITIES),
  "a=b": (random) => random.pick(["c=d", "=", ""]),
  uuid: (_, number) => `customer-${number}`,
  "100 %": (random) => `${random.below(101)} %`,
};
const FURTHER_COUNT = Object.keys(FURTHER).length;

/** The attributes of a generated respondent: three for everybody, up to eleven more, hundreds for one in fifty. */
function exampleAttributes(seed: number, number: number): AttributePair[] {
  const random = new Random(spread(seed, number, 21));
  const further = Object.entries(FURTHER).slice(0, random.below(FURTHER_COUNT + 1));
  const named = [...Object.entries(USUAL), ...(number % 50 === 1 ? Object.entries(FURTHER) : further)];
  const pairs = named.map(([name, value]) => ({ name, value: value(random, number) }));
  if (number % 50 !== 1) return pairs;
  const custom = Array.from({ length: 150 + random.below(300) }, (_, place) => {
    return { name: `custom ${place + 1}`, value: `value ${place + 1} of ${number}` };
  });
  return [...pairs, ...custom];
}
