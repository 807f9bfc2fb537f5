import { addMicroseconds, earlier, type Moment } from "./moment.ts";

/**
 * What has been delivered of one list: closed time spans, disjoint, oldest first, `null` = from the
 * beginning. Values are never changed in place, so one that has left in a state stays as it was (I4).
 *
 * An edge proves nothing: responses of the very moment of an edge may have come later or lain on the next
 * page. Only what is strictly inside counts as delivered, and whoever reads on begins at the edge (I3).
 */
export type Coverage = readonly Span[];
export type Span = readonly [older: Moment | null, newer: Moment];

/** A closed stretch still to read. `newer` undefined = up to the newest there is; `older` null = to the beginning. */
export interface Gap {
  readonly older: Moment | null;
  readonly newer: Moment | undefined;
}

export const NOTHING: Coverage = [];

const startsBefore = (a: Span, b: Span): boolean =>
  a[0] === b[0] ? a[1] < b[1] : a[0] === null || (b[0] !== null && a[0] < b[0]);

/** `coverage` and `span` together. Spans that touch become one. */
export function cover(coverage: Coverage, span: Span): Coverage {
  const merged: Span[] = [];
  let [older, newer] = span;
  let placed = false;
  for (const other of coverage) {
    if (older !== null && other[1] < older) merged.push(other);
    else if (other[0] !== null && other[0] > newer) {
      if (!placed) merged.push([older, newer]);
      placed = true;
      merged.push(other);
    } else {
      older = older === null || other[0] === null ? null : earlier(older, other[0]);
      newer = newer > other[1] ? newer : other[1];
    }
  }
  if (!placed) merged.push([older, newer]);
  return merged;
}

/** Any spans as a coverage: sorted, merged. */
export function coverageOf(spans: readonly Span[]): Coverage {
  return [...spans].sort((a, b) => (startsBefore(a, b) ? -1 : 1)).reduce(cover, NOTHING);
}

/** What of `wanted` is not strictly inside `coverage`, oldest first. A lower edge shared with `wanted` is taken as read. */
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

/** Gaps of several streams as one set of stretches to walk: overlapping or touching ones become one. */
export function unionOfGaps(gaps: readonly Gap[]): Gap[] {
  const sorted = [...gaps].sort((a, b) =>
    a.older === b.older ? 0 : a.older === null || (b.older !== null && a.older < b.older) ? -1 : 1,
  );
  const union: Gap[] = [];
  for (const gap of sorted) {
    const last = union.at(-1);
    if (last && (last.newer === undefined || gap.older === null || gap.older <= last.newer)) {
      const newer =
        last.newer === undefined || gap.newer === undefined
          ? undefined
          : last.newer > gap.newer
            ? last.newer
            : gap.newer;
      union[union.length - 1] = { older: last.older, newer };
    } else union.push(gap);
  }
  return union;
}

export function liesIn(gaps: readonly Gap[], moment: Moment): boolean {
  return gaps.some(
    (gap) => (gap.older === null || gap.older <= moment) && (gap.newer === undefined || moment <= gap.newer),
  );
}

export function isStrictlyInside(coverage: Coverage, moment: Moment): boolean {
  return coverage.some(([older, newer]) => (older === null || older < moment) && moment < newer);
}

export function newestOf(coverage: Coverage): Moment | undefined {
  return coverage.at(-1)?.[1];
}

/**
 * `coverage` without its newest `lookbackMs` milliseconds, to be walked again: a service with several
 * writers shows a response a moment after one with a later time (S8), and trusting the newest time seen
 * would lose it for good.
 */
export function reopenNewest(coverage: Coverage, lookbackMs: number): Coverage {
  const newest = newestOf(coverage);
  if (newest === undefined || lookbackMs === 0) return coverage;
  const limit = addMicroseconds(newest, -1000 * lookbackMs);
  return coverage
    .filter(([older]) => older === null || older < limit)
    .map(([older, newer]): Span => [older, earlier(newer, limit)]);
}
