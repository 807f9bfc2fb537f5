import {
  addMicroseconds,
  EARLIEST,
  earlier,
  grainOf,
  later,
  microsecondsBetween,
  roundDown,
  type Timestamp,
} from "./timestamp.ts";

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

export function liesIn(gaps: readonly Gap[], timestamp: Timestamp): boolean {
  return gaps.some(
    (gap) =>
      (gap.older === null || gap.older <= timestamp) && (gap.newer === undefined || timestamp <= gap.newer),
  );
}

/** Whether all of `from` to `to` lies strictly inside one interval. */
export function isStrictlyInside(coverage: Coverage, from: Timestamp, to: Timestamp = from): boolean {
  return coverage.some(([older, newer]) => (older === null || older < from) && to < newer);
}

export function newestOf(coverage: Coverage): Timestamp | undefined {
  return coverage.at(-1)?.[1];
}

/** Whether `coverage` covers all that `other` does. */
export function holdsAll(coverage: Coverage, other: Coverage): boolean {
  let place = 0;
  return other.every(([older, newer]) => {
    while ((coverage[place]?.[1] ?? newer) < newer) place++;
    const holder = coverage[place];
    return holder !== undefined && (holder[0] === null || (older !== null && holder[0] <= older));
  });
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
 * response some time after one with a later timestamp (S8), and it would be lost for good if the newest timestamp seen
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

/** `ranges` without `interval`, both closed: what is left of each. */
export function without(ranges: Coverage, [from, to]: Interval): Coverage {
  return ranges.flatMap(([older, newer]): Interval[] => {
    if (newer < (from ?? newer) || (older !== null && older > to)) return [[older, newer]];
    return [
      ...(from !== null && (older === null || older < from)
        ? [[older, addMicroseconds(from, -1)] as const]
        : []),
      ...(newer > to ? [[addMicroseconds(to, 1), newer] as const] : []),
    ];
  });
}

/** `ranges`, at most `most` of them: the nearest neighbours become one, so that the widest distances stay. */
export function mergedTo(most: number, ranges: Coverage): Coverage {
  if (ranges.length <= most) return ranges;
  const distances = ranges.map(([older], place) => {
    const below = ranges[place - 1];
    return { older, length: below && older !== null ? microsecondsBetween(below[1], older) : 0 };
  });
  const kept = new Set(widest(distances, most - 1).map(({ older }) => older));
  const merged: [Timestamp | null, Timestamp][] = [];
  for (const [older, newer] of ranges) {
    const last = merged.at(-1);
    if (last === undefined || kept.has(older)) merged.push([older, newer]);
    else last[1] = newer;
  }
  return merged;
}

/** `coverage` with its newest interval and the widest others, at most `most` in all. The rest is read again. */
export function widestOf(most: number, coverage: Coverage): Coverage {
  if (coverage.length <= most) return coverage;
  const others = coverage
    .slice(0, -1)
    .map((interval) => ({ interval, length: microsecondsBetween(interval[0] ?? EARLIEST, interval[1]) }));
  const kept = new Set([...widest(others, most - 1).map(({ interval }) => interval), ...coverage.slice(-1)]);
  return coverage.filter((interval) => kept.has(interval));
}

const widest = <Part extends { readonly length: number }>(parts: readonly Part[], most: number): Part[] =>
  parts.toSorted((a, b) => b.length - a.length).slice(0, most);

/** Whether `timestamp` is in one of the closed `ranges`. */
export function isWithin(ranges: Coverage, timestamp: Timestamp): boolean {
  return ranges.some(([older, newer]) => (older === null || older <= timestamp) && timestamp <= newer);
}
