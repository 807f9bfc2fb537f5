import { addMicroseconds, earlier, grainOf, later, roundDown, type Timestamp } from "./timestamp.ts";

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

/** `coverage` and `interval` together. Intervals that touch become one. */
export function cover(coverage: Coverage, interval: Interval): Coverage {
  const merged: Interval[] = [];
  let [older, newer] = interval;
  let placed = false;
  for (const other of coverage) {
    if (older !== null && other[1] < older) merged.push(other);
    else if (other[0] !== null && other[0] > newer) {
      if (!placed) merged.push([older, newer]);
      placed = true;
      merged.push(other);
    } else {
      older = older === null || other[0] === null ? null : earlier(older, other[0]);
      newer = later(newer, other[1]);
    }
  }
  if (!placed) merged.push([older, newer]);
  return merged;
}

/** Any intervals as a coverage: sorted, merged. Takes time for sorting them, however many there are. */
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
  for (const [older, newer] of coverage) {
    let from = older;
    for (let hole = holes[place]; hole !== undefined && older !== newer; hole = holes[++place]) {
      const [start, end] = hole;
      if (start !== null && start >= newer) break;
      if (from !== null && end <= from) continue;
      if (start !== null && (from === null || from < start)) kept.push([from, start]);
      from = end;
      if (end >= newer) break;
    }
    if (from === null || from < newer || older === newer) kept.push([from, newer]);
  }
  return kept;
}

/**
 * The gaps of `wanted` that are not strictly inside `coverage`, oldest first. A lower edge shared with `wanted` counts
 * as read. A point (an interval of one timestamp) has no inside and covers nothing.
 */
export function gapsIn(wanted: Gap, coverage: Coverage): Gap[] {
  const gaps: Gap[] = [];
  let reached = wanted.older;
  for (const [older, newer] of coverage) {
    if (older === newer) continue;
    if (reached !== null && newer <= reached) continue;
    if (older !== null && wanted.newer !== undefined && older >= wanted.newer) break;
    if (older !== null && (reached === null || older > reached)) gaps.push({ older: reached, newer: older });
    reached = newer;
  }
  if (wanted.newer === undefined || reached === null || reached <= wanted.newer) {
    gaps.push({ older: reached, newer: wanted.newer });
  }
  return gaps;
}

/** Gaps of several streams as one set of slices to walk: overlapping or touching ones become one. */
export function unionOfGaps(gaps: readonly Gap[]): Gap[] {
  const union: Gap[] = [];
  for (const gap of [...gaps].sort((a, b) => compareOlder(a.older, b.older))) {
    const last = union.at(-1);
    if (last && (last.newer === undefined || gap.older === null || gap.older <= last.newer)) {
      const newer =
        last.newer === undefined || gap.newer === undefined ? undefined : later(last.newer, gap.newer);
      union[union.length - 1] = { older: last.older, newer };
    } else union.push(gap);
  }
  return union;
}

/** The parts of a closed interval that lie in `gaps`, which are sorted and do not overlap. */
export function partsIn(gaps: readonly Gap[], [older, newer]: Interval): Interval[] {
  const parts: Interval[] = [];
  for (let at = firstFrom(gaps, older); at < gaps.length; at++) {
    const gap = gaps[at];
    if (gap === undefined || (gap.older !== null && gap.older > newer)) break;
    const from = older === null || gap.older === null ? (older ?? gap.older) : later(older, gap.older);
    parts.push([from, gap.newer === undefined ? newer : earlier(newer, gap.newer)]);
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

export function isStrictlyInside(coverage: Coverage, timestamp: Timestamp): boolean {
  return coverage.some(([older, newer]) => (older === null || older < timestamp) && timestamp < newer);
}

export function newestOf(coverage: Coverage): Timestamp | undefined {
  return coverage.at(-1)?.[1];
}

/** `coverage` up to `limit`, inclusive. */
export function clipAbove(coverage: Coverage, limit: Timestamp): Coverage {
  const newest = newestOf(coverage);
  if (newest === undefined || newest <= limit) return coverage;
  return coverage
    .filter(([older]) => older === null || older <= limit)
    .map(([older, newer]): Interval => [older, earlier(newer, limit)]);
}

/**
 * `coverage` without its newest `lookbackMs` milliseconds, to be read again: a service with several writers shows a
 * response some time after one with a later timestamp (S8), and it would be lost permanently if the newest timestamp seen
 * were trusted.
 *
 * The newest timestamp stays as a point, which covers nothing. The next sync measures its lookback from there again, so
 * a sync that does not get this far re-opens nothing more.
 */
export function reopenNewest(coverage: Coverage, lookbackMs: number): Coverage {
  const newest = newestOf(coverage);
  if (newest === undefined || lookbackMs === 0) return coverage;
  // No finer than the service shows its timestamps (S7).
  const limit = roundDown(addMicroseconds(newest, -1000 * lookbackMs), grainOf(newest));
  const kept = coverage
    .filter(([older]) => older === null || older < limit)
    .map(([older, newer]): Interval => [older, earlier(newer, limit)]);
  return [...kept, [newest, newest]];
}
