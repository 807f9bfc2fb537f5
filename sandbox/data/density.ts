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
