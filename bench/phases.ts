import { parseTimestamp } from "@survey-export/core";
import { simulatedRead } from "./simulated-read.ts";
import { FROM, survey } from "./survey.ts";

const LATENCY_MS = 100;
const SLOTS = 5;
const PER_PAGE = 100;

/** Where the time of a first sync goes, in round trips: the time from a request to its answer. */
export interface Phases {
  readonly roundTrips: number;
  /** Of a program that knows all page bounds. */
  readonly fewest: number;
  /** Until the first page has come: nothing can be cut before. */
  readonly first: number;
  /** After that, until five requests are under way for the first time. */
  readonly widening: number;
  /** From then until the last time that five are. */
  readonly full: number;
  /** The rest: what is left is too little to cut. */
  readonly last: number;
}

/** The phases of the real core on a simulated clock: only the service takes time. */
export async function phasesOf(count: number): Promise<Phases> {
  const startedMs: number[] = [];
  const { tookMs } = await simulatedRead({
    ...{ survey: survey("1", count, { content: "little" }), latencyMs: LATENCY_MS },
    read: { startDate: parseTimestamp(FROM) },
    onAnswer: ({ startedAtMs }) => startedMs.push(startedAtMs),
  });
  const began = Math.min(...startedMs);
  const underWay = (atMs: number): number =>
    startedMs.filter((start) => start <= atMs && atMs < start + LATENCY_MS).length;
  const wide = startedMs.filter((start) => underWay(start) >= SLOTS);
  const trips = (ms: number): number => ms / LATENCY_MS;
  const [firstWide, lastWide] =
    wide.length === 0
      ? [began + tookMs, began + tookMs]
      : [Math.min(...wide), Math.max(...wide) + LATENCY_MS];
  const end = began + tookMs;
  return {
    roundTrips: trips(tookMs),
    fewest: Math.ceil(count / PER_PAGE / SLOTS),
    first: 1,
    widening: trips(firstWide - began) - 1,
    full: trips(lastWide - firstWide),
    last: trips(end - lastWide),
  };
}
