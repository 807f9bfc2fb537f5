import type { Window } from "../api/endpoints.ts";
import { SurveyExportError } from "../errors.ts";
import { createClaims } from "./claims.ts";
import type { Gap, Span } from "./coverage.ts";
import type { Item, ItemPage } from "./item.ts";
import { addMicroseconds, type Moment, microsecondsBetween } from "./moment.ts";

/**
 * One walk down a newest-first list: what to ask next, and what each page delivers and covers. No I/O and no
 * clock: whoever drives it asks for `path`, hands the answer to `receive`, and goes on until there is none.
 *
 * Guarantees: within one walk a response is delivered once, however the continuation overlaps (S3); a link
 * that does not advance is never followed twice; the walk ends (I7).
 */
export interface Walk {
  /** The path to ask for; undefined when the walk has ended. */
  readonly path: string | undefined;
  /** No item of the next page may be newer than this. */
  readonly notAfter: Moment | undefined;
  /** Upper end of the walk's stretch, inclusive; undefined = the newest there is. */
  readonly newer: Moment | undefined;
  /** Lower end, inclusive. `null` = the beginning. */
  readonly older: Moment | null;
  /** How far down it has read. */
  readonly position: Moment | undefined;
  readonly pages: number;
  /** Items for each microsecond on its last pages; undefined before the first. */
  readonly density: number | undefined;
  receive(page: ItemPage): Progress;
  /** The service rejected `path`: true if the walk now asks in another way, which is worth a try. */
  rejected(): boolean;
  /** Ends the walk at `cut`, inclusive; what is older belongs to another walk. */
  endAt(cut: Moment): void;
  /** Whether `moment` lies below this walk's end. */
  isBelow(moment: Moment): boolean;
  /** Another answer proved that nothing lies in what is left of this stretch: the walk ends and covers it. */
  finishEmpty(): Span[];
}

/** What a page brought. */
export interface Progress {
  /** The responses that are new to this walk, newest first. */
  readonly items: readonly Item[];
  /** What is covered by all that the walk has delivered so far. An upper edge may lie above the newest item. */
  readonly claims: readonly Span[];
  /** Set when something could not be read; what lies around it stays uncovered. */
  readonly problem?: SurveyExportError;
  /** Something odd that does no harm, for people. */
  readonly warning?: string;
  /** The list holds nothing below this page's items. */
  readonly endOfList: boolean;
  /** The first item below the walk's end: nothing lies between the two. */
  readonly below: Moment | undefined;
}

export interface WalkOptions extends Gap {
  /**
   * The older bound that requests carry, `null` for none: the whole gap's, so that each answer also tells about
   * the parts below a cut. The walk stops by item time all the same, should the service ignore it.
   */
  readonly requestEnd: Moment | null;
  /** Upper edge of the first claim, where it is not `newer`: a cut, whose own moment belongs to the walk above. */
  readonly top?: Moment | undefined;
  readonly itemsPerPage: number;
  readonly pathOf: (window: Window) => string;
  /** What to call the list in messages, e.g. `survey "s1"`. */
  readonly list: string;
  /** True for an item that was delivered before, with all that is older: the walk ends there. */
  readonly stopsAt?: (item: Item) => boolean;
}

const LARGEST_PAGE = 100;
/** Pages in a row that may bring nothing new before their links are taken for a circle. */
const BARREN_PAGES = 20;
/** Pages whose spread the density is taken from. */
const DENSITY_PAGES = 3;

export function createWalk(options: WalkOptions): Walk {
  const { newer, requestEnd, itemsPerPage, pathOf, list, stopsAt } = options;
  const claims = createClaims(options.top ?? newer);
  let older = options.older;
  let sendsEnd = requestEnd !== null;

  let path: string | undefined;
  /** `start` of the last request that was no continuation, and whether the next one is a continuation. */
  let start: Moment | undefined;
  let continues = false;
  /** Paths asked for since the list last moved on. */
  const followed = new Set<string>();
  let pages = 0;
  let barrenPages = 0;
  let askedAgainAt: Moment | undefined;
  /** Whether the last page was empty and said that there is more: what it should have brought is unknown. */
  let emptyPage = false;

  let last: Moment | undefined;
  const uuidsAtLast = new Set<string>();
  const tops: { moment: Moment; items: number }[] = [];

  const follow = (next: string): void => {
    path = next;
    followed.add(next);
  };
  /** Asks anew, from `from` down. `start` must be later than `end` (S1): a microsecond more is asked, and trimmed. */
  const askFrom = (from: Moment | undefined, size: number): void => {
    const end = sendsEnd && requestEnd !== null ? requestEnd : undefined;
    start = from !== undefined && from === end ? addMicroseconds(from, 1) : from;
    followed.clear();
    continues = false;
    follow(pathOf({ start, end, itemsPerPage: size }));
  };
  askFrom(newer, itemsPerPage);

  const isBelow = (moment: Moment): boolean => older !== null && moment < older;

  const finish = (): void => {
    path = undefined;
  };

  /** Gets past a link that leads back: once more with the largest page, then below that moment. */
  const getPast = (moment: Moment | undefined): SurveyExportError | undefined => {
    if (moment === undefined) {
      finish();
      return stuck(list, undefined);
    }
    if (askedAgainAt !== moment) {
      askedAgainAt = moment;
      askFrom(moment, LARGEST_PAGE);
      return undefined;
    }
    const below = addMicroseconds(moment, -1);
    claims.skipTo(below);
    // Where the end itself would be asked for, a microsecond more is asked, which is the moment just given up.
    if (isBelow(below) || (sendsEnd && below === requestEnd)) finish();
    else askFrom(below, itemsPerPage);
    return stuck(list, moment);
  };

  return {
    get path() {
      return path;
    },
    get notAfter() {
      return continues ? (last ?? start) : start;
    },
    newer,
    get older() {
      return older;
    },
    get position() {
      return last ?? newer;
    },
    get pages() {
      return pages;
    },
    get density() {
      const top = tops[0];
      if (top === undefined || last === undefined) return undefined;
      const items = tops.reduce((sum, page) => sum + page.items, 0);
      return items / Math.max(1, microsecondsBetween(last, top.moment));
    },

    receive(page) {
      const asked = path!;
      const before = last;
      const items: Item[] = [];
      let problem: SurveyExportError | undefined;
      let warning: string | undefined;
      let below: Moment | undefined;
      pages++;

      for (const item of page.items) {
        if (item === undefined) {
          problem ??= unreadable(list, last);
          claims.unreadable();
          continue;
        }
        const { moment } = item;
        if ((newer !== undefined && moment > newer) || (before !== undefined && moment > before)) continue;
        if (isBelow(moment) || stopsAt?.(item)) {
          below = moment;
          break;
        }
        claims.item(moment);
        if (moment !== last) {
          last = moment;
          uuidsAtLast.clear();
        } else if (uuidsAtLast.has(item.uuid)) continue;
        uuidsAtLast.add(item.uuid);
        items.push(item);
      }

      const top = items[0];
      if (top !== undefined) {
        tops.push({ moment: top.moment, items: items.length });
        if (tops.length > DENSITY_PAGES) tops.shift();
      }

      finish();
      if (emptyPage && items.length > 0) problem ??= skipped(list, before);
      emptyPage = page.items.length === 0 && page.hasMore;
      const { isWhole } = claims;
      const next = below === undefined ? page.next : undefined;
      if (next === undefined) claims.reached(older);
      else {
        claims.pageEnd();
        if (last !== before) followed.clear();
        followed.add(asked);
        barrenPages = items.length > 0 ? 0 : barrenPages + 1;
        continues = true;
        if (!followed.has(next) && barrenPages <= BARREN_PAGES) {
          follow(next);
          if (emptyPage) claims.unreadable();
        } else if (page.items.length > 0) problem = getPast(last ?? newer) ?? problem;
        else if (followed.has(next)) {
          claims.endedAtLastItem();
          warning = `The list of ${list} ends with an empty page that says there is more, with a link to itself. It is taken for the end of the list; the next sync asks for what may lie below again.`;
        } else problem = stuck(list, last);
      }
      return {
        items,
        claims: claims.take(),
        ...(problem && { problem }),
        ...(warning && { warning }),
        // What could not be read may lie below the walk's end: then the page proves nothing about what lies there.
        endOfList: isWhole && below === undefined && !page.hasMore,
        below: isWhole ? below : undefined,
      };
    },

    isBelow,
    rejected() {
      if (pages > 0 || !sendsEnd) return false;
      sendsEnd = false;
      askFrom(newer, itemsPerPage);
      return true;
    },
    endAt(cut) {
      older = cut;
    },
    finishEmpty() {
      finish();
      claims.reached(older);
      return claims.take();
    },
  };
}

function stuck(list: string, moment: Moment | undefined): SurveyExportError {
  return new SurveyExportError(
    "system",
    "stuck",
    moment === undefined
      ? `The list of ${list} could not be read: its pages bring nothing and their links lead in a circle. The next sync tries again; report this to the service.`
      : `The list of ${list} cannot be read at ${moment}: the link to the next page does not get past that moment, as happens when more responses share it than fit on a page. What is older was read; that moment is tried again by the next sync. Report this to the service.`,
  );
}

function skipped(list: string, after: Moment | undefined): SurveyExportError {
  return new SurveyExportError(
    "system",
    "broken_answer",
    `The list of ${list} held an empty page with more behind it${
      after === undefined ? "" : `, after ${after}`
    }. What it may have left out is read again by the next sync. Report this to the service.`,
  );
}

function unreadable(list: string, after: Moment | undefined): SurveyExportError {
  return new SurveyExportError(
    "system",
    "unreadable_item",
    `The list of ${list} holds an item without a usable uuid or collected_at ${
      after === undefined ? "at its beginning" : `after ${after}`
    }. It was left out, and its stretch is read again by the next sync. Report this to the service.`,
  );
}
