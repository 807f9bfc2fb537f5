import { addMicroseconds, earlier, grainOf, LATEST, later, roundDown, type Timestamp } from "./timestamp.ts";

/**
 * What was delivered of one list: closed intervals, disjoint, oldest first, `null` = from the beginning.
 * A value: it never changes in place, so one that left in a state stays as it was (I4).
 *
 * An edge proves nothing: responses with the timestamp of an edge may have arrived later or on the next page.
 * Only a timestamp strictly inside counts as delivered, and the next read begins at the edge (I3).
 */
export type Coverage = readonly Interval[];
export type Interval = readonly [older: Timestamp | null, newer: Timestamp];

/** A closed interval still to read. `newer` undefined = up to the newest item there is; `older` null = to the beginning. */
export interface Gap {
  readonly older: Timestamp | null;
  readonly newer: Timestamp | undefined;
}

export const NOTHING: Coverage = [];

/** Any intervals as a coverage: sorted, and those that touch as one. Takes time for sorting them, however many there are. */
export function coverageOf(intervals: readonly Interval[]): Coverage {
  const sorted = [...intervals].sort(([a], [b]) => compareOlder(a, b));
  const merged: [Timestamp | null, Timestamp][] = [];
  for (const [older, newer] of sorted) {
    const last = merged.at(-1);
    if (last && (older === null || older <= last[1])) last[1] = later(last[1], newer);
    else merged.push([older, newer]);
  }
  return merged;
}

const compareOlder = (a: Timestamp | null, b: Timestamp | null): number =>
  a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1;

/**
 * The range that something from `older` to `newer` leaves unread: one unit more on each side, in which the timestamps are
 * shown. So nothing that is covered beside it closes it.
 *
 * Example: a response at `…:07.5Z` leaves `…:07.499Z` to `…:07.501Z`.
 */
export const holeAround = ([older, newer]: Interval): Interval => [
  older && addMicroseconds(older, -grainOf(older)),
  addMicroseconds(newer, grainOf(newer)),
];

/**
 * `coverage` without what lies strictly inside each of `holes`, which are sorted and do not overlap: gaps of the next
 * read. A point stays: it covers nothing, and may be the newest timestamp that was seen.
 */
export function cutOut(coverage: Coverage, holes: Coverage): Coverage {
  const kept: Interval[] = [];
  let place = 0;
  for (const interval of coverage) {
    const newer = interval[1];
    const isPoint = interval[0] === newer;
    let older = interval[0];
    for (let hole = holes[place]; hole !== undefined && !isPoint; hole = holes[++place]) {
      const [holeOlder, holeNewer] = hole;
      if (holeOlder !== null && holeOlder >= newer) break;
      if (older !== null && holeNewer <= older) continue;
      if (holeOlder !== null && (older === null || older < holeOlder)) kept.push([older, holeOlder]);
      older = holeNewer;
      if (holeNewer >= newer) break;
    }
    if (older === null || older < newer || isPoint) kept.push([older, newer]);
  }
  return kept;
}

/**
 * The gaps of `wanted` that are not strictly inside `coverage`, oldest first. A lower edge shared with `wanted` counts
 * as read. A point (an interval of one timestamp) has no inside and covers nothing.
 */
export function gapsIn(wanted: Gap, coverage: Coverage): Gap[] {
  const gaps: Gap[] = [];
  /** Of the next gap. */
  let { older } = wanted;
  for (const [coveredOlder, coveredNewer] of coverage) {
    if (coveredOlder === coveredNewer || (older !== null && coveredNewer <= older)) continue;
    if (coveredOlder !== null && wanted.newer !== undefined && coveredOlder >= wanted.newer) break;
    if (coveredOlder !== null && (older === null || coveredOlder > older))
      gaps.push({ older, newer: coveredOlder });
    older = coveredNewer;
  }
  if (wanted.newer === undefined || older === null || older <= wanted.newer)
    gaps.push({ older, newer: wanted.newer });
  return gaps;
}

/** Gaps of several streams as one set of slices to walk: overlapping or touching ones become one. */
export const unionOfGaps = (gaps: readonly Gap[]): Gap[] =>
  coverageOf(gaps.map(({ older, newer = LATEST }) => [older, newer])).map(([older, newer]) => ({
    older,
    newer: newer === LATEST ? undefined : newer,
  }));

/** The parts of a closed interval that lie in `gaps`, which are sorted and do not overlap. */
export function partsIn(gaps: readonly Gap[], [older, newer]: Interval): Interval[] {
  const parts: Interval[] = [];
  for (const gap of gaps.slice(firstFrom(gaps, older))) {
    if (gap.older !== null && gap.older > newer) break;
    const partOlder = older === null || gap.older === null ? (older ?? gap.older) : later(older, gap.older);
    parts.push([partOlder, gap.newer === undefined ? newer : earlier(newer, gap.newer)]);
  }
  return parts;
}

export function liesIn(gaps: readonly Gap[], timestamp: Timestamp): boolean {
  const gap = gaps[firstFrom(gaps, timestamp)];
  return gap !== undefined && (gap.older === null || gap.older <= timestamp);
}

/** The place of the first gap that does not end below `timestamp`. There may be thousands, and every item asks. */
function firstFrom(gaps: readonly Gap[], timestamp: Timestamp | null): number {
  if (timestamp === null) return 0;
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const newer = gaps[middle]?.newer;
    if (newer !== undefined && newer < timestamp) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const isStrictlyInside = (coverage: Coverage, timestamp: Timestamp): boolean =>
  coverage.some(([older, newer]) => (older === null || older < timestamp) && timestamp < newer);

export const newestOf = (coverage: Coverage): Timestamp | undefined => coverage.at(-1)?.[1];

/** `coverage` up to `newer`, inclusive. */
export const clipAbove = (coverage: Coverage, newer: Timestamp): Coverage =>
  coverage
    .filter(([older]) => older === null || older <= newer)
    .map(([older, each]): Interval => [older, earlier(each, newer)]);

/**
 * `coverage` without its newest `lookbackMs` milliseconds, to be read again: a service with several writers shows a
 * response some time after one with a later timestamp (S8), and it would be lost permanently if the newest timestamp seen
 * were trusted.
 *
 * The newest timestamp stays as a point, which covers nothing. The next sync measures its lookback from there again, so
 * a sync that does not get this far reads no more again.
 */
export function withoutLookback(coverage: Coverage, lookbackMs: number): Coverage {
  const newest = newestOf(coverage);
  if (newest === undefined || lookbackMs === 0) return coverage;
  // No finer than the service shows its timestamps (S7).
  const newer = roundDown(addMicroseconds(newest, -1000 * lookbackMs), grainOf(newest));
  const kept = clipAbove(coverage, newer).filter(([older]) => older !== newer);
  return [...kept, [newest, newest]];
}
