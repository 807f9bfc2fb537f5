import { requireTimestamp, roundedDown } from "../time.ts";
import { numberOf, share, spread, uuidOf } from "./random.ts";
import { countWhile } from "./stored-responses.ts";

/** Responses that are computed on request and never stored, so a survey can have millions. */
export interface GeneratedResponses {
  readonly seed: number;
  readonly count: number;
  readonly density: Density;
  /** The time range, as timestamps. The oldest response is near `from`. */
  readonly from: string;
  readonly to: string;
  /** How many respondents there are to answer. All surveys of a service share them. */
  readonly respondents: number;
  /** In each run of `every` responses, the first `size` share one microsecond. Default 3 of 97; size 1 means none. */
  readonly ties?: { readonly every: number; readonly size: number };
}

const HEAD_SHARE = 0.1;

/**
 * Computes item i of a generated survey, oldest first. A permutation of all items is cut into one run for each
 * respondent, so a respondent's items are found without looking at others. The first respondents have long runs.
 */
export class GeneratedSource {
  readonly count: number;
  readonly respondents: number;
  readonly seed: number;
  readonly #from: number;
  readonly #span: number;
  readonly #place: (responses: number) => number;
  readonly #ties: { readonly every: number; readonly size: number };
  readonly #resolutionMicros: number;
  readonly #step: number;
  readonly #stepBack: number;

  constructor(options: GeneratedResponses, resolutionMicros: number, where: string) {
    const whole = { count: options.count, respondents: options.respondents };
    for (const [name, value] of Object.entries(whole)) {
      if (!Number.isSafeInteger(value) || value < 0) {
        throw new Error(`${where}.${name} is ${value}; give a whole number, 0 or more.`);
      }
    }
    if (options.count > 0 && options.respondents === 0) {
      throw new Error(`${where}.respondents is 0; ${options.count} responses need at least 1.`);
    }
    this.count = options.count;
    this.respondents = options.respondents;
    this.seed = options.seed;
    this.#from = requireTimestamp(options.from, `${where}.from`);
    this.#span = requireTimestamp(options.to, `${where}.to`) - this.#from;
    if (this.#span < 0) throw new Error(`${where}.from is later than ${where}.to.`);
    this.#place = DENSITIES[options.density];
    this.#ties = options.ties ?? { every: 97, size: 3 };
    this.#resolutionMicros = resolutionMicros;
    this.#step = coprimeStep(this.count);
    this.#stepBack = inverse(this.#step, this.count);
  }

  uuid(index: number): string {
    return uuidOf(this.seed, index);
  }

  /** The item with this UUID, or undefined when no item has it. */
  indexOf(uuid: string): number | undefined {
    const index = numberOf(this.seed, uuid);
    return index !== undefined && index < this.count ? index : undefined;
  }

  /** When item `index` was collected; never before the item below it. */
  micros(index: number): number {
    const tied = (index + this.seed) % this.#ties.every;
    const from = tied < this.#ties.size ? Math.max(0, index - tied) : index;
    const low = this.#place(from / this.count);
    const high = this.#place((from + 1) / this.count);
    const exact = this.#from + Math.floor(this.#span * (low + (high - low) * share(this.seed, from, 1)));
    return roundedDown(exact, this.#resolutionMicros);
  }

  /** How many items were collected at or before a timestamp. */
  countUpTo(micros: number): number {
    return countWhile(this.count, (index) => this.micros(index) <= micros);
  }

  /** The number of the respondent who gave item `index`. */
  respondent(index: number): number {
    const place = (index * this.#step) % this.count;
    const part = place / this.count;
    const head = HEAD_SHARE;
    const root = (-head + Math.sqrt(head * head + 4 * (1 - head) * part)) / (2 * (1 - head));
    let person = Math.min(this.respondents - 1, Math.floor(root * root * this.respondents));
    while (person > 0 && this.#runStart(person) > place) person -= 1;
    while (person < this.respondents - 1 && this.#runStart(person + 1) <= place) person += 1;
    return person;
  }

  /** The items that a respondent gave, in no order. */
  itemsOf(person: number): number[] {
    if (person >= this.respondents) return [];
    const items: number[] = [];
    const end = this.#runStart(person + 1);
    for (let place = this.#runStart(person); place < end; place += 1) {
      items.push((place * this.#stepBack) % this.count);
    }
    return items;
  }

  /** A number for an item that decides its content. */
  content(index: number): number {
    return spread(this.seed, index, 2);
  }

  #runStart(person: number): number {
    const part = person / this.respondents;
    return Math.floor(this.count * ((1 - HEAD_SHARE) * part + HEAD_SHARE * Math.sqrt(part)));
  }
}

/** A step that reaches every number below `count` once. It stays under 2^22, so that products stay exact. */
function coprimeStep(count: number): number {
  if (count < 3) return 1;
  let step = (Math.floor(count * 0.618) % 4_000_000) + 1;
  while (commonDivisor(step, count) !== 1) step += 1;
  return step;
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

/** The multiplicative inverse of `step` modulo `count`. */
function inverse(step: number, count: number): number {
  let [value, next, factor, nextFactor] = [count, step, 0, 1];
  while (next !== 0) {
    const times = Math.floor(value / next);
    [value, next] = [next, value - times * next];
    [factor, nextFactor] = [nextFactor, factor - times * nextFactor];
  }
  return ((factor % count) + count) % count;
}

/** How responses are distributed over their time range. */
export type Density = "even" | "growing" | "steep" | "old" | "bursts" | "burst" | "recent";

/** Maps a share of the responses, oldest first, to the share of the time range that they fill. Increasing. */
type Placement = (responses: number) => number;

/** Linear between points of [share of the responses, share of the time range]. */
function along(points: readonly (readonly [number, number])[]): Placement {
  return (responses) => {
    let [fromResponses, fromRange] = [0, 0];
    for (const [toResponses, toRange] of points) {
      if (responses <= toResponses) {
        const part = (responses - fromResponses) / (toResponses - fromResponses);
        return fromRange + part * (toRange - fromRange);
      }
      [fromResponses, fromRange] = [toResponses, toRange];
    }
    return fromRange;
  };
}

const FIVE_BURSTS = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((place, number): [number, number][] => [
  [number * 0.2 + 0.004, place],
  [number * 0.2 + 0.2, place + 0.002],
]);

/**
 * `even`: the same every day. `growing`: more each day. `steep`: many times more each year. `old`: all in the
 * first tenth. `bursts`, `burst`: nearly all in five short times, or in one. `recent`: nearly all in the last days.
 */
export const DENSITIES: Record<Density, Placement> = {
  even: (responses) => responses,
  growing: (responses) => Math.sqrt(responses),
  steep: (responses) => Math.log1p(responses * Math.expm1(8)) / 8,
  old: (responses) => responses * 0.1,
  bursts: along(FIVE_BURSTS),
  burst: along([
    [0.01, 0.6],
    [0.99, 0.601],
    [1, 1],
  ]),
  recent: along([
    [0.01, 0.995],
    [1, 1],
  ]),
};
