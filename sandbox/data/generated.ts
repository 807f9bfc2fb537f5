import { requireTimestamp } from "../time.ts";
import { share } from "./random.ts";

/** Responses that are made from a seed. */
export interface GeneratedResponses {
  readonly seed: number;
  readonly count: number;
  readonly density: Density;
  /** The time range, as timestamps. The oldest response is near `from`. */
  readonly from: string;
  readonly to: string;
  /** How many respondents there are to answer. All surveys of a service share them. */
  readonly respondents: number;
}

/** In each run of this many responses, the first few share one microsecond. */
const TIES = { every: 97, size: 3 };

/** When each generated response was collected, oldest first, and the number of the respondent who gave it. */
export function generate(
  { seed, count, density, from, to, respondents }: GeneratedResponses,
  where: string,
): { readonly micros: number; readonly respondent: number }[] {
  for (const [name, value] of Object.entries({ count, respondents })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new Error(`${where}.${name} is ${value}; give a whole number, 0 or more.`);
    }
  }
  if (count > 0 && respondents === 0) {
    throw new Error(`${where}.respondents is 0; ${count} responses need at least 1.`);
  }
  const fromMicros = requireTimestamp(from, `${where}.from`);
  const span = requireTimestamp(to, `${where}.to`) - fromMicros;
  if (span < 0) throw new Error(`${where}.from is later than ${where}.to.`);
  const place = DENSITIES[density];
  const people = peopleOf(count, respondents);
  return Array.from({ length: count }, (_, index) => {
    const tied = (index + seed) % TIES.every;
    const at = tied < TIES.size ? Math.max(0, index - tied) : index;
    const [low, high] = [place(at / count), place((at + 1) / count)];
    const micros = fromMicros + Math.floor(span * (low + (high - low) * share(seed, at, 1)));
    return { micros, respondent: people[index] ?? 0 };
  });
}

const HEAD_SHARE = 0.1;

/** Who gave each response. Everybody gave about as many, but the first respondents gave more. */
function peopleOf(count: number, respondents: number): Uint32Array {
  const people = new Uint32Array(count);
  const step = coprimeStep(count);
  const startOf = (person: number): number => {
    const part = person / respondents;
    return Math.floor(count * ((1 - HEAD_SHARE) * part + HEAD_SHARE * Math.sqrt(part)));
  };
  let index = 0;
  for (let person = 0; person < respondents; person += 1) {
    for (let place = startOf(person); place < startOf(person + 1); place += 1) {
      people[index] = person;
      index = (index + step) % count;
    }
  }
  return people;
}

/** A step that reaches every number below `count` once, so that a person's responses are far from each other. */
function coprimeStep(count: number): number {
  const commonDivisor = (one: number, other: number): number =>
    other === 0 ? one : commonDivisor(other, one % other);
  let step = Math.floor(count * 0.618) + 1;
  while (count > 0 && commonDivisor(step, count) !== 1) step += 1;
  return step;
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
const DENSITIES: Readonly<Record<Density, Placement>> = {
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
