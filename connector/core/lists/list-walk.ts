import { type Gap, type Interval, partsIn } from "../coverage/coverage.ts";
import { addMicroseconds, earlier, grainOf, LATEST, later, type Timestamp } from "../coverage/timestamp.ts";
import { certain, invariant, type SurveyExportError } from "../errors.ts";
import { type Message, say } from "../text/message.ts";
import { LARGEST_PAGE, type Window } from "./endpoints.ts";
import { type Item, type ItemPage, isReadable, type UnreadableItem } from "./item.ts";
import { leavesList, PaginationGuard } from "./link.ts";
import { endedEarly, outOfOrder, stuckAt, unreadableItem } from "./list-errors.ts";
import { RecentPages } from "./recent-pages.ts";
import { SeenItems } from "./seen-items.ts";

/** Items that cannot be read. */
export interface Unreadable {
  /** How many of them no other walk has reported. */
  readonly count: number;
  /** What is wrong with the first of them. */
  readonly error: SurveyExportError;
}

/** A closed range in which something may lie that was not read: the next sync reads it again (I12). */
export interface Hole {
  readonly range: Interval;
  /** What lies there, unless items in the wrong order or a timestamp that no request gets past made the hole. */
  readonly unreadable?: Unreadable;
}

/** What a page brought to its walk. */
export interface WalkedPage {
  /** The walk's own items that came for the first time, in the order of the page. */
  readonly items: readonly Item[];
  /** Everything in it was delivered, or lies in a hole. Undefined if nothing more is certain than before. */
  readonly covered: Interval | undefined;
  readonly holes: readonly Hole[];
  /** The first thing that is wrong with the page, besides items that cannot be read. */
  readonly problem: SurveyExportError | undefined;
}

export interface ListWalkOptions extends Gap {
  /** The older bound that requests carry, `null` for none. Default: `older`; in a part of a gap it lies below, see `ListWalk`. */
  readonly reach?: Timestamp | null;
  /** Whether other walks read what lies between `older` and `reach`. Default: no. */
  readonly isAboveOthers?: boolean;
  /** Newer edge of what it covers, if it is not `newer`: a cut, whose own timestamp belongs to the walk above. */
  readonly coversFrom?: Timestamp | undefined;
  readonly itemsPerPage: number;
  readonly pathOf: (window: Window) => string;
  /** The list's name in messages, e.g. `survey "s1"`. */
  readonly list: Message;
  /** Names of the list's unreadable items that any walk has reported: each counts once. */
  readonly unreadable: Set<string>;
}

/** What a walk asks for by itself, without a link. */
interface Asked {
  /** The newest timestamp that it asks for; undefined = up to the newest item. */
  readonly newer: Timestamp | undefined;
  /** Items a page. */
  readonly size: number;
  /** Whether it begins at `newer`, without a margin, since the links do not get past what lies in that. */
  readonly isExact: boolean;
  /** Whether it asks past a page that is not believed. */
  readonly isDoubt: boolean;
}

/** The request under way. */
interface Request {
  readonly path: string;
  /** The request of our own that it is, or from which links have led to it. */
  readonly asked: Asked;
  readonly isLink: boolean;
  /** No page may begin above it. */
  readonly newest: Timestamp | undefined;
}

/** A service may read the bounds of a request to milliseconds: each request asks for one more on both sides. */
const MARGIN_MICROSECONDS = 1000;

/**
 * One walk down a newest-first list, from its newer end to its older one: the next path to request, and what each page
 * delivers, covers and leaves to the next sync. No I/O and no clock: the caller requests `path`, passes the page to
 * `accept`, and repeats until there is no path.
 *
 * **Covered** (I2). A page with more to come covers down to its oldest timestamp *above* its last item's, since the next page
 * may have more items of the last one. Down to the walk's end, only an item below that covers, or the end of the list.
 * Example: a page with items at 9, 8, one that cannot be read, 5, 4, and more to come covers 5 to 9, with the hole 5 to 8.
 *
 * **A part of a gap** is a list of its own. Its requests reach down to the end of the whole gap: so its last page shows an
 * item below its own end, and that, not another walk, shows that nothing of it is missing.
 *
 * **Doubted** are an end that a full page tells, an end above other parts, and an empty page where more was promised, by itself
 * or by the page before. The walk asks past each of them once. If that brings nothing new, it is believed. Without this: if a
 * service says so once, and wrongly, everything below is never read.
 *
 * **Once.** However the pages overlap (S3), an item is delivered once, unless the list is in the wrong order (S1).
 *
 * **It ends** (I7). `PaginationGuard` bounds the links. Each request of its own asks for less than the one before it.
 */
export class ListWalk {
  /** Lower end, inclusive. `null` = the beginning. */
  older: Timestamp | null;
  /** Whether other walks read what lies below it in its gap. */
  isAboveOthers: boolean;
  readonly #options: ListWalkOptions;
  /** The older bound of its requests. */
  readonly #reach: Timestamp | null;
  #guard = new PaginationGuard();
  /** Undefined when the walk has ended. */
  #request: Request | undefined;
  readonly #seen = new SeenItems();
  readonly #recentPages = new RecentPages();
  /** Whether the last request of our own has brought more than what lies in its margin. */
  #isPastMargin = false;
  /** Newer edge of what is covered next: everything above it is covered. */
  #coveredTo: Timestamp;
  /** The oldest timestamp of which every item has been seen; undefined while there is none. */
  #allSeenTo: Timestamp | undefined;
  /** The walk's last own item. */
  #last: Timestamp | undefined;
  /** Items that came after the one at `above` cannot be read: their hole ends at the next one that can. */
  #open:
    | { readonly above: Timestamp; readonly names: Set<string>; readonly error: SurveyExportError }
    | undefined;
  /** Of the page that is being judged: its holes, and down to where it covers. */
  #holes: Hole[] = [];
  #reached: Timestamp | null | undefined;

  constructor(options: ListWalkOptions) {
    const { newer, older, reach = older, isAboveOthers = false, itemsPerPage: size } = options;
    const { coversFrom = newer ?? LATEST } = options;
    this.#options = options;
    this.#reach = reach;
    this.older = older;
    this.isAboveOthers = isAboveOthers;
    this.#coveredTo = coversFrom;
    this.#request = this.#own({ newer, size, isExact: false, isDoubt: false });
  }

  /** The path to request; undefined when the walk has ended. */
  get path(): string | undefined {
    return this.#request?.path;
  }

  /** No page of `path` may begin above it. */
  get newestAllowed(): Timestamp | undefined {
    return this.#request?.newest;
  }

  /** How far down the walk has read. */
  get position(): Timestamp | undefined {
    return this.#seen.oldest ?? this.#options.newer;
  }

  /**
   * Items per microsecond on the last pages. Undefined before the first; while the walk asks past a page, since nothing may
   * follow; and after items that cannot be read, since nobody knows then where the walk is.
   */
  get density(): number | undefined {
    const { isDoubt = false, newer } = this.#request?.asked ?? {};
    const isInDoubt = isDoubt && newer === this.position;
    return this.#open || isInDoubt ? undefined : this.#recentPages.densityDownTo(this.#seen.oldest);
  }

  /** Takes the page of `path` in, and decides what is requested next, if anything. */
  accept(page: ItemPage): WalkedPage {
    const request = certain(this.#request, "the request");
    const [oldest, newer] = [this.#seen.oldest, this.#coveredTo];
    this.#request = undefined;
    this.#holes = [];
    this.#reached = undefined;
    const { items, isPastEnd, problem } = this.#judge(page, request);
    const moved = this.#seen.oldest !== oldest;
    const wrongLink = isPastEnd ? this.#end() : this.#proceed(page, request, moved);
    const covered: Interval | undefined = this.#reached === undefined ? undefined : [this.#reached, newer];
    return { items, covered, holes: this.#holes, problem: wrongLink ?? problem };
  }

  /**
   * The page of a link cannot be read: requests the rest from the walk's own position, once at each.
   * @returns false if there is no link, or if that was tried
   */
  replaceLink(): boolean {
    const request = this.#request;
    if (!request?.isLink) return false;
    const newer = this.#allSeenTo === undefined ? this.position : addMicroseconds(this.#allSeenTo, -1);
    if (newer === undefined) return false;
    const usual = { newer, size: this.#options.itemsPerPage, isExact: false, isDoubt: false };
    return this.#askFirst([usual, { ...usual, size: LARGEST_PAGE }], request.asked);
  }

  /** Nothing more can be requested: what was not read stays uncovered. */
  stop(): void {
    this.#request = undefined;
  }

  /** Ends the walk at `at`, inclusive. @returns the walk that reads what is older */
  cutAt(at: Timestamp): ListWalk {
    invariant(
      (this.position === undefined || at < this.position) && !this.#isBelow(at) && at !== this.older,
      () => say`${this.#options.list} was cut outside of what remains to be read`,
    );
    const { older, isAboveOthers } = this;
    const newer = addMicroseconds(at, -1);
    const lower = { ...this.#options, older, newer, reach: this.#reach, isAboveOthers, coversFrom: at };
    this.older = at;
    this.isAboveOthers = true;
    return new ListWalk(lower);
  }

  #isBelow(timestamp: Timestamp): boolean {
    return this.older !== null && timestamp < this.older;
  }

  /** Looks at each item of a page once. `isPastEnd`: its last items lie below the walk's end. */
  #judge(page: ItemPage, request: Request) {
    const { newer } = request.asked;
    const { list } = this.#options;
    const isOrdered = page.inversions.length === 0;
    const items: Item[] = [];
    let hasUnreadable = false;
    let isPastEnd = false;
    this.#seen.nextPage();
    for (const item of page.items) {
      if (!isReadable(item)) {
        // What follows an item below the walk's end is another walk's, unless the page is in the wrong order.
        if (isPastEnd && isOrdered) continue;
        hasUnreadable = true;
        this.#misses(item);
        continue;
      }
      const { timestamp } = item;
      if (this.#isBelow(timestamp)) {
        isPastEnd = true;
        this.#isPastMargin = true;
        continue;
      }
      isPastEnd = false;
      if (newer !== undefined && timestamp > newer) {
        if (this.#isPastMargin) continue;
        // In the margin: what could not be read so far lies above the walk, too.
        this.#open = undefined;
        hasUnreadable = false;
        continue;
      }
      this.#isPastMargin = true;
      this.#passes(timestamp);
      if (this.#seen.add(item)) items.push(item);
    }
    this.#recentPages.add(items);
    const [inversion] = page.inversions;
    if (inversion) this.#deferDisorder(page, request.newest ?? page.present, hasUnreadable);
    return { items, isPastEnd, problem: inversion && outOfOrder(list, ...inversion) };
  }

  /** An own item, new or repeated. */
  #passes(timestamp: Timestamp): void {
    this.#closeHole(timestamp);
    if (this.#last !== undefined && timestamp < this.#last) this.#allSeenTo = this.#last;
    this.#last = timestamp;
  }

  /** An item cannot be read: it lies between its neighbours, or has the timestamp of one. */
  #misses(item: UnreadableItem): void {
    this.#open ??= {
      above: this.#last ?? this.#coveredTo,
      names: new Set(),
      error: unreadableItem(this.#options.list, item, this.#seen.oldest),
    };
    this.#open.names.add(item.name);
  }

  #closeHole(below: Timestamp | null): void {
    if (this.#open === undefined) return;
    const { above, names, error } = this.#open;
    const { unreadable: reported } = this.#options;
    this.#open = undefined;
    // In the wrong order, the item that follows may be newer.
    const range: Interval = below === null ? [null, above] : [earlier(below, above), later(below, above)];
    const count = names.difference(reported).size;
    for (const name of names) reported.add(name);
    this.#holes.push({ range, unreadable: { count, error } });
  }

  /**
   * Something may lie between neighbours in the wrong order, so that range becomes a hole. What lies outside of the walk, other
   * walks defer. Without this: what the page has passed over counts as covered, and is never read.
   */
  #deferDisorder(page: ItemPage, newest: Timestamp, hasUnreadable: boolean): void {
    const timestamps = page.items.filter(isReadable).map(({ timestamp }) => timestamp);
    // Neighbours in the wrong order do not say where an unreadable item lies.
    const whole = hasUnreadable ? [[timestamps.reduce(earlier), newest] as const] : [];
    const own: Gap = { older: this.older, newer: this.#options.newer };
    for (const [before, after] of [...page.inversions, ...whole]) {
      const newer = earlier(after, newest);
      if (before <= newer) this.#holes.push(...partsIn([own], [before, newer]).map((range) => ({ range })));
    }
  }

  /** What is requested after a page that has not reached the walk's end. @returns what is wrong with its link */
  #proceed(page: ItemPage, request: Request, moved: boolean): SurveyExportError | undefined {
    if (this.#isDoubtful(page, request) && this.#askPast(request.asked)) return this.#coverSeen();
    const step = this.#guard.after({ path: request.path, moved, next: page.next });
    if (step.kind === "end") return this.#end();
    this.#coverSeen();
    return step.kind === "follow" ? this.#follow(step.path, request, page) : this.#getPast(request.asked);
  }

  /** Below what cannot be read everything is a hole: there is nothing to lose. */
  #isDoubtful({ hasMore, items }: ItemPage, { asked, isLink }: Request): boolean {
    if (this.#open) return false;
    const isEmpty = items.length === 0 && (hasMore || isLink);
    return isEmpty || (!hasMore && (items.length >= asked.size || this.isAboveOthers));
  }

  /** Asks for everything from the walk's position down, unless it did so. @returns whether it does */
  #askPast(asked: Asked): boolean {
    const { position } = this;
    const isFurther = position !== undefined && (asked.newer === undefined || position < asked.newer);
    const size = this.#options.itemsPerPage;
    const past = isFurther ? { newer: position, size, isExact: false } : asked;
    if (!this.#askFirst([{ ...past, isDoubt: true }], asked)) return false;
    // The links may be those that led to the page in doubt.
    this.#guard = new PaginationGuard();
    return true;
  }

  #follow(link: string, request: Request, page: ItemPage): SurveyExportError | undefined {
    const newest = page.items.findLast(isReadable)?.timestamp ?? request.newest;
    this.#request = { path: link, isLink: true, asked: request.asked, newest };
    const problem = leavesList(request.path, link);
    if (problem && !this.replaceLink()) this.stop();
    return problem;
  }

  /**
   * Gets past a link that leads back: from where the walk is, with the largest page, and then below that timestamp. If all
   * that has come lies in the margin, it first asks with the largest page for the same, and then without a margin. Without
   * this: everything below a timestamp that more responses share than fit on a page stays unread.
   */
  #getPast(asked: Asked): SurveyExportError | undefined {
    const { position } = this;
    const { list, itemsPerPage } = this.#options;
    if (position === undefined) return endedEarly(list, undefined);
    const largest = { ...asked, size: LARGEST_PAGE, isExact: false, isDoubt: false };
    const pastMargin = this.#isPastMargin ? [] : [largest, { ...largest, isExact: true }];
    if (this.#askFirst([...pastMargin, { ...largest, newer: position }], asked)) return undefined;
    const below = { ...largest, newer: addMicroseconds(position, -1), size: itemsPerPage };
    if (!isProgress(below, asked)) return endedEarly(list, this.#seen.oldest);
    this.#holes.push({ range: [position, position] });
    this.#allSeenTo = position;
    this.#coverSeen();
    if (!this.#isBelow(below.newer)) this.#askFirst([below], asked);
    return stuckAt(list, position);
  }

  /** The one place where a walk asks for something by itself after its first request. @returns whether one may come after `before` */
  #askFirst(requests: readonly Asked[], before: Asked): boolean {
    const next = requests.find((each) => isProgress(each, before));
    if (next === undefined) return false;
    this.#request = this.#own(next);
    // What comes next is everything from the last item down, be it for the second time.
    this.#isPastMargin = false;
    this.#open = undefined;
    return true;
  }

  /**
   * A request of our own. A service that shows rounded timestamps may filter by finer ones (S7), so `start` is above the latest
   * timestamp that it could show as `newer`, and `end` is below the earliest one that it could show as the older bound.
   */
  #own(asked: Asked): Request {
    const { newer, size, isExact } = asked;
    const { pathOf } = this.#options;
    const reach = this.#reach;
    const end =
      reach === null ? undefined : addMicroseconds(reach, -Math.max(MARGIN_MICROSECONDS, grainOf(reach)));
    const start = newer && addMicroseconds(newer, grainOf(newer) - 1 + (isExact ? 0 : MARGIN_MICROSECONDS));
    const newest = start && addMicroseconds(start, MARGIN_MICROSECONDS);
    return { path: pathOf({ start, end, itemsPerPage: size }), isLink: false, asked, newest };
  }

  /** Everything down to the walk's end was seen. */
  #end(): undefined {
    this.#closeHole(this.older);
    this.#cover(this.older);
  }

  /** A page ended and more follows. */
  #coverSeen(): undefined {
    if (this.#allSeenTo !== undefined) this.#cover(this.#allSeenTo);
  }

  #cover(older: Timestamp | null): void {
    if (older !== null && older > this.#coveredTo) return;
    invariant(
      older === null ? this.older === null : !this.#isBelow(older),
      () => say`the walk down ${this.#options.list} covered more than remained to be read`,
    );
    this.#reached = older;
    if (older !== null) this.#coveredTo = older;
  }
}

/**
 * Whether a walk may ask for `next` after `before`: each walk ends, since this order has an end (I7). It asks for a lower
 * timestamp; or for the same one with a larger page, for that without a margin, or for the very same in doubt.
 */
function isProgress(next: Asked, before: Asked): boolean {
  if (next.newer !== before.newer)
    return before.newer === undefined || (next.newer !== undefined && next.newer < before.newer);
  if (next.size !== before.size) return next.size > before.size;
  if (next.isExact !== before.isExact) return next.isExact;
  return next.isDoubt && !before.isDoubt;
}
