import type { Figures } from "./figures.ts";

/** Which time a page is about. */
export interface Times {
  /** The day of the newest response that is not in the future. */
  readonly lastDay: string | undefined;
  /** The days after the last sync, in their order: a wrong clock has written them. */
  readonly future: readonly string[];
}

const DAY_MS = 86_400_000;

/**
 * What is new is told by the time of the last sync: a response of the year 2099 must not empty the charts. A day more is
 * allowed, since clocks differ. `days`: those with responses.
 */
export function timesIn(days: Iterable<string>, figures: Pick<Figures, "syncs" | "arrived">): Times {
  const limit = lastPossibleDay(figures);
  const known = [...days].filter((day) => DAY.test(day)).toSorted();
  return {
    lastDay: known.findLast((day) => day <= limit),
    future: known.filter((day) => day > limit),
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function lastPossibleDay({ syncs, arrived }: Pick<Figures, "syncs" | "arrived">): string {
  const ofSyncs = syncs.map(({ began_at: began, ended_at: ended }) => ended ?? began);
  const ofService = arrived.map(({ listed_at: listed }) => listed);
  const times = [...ofSyncs, ...ofService].map((time) => Date.parse(String(time))).filter(Number.isFinite);
  return times.length === 0 ? "9999-12-31" : new Date(Math.max(...times) + DAY_MS).toISOString().slice(0, 10);
}
