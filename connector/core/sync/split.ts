import { addMicroseconds, microsecondsBetween, roundDown, type Timestamp } from "../coverage/timestamp.ts";
import type { ListedSurvey } from "../lists/item.ts";
import { type Cut, FIRST_CUT_PAGES, type Slice } from "./survey-list.ts";

/** What the list of surveys says of a survey: good for plans, and no proof. */
export type Listed = Pick<ListedSurvey, "responses" | "createdAt">;

/** A slice with fewer pages to come is not cut: the extra request would cost more than it saves. */
const SMALLEST_PAGES = 3;
/** The same if there are enough other surveys of its size to read beside it. */
const SMALLEST_PAGES_OF_MANY = 50;
/** How many pages a planned part has at least. */
const SMALLEST_PART = SMALLEST_PAGES / 2;

export interface CutOptions {
  readonly itemsPerPage: number;
  /** How many slots are idle. */
  readonly idle: number;
  /** What the list of surveys says of a survey; undefined if it says nothing of what is to be read. */
  readonly listed: (surveyId: string) => Listed | undefined;
  /** What each slot reads if the responses of all surveys are shared equally: a survey with more outweighs the others. */
  readonly share: number;
}

/**
 * Where to cut one of the slices, so that idle slots can read the older parts while the walk continues. Undefined if
 * nothing is worth a cut. A slice is cut only after a page of its own, which shows that there is something to read in it.
 *
 * A survey of which the number of responses is known is cut at once into a part for each idle slot. Else, a few pages below
 * the walk's position, twice as many each time a part is split off further down, and never beyond the middle of what is
 * known to remain: in a list that is dense at its new end, plain halving finds nothing at first.
 */
export function chooseCut(
  slices: Iterable<Slice>,
  { itemsPerPage, idle, listed, share }: CutOptions,
): Cut | undefined {
  let best: Cut | undefined;
  let most = 0;
  for (const slice of slices) {
    const { walk, survey } = slice;
    const { position, density } = walk;
    const hasEnded = slice.kept !== undefined || walk.path === undefined;
    if (hasEnded || position === undefined || density === undefined) continue;
    const known: Partial<Listed> = listed(survey.id) ?? {};
    const length = walk.older === null ? Number.POSITIVE_INFINITY : microsecondsBetween(walk.older, position);
    const pagesToCome = Math.min(length * density, remainingOf(survey.seen, known)) / itemsPerPage;
    const isOneOfMany = known.responses !== undefined && known.responses <= share;
    if (pagesToCome < (isOneOfMany ? SMALLEST_PAGES_OF_MANY : SMALLEST_PAGES)) continue;
    if (pagesToCome < most || (best !== undefined && pagesToCome === most)) continue;
    const { cutPages } = slice;
    const depth = Math.min((cutPages * itemsPerPage) / density, length / 2);
    const next = {
      slice,
      at: fitting(slice, [addMicroseconds(position, -Math.max(1, depth))]),
      cutPages: 2 * cutPages,
    };
    const cut = plannedCut(slice, itemsPerPage, idle, known) ?? next;
    if (cut.at.length === 0) continue;
    most = pagesToCome;
    best = cut;
  }
  return best;
}

/** How many responses of a survey are still to come, by the list of surveys. A number that was too small says nothing. */
const remainingOf = (seen: number, { responses = 0 }: Partial<Listed>): number =>
  responses < seen ? Number.POSITIVE_INFINITY : responses - seen;

/**
 * Cuts the one slice that reads all that remains of a survey into parts with equally many responses. How many lie above a time
 * is taken for a power of the age: 1 if they come evenly, more if fewer come now than before. The pages of the slice, and the
 * list of surveys, say which.
 */
function plannedCut(
  slice: Slice,
  itemsPerPage: number,
  idle: number,
  listed: Partial<Listed>,
): Cut | undefined {
  const { survey, walk, first, seen, gapOlder } = slice;
  const bottom = walk.older === gapOlder ? listed.createdAt : walk.older;
  const remaining = remainingOf(survey.seen, listed);
  if (!survey.isUncut || !first || !bottom || remaining === Number.POSITIVE_INFINITY) return undefined;
  const ageOf = (timestamp: Timestamp): number => microsecondsBetween(timestamp, first);
  const [age, whole] = [ageOf(walk.position ?? first), ageOf(bottom)];
  if (age <= 0 || age >= whole) return undefined;
  const power = Math.log((seen + remaining) / seen) / Math.log(whole / age);
  const end = walk.older === null ? whole : Math.min(whole, ageOf(walk.older));
  const total = seen * (end / age) ** power;
  const parts = Math.min(idle + 1, Math.floor((total - seen) / itemsPerPage / SMALLEST_PART));
  if (parts < 2) return undefined;
  const times = Array.from({ length: parts - 1 }, (_, below) => {
    const above = seen + ((total - seen) * (parts - 1 - below)) / parts;
    return addMicroseconds(first, -age * (above / seen) ** (1 / power));
  });
  return { slice, at: fitting(slice, times), cutPages: FIRST_CUT_PAGES };
}

/**
 * Multiples of the unit of the timestamps that the service shows, since it may filter by finer ones: both slices must agree
 * on which side a response lies. Without those outside of what remains to be read. `times`: newest last.
 */
function fitting({ walk, survey: { grain, edges } }: Slice, times: readonly Timestamp[]): Timestamp[] {
  const { older, position } = walk;
  const rounded = times.map((time) => {
    let at = roundDown(time, grain);
    while (edges.has(at)) at = addMicroseconds(at, -grain);
    return at;
  });
  return [...new Set(rounded)].filter(
    (at) => position !== undefined && at < position && (older === null || at > older),
  );
}
