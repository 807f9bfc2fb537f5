import { type RandomSource, randomFrom, spread } from "./random.ts";
import type { AttributePair } from "./record.ts";

/** Plans of the example company. */
export const PLANS = ["free", "starter", "pro", "enterprise"];
const COUNTRIES = ["Brazil", "Germany", "Japan", "Poland", "South Korea", "United Kingdom", "United States"];
const ROLES = ["designer", "developer", "founder", "marketer", "product manager"];
const CITIES = ["São Paulo", "Köln", "東京", "Łódź", "Seoul", "Leeds", "Denver"];

type Value = (random: RandomSource, number: number) => string;

/** Attributes of every respondent, by which one would group answers. */
const USUAL: Readonly<Record<string, Value>> = {
  plan: (random) => PLANS[Math.min(random.below(4), random.below(4))]!,
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
export function exampleAttributes(seed: number, number: number): AttributePair[] {
  const random = randomFrom(spread(seed, number, 21));
  const further = Object.entries(FURTHER).slice(0, random.below(FURTHER_COUNT + 1));
  const named = [...Object.entries(USUAL), ...(number % 50 === 1 ? Object.entries(FURTHER) : further)];
  const pairs = named.map(([name, value]) => ({ name, value: value(random, number) }));
  if (number % 50 !== 1) return pairs;
  const custom = Array.from({ length: 150 + random.below(300) }, (_, place) => {
    return { name: `custom ${place + 1}`, value: `value ${place + 1} of ${number}` };
  });
  return [...pairs, ...custom];
}
