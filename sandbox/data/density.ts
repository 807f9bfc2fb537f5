/** How responses lie in their range of time. */
export type Density = "even" | "growing" | "steep" | "old" | "bursts" | "burst" | "recent";

/** For the share of responses up to one, the share of the range up to it; rising, from 0 to at most 1. */
type Placement = (responses: number) => number;

/** Straight lines between points of [share of the responses, share of the range]. */
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

const fiveBursts = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((place, number): [number, number][] => [
  [number * 0.2 + 0.004, place],
  [number * 0.2 + 0.2, place + 0.002],
]);

/**
 * The densities: the same every day, more each day, many times more each year, none but long ago, nearly all
 * in five bursts or in one, nearly all in the last days of years.
 */
export const densities: Record<Density, Placement> = {
  even: (responses) => responses,
  growing: (responses) => Math.sqrt(responses),
  steep: (responses) => Math.log1p(responses * Math.expm1(8)) / 8,
  old: (responses) => responses * 0.1,
  bursts: along(fiveBursts),
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
