import type { Gap } from "../coverage/coverage.ts";
import {
  addMicroseconds,
  earlier,
  grainOf,
  microsecondsBetween,
  type Timestamp,
} from "../coverage/timestamp.ts";
import { certain, invariant, type SurveyExportError } from "../errors.ts";
import { type Message, say } from "../text/message.ts";
import { CoverageTracker, type Findings } from "./coverage-tracker.ts";
import { LARGEST_PAGE, type Window } from "./endpoints.ts";
import { type Item, type ItemPage, isReadable } from "./item.ts";
import { leavesList } from "./link.ts";
import {
  emptyPage,
  endedEarly,
  endsWithEmptyPage,
  outOfOrder,
  stuckAt,
  unreadableItem,
} from "./list-errors.ts";
import { type NextStep, PaginationGuard } from "./pagination-guard.ts";
import { SeenItems } from "./seen-items.ts";

/** The result of one page. */
export interface WalkProgress extends Findings {
  /** The responses that are new to this walk, newest first. */
  readonly items: readonly Item[];
  /** The first thing that is wrong with the page, beside items that cannot be read. */
  readonly problem: SurveyExportError | undefined;
  /** Something unusual and harmless, for people. */
  readonly warning: Message | undefined;
  /** The first item below the walk's end: nothing lies between the two. */
  readonly below: Timestamp | undefined;
}

export interface ListWalkOptions extends Gap {
  /** The older bound that requests carry, `null` for none: the whole gap's, so that each page tells about slices below. */
  readonly requestOlder: Timestamp | null;
  /** Newer edge of the first interval, if it is not `newer`: a cut, whose own timestamp belongs to the slice above. */
  readonly cut?: Timestamp | undefined;
  readonly itemsPerPage: number;
  readonly pathOf: (window: Window) => string;
  /** The list's name in messages, e.g. `survey "s1"`. */
  readonly list: Message;
  /** Names of the list's unreadable items that any walk has told of: each counts once. */
  readonly unreadable: Set<string>;
}

/** A service may read the bounds of a request to milliseconds: each request asks for one more on both sides. */
const MARGIN_MICROSECONDS = 1000;
/** Pages whose spread the density is taken from. */
const DENSITY_PAGES = 3;

/**
 * One walk down a newest-first list: the next path to request, and what each page delivers and covers. No I/O and no
 * clock: the caller requests `path`, passes the page to `accept`, and repeats until there is no path.
 *
 * Within one walk a response is delivered once, however the pages overlap (S3). The walk ends (I7): `PaginationGuard`
 * bounds the links, and `#isLower` the requests without one.
 */
export class ListWalk {
  readonly newer: Timestamp | undefined;
  /** Lower end, inclusive. `null` = the beginning. */
  older: Timestamp | null;
  /** The path to request; undefined when the walk has ended. */
  path: string | undefined;
  /** Newer edge of what `path` asks for: no item of its page may be newer. */
  requestNewer: Timestamp | undefined;
  /** How many pages have come. */
  pages = 0;
  readonly #options: ListWalkOptions;
  readonly #tracker: CoverageTracker;
  readonly #guard = new PaginationGuard();
  #sendsOlder: boolean;
  /** Whether `path` came as a link. */
  #isLink = false;
  /** Timestamp and page size of the last request without a link, and whether it began there, without a margin. */
  #asked: { readonly newer: Timestamp | undefined; readonly size: number; readonly isExact: boolean };
  /** Whether an item that it asked for has come since then, and not only some of the margin. */
  #hasOwn = false;
  /** Whether every page stood in order so far. */
  #isOrdered = true;
  readonly #seen = new SeenItems();
  /** Items above what was requested, which are left out. They show that the links lead on. */
  readonly #seenAbove = new SeenItems();
  readonly #recentPages: { readonly newest: Timestamp; readonly items: number }[] = [];

  constructor(options: ListWalkOptions) {
    this.#options = options;
    this.newer = options.newer;
    this.older = options.older;
    this.#sendsOlder = options.requestOlder !== null;
    this.#tracker = new CoverageTracker(options.cut ?? options.newer, options.unreadable);
    this.#asked = { newer: this.newer, size: options.itemsPerPage, isExact: false };
    this.#requestFrom(this.newer, options.itemsPerPage);
  }

  /** How far down the walk has read. */
  get position(): Timestamp | undefined {
    return this.#seen.oldest ?? this.newer;
  }

  /** Items per microsecond on the last pages; undefined before the first. */
  get density(): number | undefined {
    const [first] = this.#recentPages;
    const { oldest } = this.#seen;
    if (first === undefined || oldest === undefined) return undefined;
    const items = this.#recentPages.reduce((sum, page) => sum + page.items, 0);
    return items / Math.max(1, microsecondsBetween(oldest, first.newest));
  }

  /** Whether `timestamp` lies below this walk's end. */
  isBelow(timestamp: Timestamp): boolean {
    return this.older !== null && timestamp < this.older;
  }

  accept(page: ItemPage): WalkProgress {
    const path = certain(this.path, "the path");
    const [before, beforeAbove] = [this.#seen.oldest, this.#seenAbove.oldest];
    this.pages++;
    this.#isOrdered &&= page.isOrdered;
    const { items, below, problem, ...taken } = this.#takeItems(page);
    const isUnbroken = this.#tracker.isUnbroken && this.#isOrdered;
    const moved = this.#seen.oldest !== before || this.#seenAbove.oldest !== beforeAbove;
    const next = below === undefined ? page.next : undefined;
    const step = this.#guard.after({ path, itemCount: page.items.length, ...taken, moved, next });
    const told = this.#proceed(step, path, page);
    return {
      items,
      ...this.#take(),
      problem: told.problem ?? problem,
      warning: told.warning,
      // Something unread may lie below the walk's end, or on a page in the wrong order: then `below` proves nothing.
      below: isUnbroken ? below : undefined,
    };
  }

  /** Decides what is requested next, if anything. */
  #proceed(
    step: NextStep,
    path: string,
    page: ItemPage,
  ): { readonly problem?: SurveyExportError | undefined; readonly warning?: Message | undefined } {
    const { list } = this.#options;
    this.path = undefined;
    if (step.kind === "end") {
      this.#tracker.reached(this.older);
      return {};
    }
    this.#tracker.pageEnd();
    if (step.kind === "follow") {
      const warning = page.items.length === 0 ? emptyPage(list, this.#seen.oldest) : undefined;
      return { problem: this.#follow(path, step.path, page), warning };
    }
    if (step.kind === "stuck") return { problem: this.#getPast(this.position) };
    if (step.kind === "again") {
      this.#askAgain(path);
      return {};
    }
    this.#tracker.endedAtLastItem();
    return { warning: endsWithEmptyPage(list, this.#seen.oldest) };
  }

  /** Whether `page` says that the list has ended, and not that the walk's own end lies above something. */
  endsAt({ hasMore, items }: ItemPage): boolean {
    return !hasMore && !items.some((item) => isReadable(item) && this.isBelow(item.timestamp));
  }

  /**
   * The page of a link cannot be read: requests the rest from the walk's own position, once at each.
   * @returns false if there is no link, or if that was tried
   */
  replaceLink(): boolean {
    if (!this.#isLink) return false;
    const { older } = this.#tracker;
    const newer = older === undefined ? this.position : addMicroseconds(older, -1);
    const sizes = [this.#options.itemsPerPage, LARGEST_PAGE];
    const size = sizes.find((each) => newer !== undefined && this.#isLower(newer, each));
    if (size === undefined) return false;
    this.#requestFrom(newer, size);
    return true;
  }

  /** Nothing more can be requested: what was not read stays uncovered. */
  stop(): void {
    this.path = undefined;
  }

  /** Ends the walk at `cut`, inclusive; older responses belong to another slice. */
  cutAt(cut: Timestamp): void {
    invariant(
      (this.position === undefined || cut < this.position) && (this.older === null || cut > this.older),
      () => say`${this.#options.list} was cut outside of what is left to read`,
    );
    this.older = cut;
  }

  /** Another page proved that the rest of this slice is empty: the walk ends and covers it. */
  finishEmpty(): Findings {
    this.path = undefined;
    this.#tracker.reached(this.older);
    return this.#take();
  }

  #take(): Findings {
    const read = this.#tracker.take();
    for (const [older] of read.covered)
      invariant(
        older === null ? this.older === null : !this.isBelow(older),
        () => say`the walk down ${this.#options.list} covered more than was left to read`,
      );
    return read;
  }

  /**
   * The page's items that belong to this walk. `hasNews`: whether an item of the page came for the first time, be it above
   * the walk. `below`: the first item below the walk's end, if nothing of the walk follows. `problem`: of their order.
   */
  #takeItems(page: ItemPage) {
    const { list } = this.#options;
    const items: Item[] = [];
    let hasNews = false;
    let hasUnreadable = false;
    let problem: SurveyExportError | undefined;
    let before: Timestamp | undefined;
    let below: Timestamp | undefined;
    this.#seen.nextPage();
    this.#seenAbove.nextPage();
    for (const item of page.items) {
      if (!isReadable(item)) {
        if (below !== undefined) continue;
        hasUnreadable = true;
        this.#tracker.missed({ name: item.name, error: unreadableItem(list, item, this.#seen.oldest) });
        continue;
      }
      const { timestamp } = item;
      if (before !== undefined && timestamp > before) {
        problem ??= outOfOrder(list, before, timestamp);
        this.#leaveOutOfOrder(before, earlier(timestamp, this.requestNewer ?? page.present));
      }
      before = timestamp;
      this.#hasOwn ||= this.#asked.newer === undefined || timestamp <= this.#asked.newer;
      below = this.isBelow(timestamp) ? (below ?? timestamp) : undefined;
      if (below !== undefined) {
        if (page.isOrdered) break;
      } else if (this.#asked.newer !== undefined && timestamp > this.#asked.newer) {
        if (this.#seenAbove.add(item)) hasNews = true;
        // What could not be read so far lies above the walk.
        if (!this.#hasOwn) {
          this.#tracker.restart();
          hasUnreadable = false;
        }
      } else {
        this.#tracker.item(timestamp);
        if (this.#seen.add(item)) items.push(item);
      }
    }
    this.#note(items);
    // Then its neighbours do not say where an unreadable item lies.
    if (hasUnreadable && !page.isOrdered) {
      const timestamps = page.items.filter(isReadable).map(({ timestamp }) => timestamp);
      this.#leaveOutOfOrder(timestamps.reduce(earlier), this.requestNewer ?? page.present);
    }
    return { items, hasNews: hasNews || items.length > 0, below, hasUnreadable, problem };
  }

  /** The part of the range that belongs to this walk: other walks see the rest. */
  #leaveOutOfOrder(older: Timestamp, newer: Timestamp): void {
    const ownOlder = this.older !== null && older < this.older ? this.older : older;
    const ownNewer = this.newer === undefined ? newer : earlier(newer, this.newer);
    if (ownOlder <= ownNewer) this.#tracker.outOfOrder(ownOlder, ownNewer);
  }

  #note([newest, ...others]: readonly Item[]): void {
    if (newest === undefined) return;
    this.#recentPages.push({ newest: newest.timestamp, items: 1 + others.length });
    if (this.#recentPages.length > DENSITY_PAGES) this.#recentPages.shift();
  }

  #follow(path: string, next: string, page: ItemPage): SurveyExportError | undefined {
    this.#isLink = true;
    const refused = leavesList(path, next);
    if (refused) {
      this.replaceLink();
      return refused;
    }
    this.path = next;
    this.requestNewer = page.items.findLast(isReadable)?.timestamp ?? this.requestNewer;
    // An empty page with more to come: its items are unknown.
    if (page.items.length === 0) this.#tracker.missed();
    return undefined;
  }

  /**
   * An empty page says that there is more and leads nowhere. Without the older bound, an item below the walk's end
   * proves that nothing lies in between; if the walk goes to the beginning, the same page is requested once more.
   */
  #askAgain(path: string): void {
    if (this.older === null || !this.#sendsOlder) this.path = path;
    else {
      this.#sendsOlder = false;
      this.#requestFrom(this.position, this.#options.itemsPerPage);
    }
  }

  /**
   * Requests pages again, from `newer` down. A service that shows rounded timestamps may filter by finer ones (S7), so
   * `start` is above the latest timestamp that it could show as `newer`, and `end` is below the earliest one that it could
   * show as the older bound. Items above `newer` are left out when they come.
   * `isExact`: without a margin, since the links do not get past what lies in it.
   */
  #requestFrom(newer: Timestamp | undefined, size: number, isExact = false): void {
    const { requestOlder, pathOf } = this.#options;
    const end =
      this.#sendsOlder && requestOlder !== null
        ? addMicroseconds(requestOlder, -Math.max(MARGIN_MICROSECONDS, grainOf(requestOlder)))
        : undefined;
    const start = newer && addMicroseconds(newer, grainOf(newer) - 1 + (isExact ? 0 : MARGIN_MICROSECONDS));
    this.#asked = { newer, size, isExact };
    this.#tracker.restart();
    this.#isLink = false;
    this.#hasOwn = false;
    this.requestNewer = start && addMicroseconds(start, MARGIN_MICROSECONDS);
    this.path = pathOf({ start, end, itemsPerPage: size });
  }

  /** Gets past a link that leads back: once more with the largest page, then below that timestamp. */
  #getPast(timestamp: Timestamp | undefined): SurveyExportError | undefined {
    const { list, itemsPerPage } = this.#options;
    if (timestamp === undefined) return endedEarly(list, undefined);
    const { newer, size, isExact } = this.#asked;
    if (!this.#hasOwn && !isExact) {
      this.#requestFrom(newer, LARGEST_PAGE, size === LARGEST_PAGE);
      return undefined;
    }
    if (this.#isLower(timestamp, LARGEST_PAGE)) {
      this.#requestFrom(timestamp, LARGEST_PAGE);
      return undefined;
    }
    const below = addMicroseconds(timestamp, -1);
    if (!this.#isLower(below, itemsPerPage)) return endedEarly(list, this.#seen.oldest);
    this.#tracker.giveUp(timestamp);
    if (!this.isBelow(below)) this.#requestFrom(below, itemsPerPage);
    return stuckAt(list, timestamp);
  }

  /** The measure that shrinks with every request without a link: a lower timestamp, or a larger page of the same. */
  #isLower(newer: Timestamp, size: number): boolean {
    const { newer: askedNewer, size: askedSize } = this.#asked;
    return askedNewer === undefined || newer < askedNewer || (newer === askedNewer && size > askedSize);
  }
}
