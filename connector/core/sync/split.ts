import { addMicroseconds, microsecondsBetween, roundDown } from "../coverage/timestamp.ts";
import type { Cut, Slice } from "./survey-list.ts";

/** A slice with fewer pages to come, by the estimate, is not cut: the extra request would cost more than it saves. */
const SMALLEST_PAGES = 3;

/**
 * Where to cut one of the slices in two, so that an idle slot can read the older part while the walk continues. Undefined if
 * nothing is worth a cut. A slice is cut only after a page of its own, which shows that there is something to read in it.
 *
 * A few pages below the walk's position, twice as many each time a part is split off further down, and never beyond
 * the middle of what is known to remain. In a list that is dense at its new end, plain halving finds nothing at first.
 * A cut is a multiple of the unit of the timestamps that the service shows, since it may filter by finer ones: both slices
 * must agree on which side a response lies.
 */
export function chooseCut(slices: Iterable<Slice>, itemsPerPage: number): Cut | undefined {
  let best: Cut | undefined;
  let most = SMALLEST_PAGES;
  for (const slice of slices) {
    const { walk, survey } = slice;
    const { density } = walk;
    const hasEnded = slice.isPutAside || walk.path === undefined;
    if (hasEnded || walk.position === undefined || density === undefined) continue;
    const microsecondsPerPage = itemsPerPage / density;
    const length =
      walk.older === null ? Number.POSITIVE_INFINITY : microsecondsBetween(walk.older, walk.position);
    const pagesToCome = length / microsecondsPerPage;
    if (pagesToCome < most || (best !== undefined && pagesToCome === most)) continue;
    const depth = Math.min(slice.cutPages * microsecondsPerPage, length / 2);
    const { grain, edges } = survey;
    let at = roundDown(addMicroseconds(walk.position, -Math.max(1, depth)), grain);
    while (edges.has(at)) at = addMicroseconds(at, -grain);
    if (at >= walk.position || (walk.older !== null && at <= walk.older)) continue;
    most = pagesToCome;
    best = { slice, at };
  }
  return best;
}
