import {
  addMicroseconds,
  COARSEST_GRAIN,
  microsecondsBetween,
  roundDown,
  type Timestamp,
  timestampOfMs,
} from "../coverage/timestamp.ts";
import type { ListedSurvey } from "../lists/item.ts";
import type { Slice } from "./slice.ts";

/** A slice with fewer pages to come is not cut: the extra requests would cost more than they save. */
const SMALLEST_PAGES = 3;
/** The same if there are enough other surveys of its size to read next to it. */
const SMALLEST_PAGES_OF_MANY = 50;
/** How many pages a part has at least. */
const SMALLEST_PART = 1.5;
/** By a wrong number, a cut could lie before all time. */
const EARLIEST_CUT = timestampOfMs(0);
/** If nothing says how many responses follow, no more than so many times what has come. */
const BELIEVED = 2;

/** Where a slice and the new ones below it end, inclusive. */
export interface Cut {
  readonly slice: Slice;
  /** Newest last. */
  readonly at: readonly Timestamp[];
}

export interface CutOptions {
  readonly itemsPerPage: number;
  /** How many slots are idle. */
  readonly idle: number;
  /** What the list of surveys says of a survey: good for plans, and no proof. Undefined if nothing of what is to be read. */
  readonly listed: (surveyId: string) => Pick<ListedSurvey, "responses" | "createdAt"> | undefined;
  /** What each slot reads if the responses of all surveys are shared equally: a survey with more outweighs the others. */
  readonly share: number;
}

/**
 * Where to cut the slice with the most pages to come into a part for each idle slot, while its walk continues. Undefined if
 * nothing is worth a cut. A slice is cut only after a page of its own, which shows how dense it is.
 */
export function chooseCut(
  slices: Iterable<Slice>,
  { itemsPerPage, idle, listed, share }: CutOptions,
): Cut | undefined {
  let best: Cut | undefined;
  let most = 0;
  for (const slice of slices) {
    const { survey, walk } = slice;
    const { position } = walk;
    const { responses, createdAt } = listed(survey.id) ?? {};
    const rest = restOf(slice, responses, createdAt);
    if (rest === undefined || position === undefined) continue;
    const pages = rest.responses / itemsPerPage;
    const isOneOfMany = responses !== undefined && responses <= share;
    if (pages < (isOneOfMany ? SMALLEST_PAGES_OF_MANY : SMALLEST_PAGES) || pages <= most) continue;
    const parts = Math.min(idle + 1, Math.floor(pages / SMALLEST_PART), rest.mostParts);
    const times = Array.from({ length: parts - 1 }, (_, below) => {
      const depth = (rest.responses * (parts - 1 - below)) / parts / rest.density;
      return addMicroseconds(position, -depth);
    });
    const at = fitting(slice, position, times);
    if (at.length === 0) continue;
    most = pages;
    best = { slice, at };
  }
  return best;
}

/** What a slice has still to show, by estimate. */
interface Rest {
  readonly responses: number;
  /** Responses per microsecond. */
  readonly density: number;
  /** Into so many parts it may be cut. */
  readonly mostParts: number;
}

/**
 * What a slice has still to show, if it goes on as densely as on its last pages: no more than the list of surveys says of the
 * survey, or, without that, than twice what has come. The lowest part holds all that the list says, however sparse its last
 * pages were; but if the two disagree, it is cut in two, since nobody knows where the dense part is. Undefined for a slice
 * that has ended or waits, and before its first page.
 *
 * @param number how many responses the survey has, as the list says. One that was too small says nothing.
 */
function restOf(
  { survey, walk, isSetAside }: Slice,
  number: number | undefined,
  createdAt: Timestamp | undefined,
): Rest | undefined {
  const { position, density, path } = walk;
  if (isSetAside || path === undefined || position === undefined || density === undefined) return undefined;
  const bottom = walk.older ?? createdAt ?? position;
  const length = bottom < position ? microsecondsBetween(bottom, position) : Number.POSITIVE_INFINITY;
  const byDensity = length * density;
  const mostParts = Number.POSITIVE_INFINITY;
  if (number === undefined || number < survey.responses)
    return { responses: Math.min(byDensity, BELIEVED * survey.responses), density, mostParts };
  const unseen = number - survey.responses;
  if (walk.isAboveOthers || unseen <= byDensity)
    return { responses: Math.min(byDensity, unseen), density, mostParts };
  return { responses: unseen, density: unseen / length, mostParts: 2 };
}

/**
 * Multiples of the unit of the timestamps that the service shows, since it may filter by finer ones: both slices must agree
 * on which side a response lies. Without those outside of what remains to be read below `position`. `times`: newest last.
 */
function fitting({ walk, survey }: Slice, position: Timestamp, times: readonly Timestamp[]): Timestamp[] {
  const { edges, seen } = survey;
  const grain = seen?.grain ?? COARSEST_GRAIN;
  const older = walk.older ?? EARLIEST_CUT;
  const rounded = times.map((time) => {
    let at = roundDown(time, grain);
    while (edges.has(at)) at = addMicroseconds(at, -grain);
    return at;
  });
  return [...new Set(rounded)].filter((at) => at < position && at > older);
}
