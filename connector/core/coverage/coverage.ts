import { addMicroseconds, earlier, grainOf, LATEST, later, type Timestamp } from "./timestamp.ts";

/**
 * What was delivered of one list: closed intervals, disjoint, oldest first, `null` = from the beginning.
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
  const sorted = [...intervals].sort(([a], [b]) => (start(a) < start(b) ? -1 : start(a) > start(b) ? 1 : 0));
  const merged: [Timestamp | null, Timestamp][] = [];
  for (const [older, newer] of sorted) {
    const last = merged.at(-1);
    if (last && start(older) <= last[1]) last[1] = later(last[1], newer);
    else merged.push([older, newer]);
  }
  return merged;
}

/** For comparisons. */
const start = (older: Timestamp | null): string => older ?? "";

/** Adds `interval`, unless that is a point. In place: there may be thousands of intervals. @returns whether that changes anything */
export function add(coverage: Interval[], interval: Interval): boolean {
  const [older, newer] = interval;
  if (older === newer) return false;
  const at = firstPlace(coverage, (each) => each[1] >= start(older));
  const end = firstPlace(coverage, (each) => start(each[0]) > newer);
  const touching = coverage.slice(at, end);
  return replace(coverage, at, touching, coverageOf([interval, ...touching]));
}

/** Removes what lies strictly inside `hole`. In place. @returns whether that changes anything */
export function remove(coverage: Interval[], hole: Interval): boolean {
  const at = firstPlace(coverage, (each) => each[1] > start(hole[0]));
  const end = firstPlace(coverage, (each) => start(each[0]) >= hole[1]);
  const cut = coverage.slice(at, end);
  const parts = cut.flatMap((each) => outside([hole], each)).filter(([older, newer]) => older !== newer);
  return replace(coverage, at, cut, parts);
}

/** Replaces the intervals from a place on, unless the same come there. @returns whether it does */
function replace(coverage: Interval[], at: number, before: Coverage, after: Coverage): boolean {
  const isSame =
    before.length === after.length &&
    before.every(([older, newer], place) => older === after[place]?.[0] && newer === after[place]?.[1]);
  if (!isSame) coverage.splice(at, before.length, ...after);
  return !isSame;
}

/** The parts of `interval` that do not lie strictly inside one of `holes`. The last one may be a point: its newer end. */
export function outside(holes: Coverage, [older, newer]: Interval): Interval[] {
  const parts: Interval[] = [];
  const at = firstPlace(holes, (hole) => hole[1] > start(older));
  const end = firstPlace(holes, (hole) => start(hole[0]) >= newer);
  let from = older;
  for (const [holeOlder, holeNewer] of holes.slice(at, end)) {
    if (holeOlder !== null && start(from) < holeOlder) parts.push([from, holeOlder]);
    from = holeNewer;
  }
  if (start(from) <= newer) parts.push([from, newer]);
  return parts;
}

/** The place of the first element for which `isFrom` holds: of a sorted list, so that it holds for all that follow. */
function firstPlace<T>(list: readonly T[], isFrom: (element: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isFrom(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The range that something from `older` to `newer` makes unread: one unit of the timestamps more on each side, so that
 * nothing that is covered next to it closes it. Example: `…:07.5Z` makes `…:07.499Z` to `…:07.501Z` unread.
 */
export const holeAround = ([older, newer]: Interval): Interval => [
  older && addMicroseconds(older, -grainOf(older)),
  addMicroseconds(newer, grainOf(newer)),
];

/** The gaps of `wanted` that are not strictly inside `coverage`, oldest first. A lower edge of both counts as read. */
export const gapsIn = ({ older, newer = LATEST }: Gap, coverage: Coverage): Gap[] =>
  outside(coverage, [older, newer]).map(gapOf);

/** Gaps of several streams as one set of slices to walk: overlapping or touching ones become one. */
export const unionOfGaps = (gaps: readonly Gap[]): Gap[] =>
  coverageOf(gaps.map(({ older, newer = LATEST }) => [older, newer])).map(gapOf);

const gapOf = ([older, newer]: Interval): Gap => ({ older, newer: newer === LATEST ? undefined : newer });

/** The parts of a closed interval that lie in `gaps`, which are sorted and do not overlap. */
export function partsIn(gaps: readonly Gap[], [older, newer]: Interval): Interval[] {
  const end = firstPlace(gaps, (gap) => start(gap.older) > newer);
  return gaps
    .slice(firstFrom(gaps, older), end)
    .map((gap) => [
      start(older) > start(gap.older) ? older : gap.older,
      gap.newer === undefined ? newer : earlier(newer, gap.newer),
    ]);
}

export function liesIn(gaps: readonly Gap[], timestamp: Timestamp): boolean {
  const gap = gaps[firstFrom(gaps, timestamp)];
  return gap !== undefined && start(gap.older) <= timestamp;
}

/** The place of the first gap that does not end below `timestamp`. There may be thousands, and every item asks. */
const firstFrom = (gaps: readonly Gap[], timestamp: Timestamp | null): number =>
  firstPlace(gaps, ({ newer }) => newer === undefined || newer >= start(timestamp));

export function isStrictlyInside(coverage: Coverage, timestamp: Timestamp): boolean {
  const interval = coverage[firstPlace(coverage, ([, newer]) => newer > timestamp)];
  return interval !== undefined && start(interval[0]) < timestamp;
}

export const newestOf = (coverage: Coverage): Timestamp | undefined => coverage.at(-1)?.[1];
