import type { Gap } from "../coverage/coverage.ts";
import { addMicroseconds, earlier, type Timestamp } from "../coverage/timestamp.ts";
import { certain, invariant, type SurveyExportError } from "../errors.ts";
import { type Message, say } from "../text/message.ts";
import { CoverageTracker, type Findings } from "./coverage-tracker.ts";
import { LARGEST_PAGE, type Window } from "./endpoints.ts";
import { type Item, type ItemPage, isReadable, type UnreadableItem } from "./item.ts";
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
import { RecentPages } from "./recent-pages.ts";
import { SeenItems } from "./seen-items.ts";
import { isProgress, linkRequest, type OwnRequest, ownRequest, type WalkRequest } from "./walk-request.ts";

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

/**
 * One walk down a newest-first list: the next path to request, and what each page delivers and covers. No I/O and no
 * clock: the caller requests `path`, passes the page to `accept`, and repeats until there is no path.
 *
 * Within one walk a response is delivered once, however the pages overlap (S3). The walk ends (I7): `PaginationGuard`
 * bounds the links, and `isProgress` the requests without one.
 */
export class ListWalk {
  readonly newer: Timestamp | undefined;
  /** Lower end, inclusive. `null` = the beginning. */
  older: Timestamp | null;
  /** How many pages have come. */
  pages = 0;
  readonly #options: ListWalkOptions;
  readonly #tracker: CoverageTracker;
  readonly #guard = new PaginationGuard();
  /** The request under way; undefined when the walk has ended. */
  #request: WalkRequest | undefined;
  /** Whether an item has come that the last request of our own asked for, and not only some of its margin. */
  #isPastMargin = false;
  /** Whether every page stood in order so far. */
  #isOrdered = true;
  readonly #seen = new SeenItems();
  /** Items above what was requested, which are omitted. They show that the links lead on. */
  readonly #seenAbove = new SeenItems();
  readonly #recentPages = new RecentPages();

  constructor(options: ListWalkOptions) {
    const { newer, older, cut = newer, requestOlder, itemsPerPage, pathOf, unreadable } = options;
    this.#options = options;
    this.newer = newer;
    this.older = older;
    this.#tracker = new CoverageTracker(cut, unreadable);
    this.#request = ownRequest({ newer, older: requestOlder, size: itemsPerPage, isExact: false }, pathOf);
  }

  /** The path to request; undefined when the walk has ended. */
  get path(): string | undefined {
    return this.#request?.path;
  }

  /** Newer edge of what `path` asks for: no item of its page may be newer. */
  get requestNewer(): Timestamp | undefined {
    return this.#request?.newest;
  }

  /** How far down the walk has read. */
  get position(): Timestamp | undefined {
    return this.#seen.oldest ?? this.newer;
  }

  /** Items per microsecond on the last pages; undefined before the first. */
  get density(): number | undefined {
    return this.#recentPages.densityDownTo(this.#seen.oldest);
  }

  /** Whether `timestamp` lies below this walk's end. */
  isBelow(timestamp: Timestamp): boolean {
    return this.older !== null && timestamp < this.older;
  }

  /** Whether `page` says that the list has ended, and not that the walk's own end lies above something. */
  endsAt({ hasMore, items }: ItemPage): boolean {
    return !hasMore && !items.some((item) => isReadable(item) && this.isBelow(item.timestamp));
  }

  /** Takes the page of `path` in, and decides what is requested next, if anything. */
  accept(page: ItemPage): WalkProgress {
    const request = certain(this.#request, "the request");
    const [before, beforeAbove] = [this.#seen.oldest, this.#seenAbove.oldest];
    this.pages++;
    this.#isOrdered &&= page.isOrdered;
    const { items, below, ...taken } = this.#takeItems(page, request.asked);
    this.#recentPages.add(items);
    const wrongOrder = this.#deferWrongOrder(page, request.newest ?? page.present, taken.hasUnreadable);
    const isUnbroken = this.#tracker.isUnbroken && this.#isOrdered;
    const step = this.#guard.after({
      ...taken,
      path: request.path,
      itemCount: page.items.length,
      moved: this.#seen.oldest !== before || this.#seenAbove.oldest !== beforeAbove,
      next: below === undefined ? page.next : undefined,
    });
    const { problem = wrongOrder, warning } = this.#proceed(step, request, page);
    // Something unread may lie below the walk's end, or on a page in the wrong order: then `below` proves nothing.
    return { items, ...this.#take(), problem, warning, below: isUnbroken ? below : undefined };
  }

  /**
   * The page of a link cannot be read: requests the rest from the walk's own position, once at each.
   * @returns false if there is no link, or if that was tried
   */
  replaceLink(): boolean {
    return this.#request?.isLink === true && this.#resume(this.#request.asked);
  }

  /** Nothing more can be requested: what was not read stays uncovered. */
  stop(): void {
    this.#request = undefined;
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
    this.stop();
    this.#tracker.reached(this.older);
    return this.#take();
  }

  #take(): Findings {
    const findings = this.#tracker.take();
    for (const [older] of findings.covered)
      invariant(
        older === null ? this.older === null : !this.isBelow(older),
        () => say`the walk down ${this.#options.list} covered more than was left to read`,
      );
    return findings;
  }

  /** The page's new items of this walk. `below`: the first item below its end, if nothing of the walk follows. */
  #takeItems({ items: all }: ItemPage, asked: OwnRequest) {
    const items: Item[] = [];
    let [hasNews, hasUnreadable] = [false, false];
    let below: Timestamp | undefined;
    this.#seen.nextPage();
    this.#seenAbove.nextPage();
    for (const { place, item } of all.map((each) => placed(each, asked.newer, this.older))) {
      switch (place) {
        case "unreadable":
          if (below !== undefined) break;
          hasUnreadable = true;
          this.#tracker.missed({
            name: item.name,
            error: unreadableItem(this.#options.list, item, this.#seen.oldest),
          });
          break;
        case "above":
          below = undefined;
          if (this.#seenAbove.add(item)) hasNews = true;
          if (this.#isPastMargin) break;
          // What could not be read so far lies above the walk.
          this.#tracker.restart();
          hasUnreadable = false;
          break;
        case "own":
          below = undefined;
          this.#isPastMargin = true;
          this.#tracker.item(item.timestamp);
          if (this.#seen.add(item)) items.push(item);
          break;
        case "below":
          this.#isPastMargin = true;
          below ??= item.timestamp;
      }
    }
    return { items, below, hasNews: hasNews || items.length > 0, hasUnreadable };
  }

  /**
   * Neighbours in the wrong order may hide something between them. `newest`: of what was requested.
   * @returns what is wrong with the first of them
   */
  #deferWrongOrder(
    { items, isOrdered }: ItemPage,
    newest: Timestamp,
    hasUnreadable: boolean,
  ): SurveyExportError | undefined {
    if (isOrdered) return undefined;
    const timestamps = items.filter(isReadable).map(({ timestamp }) => timestamp);
    let problem: SurveyExportError | undefined;
    for (const [at, timestamp] of timestamps.entries()) {
      const before = timestamps[at - 1];
      if (before === undefined || timestamp <= before) continue;
      problem ??= outOfOrder(this.#options.list, before, timestamp);
      this.#defer(before, earlier(timestamp, newest));
    }
    // Then its neighbours do not say where an unreadable item lies.
    if (hasUnreadable) this.#defer(timestamps.reduce(earlier), newest);
    return problem;
  }

  /** The part of the range that belongs to this walk: other walks see the rest. */
  #defer(older: Timestamp, newer: Timestamp): void {
    const ownOlder = this.older !== null && older < this.older ? this.older : older;
    const ownNewer = this.newer === undefined ? newer : earlier(newer, this.newer);
    if (ownOlder <= ownNewer) this.#tracker.outOfOrder(ownOlder, ownNewer);
  }

  /** Replaces `request`, of which `page` came. Without a case that asks for more, the walk ends. */
  #proceed(step: NextStep, request: WalkRequest, page: ItemPage): Told {
    this.#request = undefined;
    if (step.kind !== "end") this.#tracker.pageEnd();
    switch (step.kind) {
      case "end":
        this.#tracker.reached(this.older);
        return {};
      case "follow":
        return this.#follow(step.path, request, page);
      case "again":
        this.#askAgain(request);
        return {};
      case "stuck":
        return { problem: this.#getPast(request.asked) };
      case "ended by an empty page":
        this.#tracker.endedAtLastItem();
        return { warning: endsWithEmptyPage(this.#options.list, this.#seen.oldest) };
    }
  }

  #follow(link: string, request: WalkRequest, page: ItemPage): Told {
    const isEmpty = page.items.length === 0;
    const problem = leavesList(request.path, link);
    if (problem) this.#resume(request.asked);
    else {
      this.#request = linkRequest(link, request, page);
      // Its items are unknown.
      if (isEmpty) this.#tracker.missed();
    }
    return { problem, warning: isEmpty ? emptyPage(this.#options.list, this.#seen.oldest) : undefined };
  }

  /** Asks for what is not read whole, from there down. @returns false if that was tried */
  #resume(asked: OwnRequest): boolean {
    const { older } = this.#tracker;
    const newer = older === undefined ? this.position : addMicroseconds(older, -1);
    if (newer === undefined) return false;
    const usual = { ...asked, newer, size: this.#options.itemsPerPage, isExact: false };
    return this.#askFirst([usual, { ...usual, size: LARGEST_PAGE }], asked);
  }

  /**
   * An empty page says that there is more and leads nowhere. Without the older bound, an item below the walk's end
   * proves that nothing lies in between; if the walk goes to the beginning, the same page is requested once more.
   */
  #askAgain(request: WalkRequest): void {
    const { asked } = request;
    const size = this.#options.itemsPerPage;
    if (this.older === null || asked.older === null) this.#request = request;
    else this.#ask({ newer: this.position, older: null, size, isExact: false }, asked);
  }

  /** Gets past a link that leads back: once more with the largest page, then below that timestamp. */
  #getPast(asked: OwnRequest): SurveyExportError | undefined {
    const { position } = this;
    const { list, itemsPerPage } = this.#options;
    if (position === undefined) return endedEarly(list, undefined);
    const largest = { ...asked, size: LARGEST_PAGE, isExact: false };
    const pastMargin = this.#isPastMargin ? [] : [largest, { ...largest, isExact: true }];
    if (this.#askFirst([...pastMargin, { ...largest, newer: position }], asked)) return undefined;
    const below = { ...largest, newer: addMicroseconds(position, -1), size: itemsPerPage };
    if (!isProgress(below, asked)) return endedEarly(list, this.#seen.oldest);
    this.#tracker.giveUp(position);
    if (!this.isBelow(below.newer)) this.#ask(below, asked);
    return stuckAt(list, position);
  }

  /** Asks for the first of `requests` that may come after `before`. @returns whether there is one */
  #askFirst(requests: readonly OwnRequest[], before: OwnRequest): boolean {
    const next = requests.find((each) => isProgress(each, before));
    if (next) this.#ask(next, before);
    return next !== undefined;
  }

  /** The one place where a walk asks for something by itself after its first request. `before`: what it asked for last. */
  #ask(next: OwnRequest, before: OwnRequest): void {
    invariant(isProgress(next, before), () => say`the walk down ${this.#options.list} does not move down`);
    this.#request = ownRequest(next, this.#options.pathOf);
    this.#isPastMargin = false;
    this.#tracker.restart();
  }
}

/** What the caller of a walk hears of a page, besides its items. */
type Told = Partial<Pick<WalkProgress, "problem" | "warning">>;

type Placed =
  | { readonly place: "unreadable"; readonly item: UnreadableItem }
  | { readonly place: "above" | "own" | "below"; readonly item: Item };

/** Where an item is in a walk from `newer` down to `older`. Nobody knows it of an unreadable one. */
function placed(item: Item | UnreadableItem, newer: Timestamp | undefined, older: Timestamp | null): Placed {
  if (!isReadable(item)) return { place: "unreadable", item };
  if (older !== null && item.timestamp < older) return { place: "below", item };
  return { place: newer !== undefined && item.timestamp > newer ? "above" : "own", item };
}
