import { requireTimestamp } from "../time.ts";
import { itemAt, share } from "./random.ts";

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
  const fromMicros = requireTimestamp(from, `${where}.from`);
  const span = requireTimestamp(to, `${where}.to`) - fromMicros;
  if (span < 0) throw new Error(`${where}.from is later than ${where}.to.`);
  if (!Object.hasOwn(DENSITIES, density)) {
    throw new Error(`${where}.density is not one of ${Object.keys(DENSITIES).join(", ")}.`);
  }
  const place = DENSITIES[density];
  return Array.from({ length: count }, (_, index) => {
    const tied = (index + seed) % TIES.every;
    const at = tied < TIES.size ? Math.max(0, index - tied) : index;
    const [low, high] = [place(at / count), place((at + 1) / count)];
    const micros = fromMicros + Math.floor(span * (low + (high - low) * share(seed, at, 1)));
    return { micros, respondent: Math.floor(respondents * share(seed, index, 4)) };
  });
}

/** How responses are distributed over their time range. */
export type Density = "even" | "growing" | "steep" | "old" | "bursts" | "burst" | "recent";

/** Maps a share of the responses, oldest first, to the share of the time range that they fill. Increasing. */
type Placement = (responses: number) => number;

/** Linear between points of [share of the responses, share of the time range]; the last is [1, 1]. */
const along =
  (...points: readonly (readonly [number, number])[]): Placement =>
  (responses) => {
    const next = points.findIndex(([toResponses]) => responses <= toResponses);
    const [[fromResponses, fromRange], [toResponses, toRange]] = [
      points[next - 1] ?? [0, 0],
      itemAt(points, next),
    ];
    return fromRange + ((responses - fromResponses) / (toResponses - fromResponses)) * (toRange - fromRange);
  };

const FIVE_BURSTS = [0, 1, 2, 3, 4].flatMap((number): [number, number][] => [
  [number * 0.2 + 0.004, number * 0.2 + 0.1],
  [number * 0.2 + 0.2, number * 0.2 + 0.102],
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
  bursts: along(...FIVE_BURSTS, [1, 1]),
  burst: along([0.01, 0.6], [0.99, 0.601], [1, 1]),
  recent: along([0.01, 0.995], [1, 1]),
};
