import { addMicroseconds, microsecondsBetween, roundDown, type Timestamp } from "../coverage/timestamp.ts";
import type { ListWalk } from "../lists/list-walk.ts";

/** A gap, or a part of one, that is walked by itself. */
export interface Slice {
  readonly walk: ListWalk;
  /**
   * Timestamps where some stream's coverage begins. A slice below a cut covers up to the cut before the cut's own
   * timestamp has been read, and touching such a coverage would put that timestamp inside.
   */
  readonly edges: ReadonlySet<Timestamp>;
  /** How many pages below its position this slice is cut next. */
  cutPages: number;
}

export interface Cut<S extends Slice> {
  readonly slice: S;
  /** Where the slice ends, inclusive; the new one begins below. */
  readonly at: Timestamp;
}

/** How many pages below its position a gap is cut first. */
export const FIRST_CUT_PAGES = 3;
/** A slice with fewer pages left, by the estimate, is not cut: the extra request would cost more than it saves. */
const SMALLEST_PAGES = 3;

/**
 * Where to cut a slice in two, so that an idle slot can read the older part while the walk goes on. Undefined if
 * nothing is worth a cut. A slice is cut only after a page of its own: nothing shows before that whether there is
 * anything to read in it.
 *
 * A few pages below the walk's position, twice as many each time a part is split off further down, and never beyond
 * the middle of what is known to remain. Plain halving wastes its first requests on emptiness: in a list that is dense
 * at its new end, the middle of the time is nowhere near the middle of the responses.
 *
 * `grain`: the unit of the timestamps that the service shows, in microseconds. A cut is a multiple of it, since the
 * service may filter by finer timestamps than it shows: both slices must agree on which side a response lies.
 */
export function chooseCut<S extends Slice>(
  slices: Iterable<S>,
  itemsPerPage: number,
  grainOf: (slice: S) => number,
): Cut<S> | undefined {
  let best: Cut<S> | undefined;
  let most = SMALLEST_PAGES;
  for (const slice of slices) {
    const { walk } = slice;
    const { density } = walk;
    if (walk.position === undefined || density === undefined) continue;
    const microsecondsPerPage = itemsPerPage / density;
    const length =
      walk.older === null ? Number.POSITIVE_INFINITY : microsecondsBetween(walk.older, walk.position);
    const pagesLeft = length / microsecondsPerPage;
    if (pagesLeft < most || (best !== undefined && pagesLeft === most)) continue;
    const depth = Math.min(slice.cutPages * microsecondsPerPage, length / 2);
    const grain = grainOf(slice);
    let at = roundDown(addMicroseconds(walk.position, -Math.max(1, depth)), grain);
    while (slice.edges.has(at)) at = addMicroseconds(at, -grain);
    if (at >= walk.position || (walk.older !== null && at <= walk.older)) continue;
    most = pagesLeft;
    best = { slice, at };
  }
  return best;
}
