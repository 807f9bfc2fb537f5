import { addMicroseconds, type Moment, microsecondsBetween } from "./moment.ts";
import type { Walk } from "./walk.ts";

/**
 * Where to cut a walk in two, so that an idle slot can read the older part while the walk goes on.
 *
 * A few pages below where the walk stands, twice as many each time a part is split off further down, and never
 * beyond the middle of what is known to remain. Plain halving wastes its probes on emptiness: in a list that
 * is dense at its new end, the middle of the time is nowhere near the middle of the responses.
 */
export interface Part {
  readonly walk: Walk;
  /** Whether it was split off: then its own first page has shown already that there is something to read. */
  readonly isSplitOff: boolean;
  /**
   * Moments where some stream's coverage begins. A part below a cut claims up to the cut before the cut's own
   * moment has been read, and touching such a coverage would put that moment inside.
   */
  readonly edges: ReadonlySet<Moment>;
  /** How many pages below its position this part is cut next. */
  cutPages: number;
}

export interface Cut<P extends Part> {
  readonly part: P;
  /** Where the part ends, inclusive; the new one begins below. */
  readonly at: Moment;
}

export const FIRST_CUT_PAGES = 4;
/** What has fewer pages left, by the estimate, is left alone: the probe would cost more than it saves. */
const SMALLEST_PAGES = 5;
/** Pages to have come before a whole stretch is cut, so that a small sync is one plain walk. */
const FIRST_PAGES = 2;

/** The cut that frees most work, or undefined where nothing is worth one. */
export function chooseCut<P extends Part>(parts: Iterable<P>, itemsPerPage: number): Cut<P> | undefined {
  let best: Cut<P> | undefined;
  let most = SMALLEST_PAGES;
  for (const part of parts) {
    const { walk } = part;
    const { density } = walk;
    if (walk.pages < (part.isSplitOff ? 1 : FIRST_PAGES)) continue;
    if (walk.path === undefined || walk.position === undefined || density === undefined) continue;
    const microsecondsAPage = itemsPerPage / density;
    const length =
      walk.older === null ? Number.POSITIVE_INFINITY : microsecondsBetween(walk.older, walk.position);
    const pagesLeft = length / microsecondsAPage;
    if (pagesLeft < most || (best !== undefined && pagesLeft === most)) continue;
    const depth = Math.min(part.cutPages * microsecondsAPage, length / 2);
    let at = addMicroseconds(walk.position, -Math.max(1, depth));
    while (part.edges.has(at)) at = addMicroseconds(at, -1);
    if (at >= walk.position || (walk.older !== null && at <= walk.older)) continue;
    most = pagesLeft;
    best = { part, at };
  }
  return best;
}
