import { type Gap, partsIn } from "../coverage/coverage.ts";
import { earlier, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Message } from "../text/message.ts";
import type { CoverageTracker } from "./coverage-tracker.ts";
import { type Item, type ItemPage, isReadable, type UnreadableItem } from "./item.ts";
import type { PageFacts } from "./link.ts";
import { outOfOrder, unreadableItem } from "./list-errors.ts";
import { RecentPages } from "./recent-pages.ts";
import type { WalkRequest } from "./walk-request.ts";

/** What a page shows to a walk. */
export interface Shown extends Pick<PageFacts, "moved"> {
  /** The walk's own items that came for the first time. */
  readonly items: readonly Item[];
  /** The first item below the walk's end, if nothing of the walk follows. */
  readonly below: Timestamp | undefined;
  /** False if something unread may lie below the last item, or on a page in the wrong order: then `below` proves nothing. */
  readonly isUnbroken: boolean;
  /** What is wrong with the order of the items. */
  readonly problem: SurveyExportError | undefined;
}

/** What the pages of one walk show, page by page. Its tracker hears of each item. */
export class WalkItems {
  /** Whether our last own request has brought more than its margin (`walk-request.ts`). */
  isPastMargin = false;
  readonly #list: Message;
  readonly #tracker: CoverageTracker;
  readonly #seen = new SeenItems();
  readonly #recentPages = new RecentPages();
  /** Whether every page stood in order so far. */
  #isOrdered = true;

  /** `list`: its name in messages. */
  constructor(list: Message, tracker: CoverageTracker) {
    this.#list = list;
    this.#tracker = tracker;
  }

  /** The oldest timestamp of the walk's own items; undefined before the first. */
  get oldest(): Timestamp | undefined {
    return this.#seen.oldest;
  }

  /** Items per microsecond on the last pages; undefined before the first. */
  get density(): number | undefined {
    return this.#recentPages.densityDownTo(this.oldest);
  }

  /** A request of our own is next: what its pages show is everything from there down, be it for the second time. */
  restart(): void {
    this.isPastMargin = false;
    this.#tracker.restart();
  }

  /** Takes a page of `request` in. `range`: from the walk's newer end to its older one. */
  take(page: ItemPage, { asked, newest = page.present }: WalkRequest, range: Gap): Shown {
    const { oldest } = this;
    const items: Item[] = [];
    let hasUnreadable = false;
    let below: Timestamp | undefined;
    this.#seen.nextPage();
    for (const { place, item } of page.items.map((each) => placed(each, asked.newer, range.older))) {
      switch (place) {
        case "unreadable":
          // What follows an item below the walk's end is another walk's, unless the page is in the wrong order.
          if (below !== undefined && page.inversions.length === 0) break;
          hasUnreadable = true;
          this.#tracker.missed(item.name, unreadableItem(this.#list, item, this.oldest));
          break;
        case "above":
          below = undefined;
          if (this.isPastMargin) break;
          // The unreadable items so far lie above the walk.
          this.#tracker.restart();
          hasUnreadable = false;
          break;
        case "own":
          below = undefined;
          this.isPastMargin = true;
          this.#tracker.item(item.timestamp);
          if (this.#seen.add(item)) items.push(item);
          break;
        case "below":
          below ??= item.timestamp;
          this.isPastMargin = true;
      }
    }
    this.#recentPages.add(items);
    const moved = this.oldest !== oldest;
    const problem = this.#deferInversions(page, newest, range, hasUnreadable);
    const isUnbroken = this.#isOrdered && this.#tracker.isUnbroken;
    return { items, below, moved, isUnbroken, problem };
  }

  /** Something may lie between neighbours in the wrong order. The part outside of `range` is deferred by other walks. */
  #deferInversions(page: ItemPage, newest: Timestamp, range: Gap, hasUnreadable: boolean) {
    const [first] = page.inversions;
    if (first === undefined) return undefined;
    this.#isOrdered = false;
    const timestamps = page.items.filter(isReadable).map(({ timestamp }) => timestamp);
    // Neighbours in the wrong order do not say where an unreadable item lies.
    const whole = hasUnreadable ? [[timestamps.reduce(earlier), newest] as const] : [];
    for (const [before, after] of [...page.inversions, ...whole]) {
      const newer = earlier(after, newest);
      if (before <= newer) this.#tracker.defer(partsIn([range], [before, newer]));
    }
    return outOfOrder(this.#list, ...first);
  }
}

type Placed =
  | { readonly place: "unreadable"; readonly item: UnreadableItem }
  | { readonly place: "above" | "own" | "below"; readonly item: Item };

/** Where an item is in a walk from `newer` down to `older`. Nobody knows it of an unreadable one. */
function placed(item: Item | UnreadableItem, newer: Timestamp | undefined, older: Timestamp | null): Placed {
  if (!isReadable(item)) return { place: "unreadable", item };
  if (older !== null && item.timestamp < older) return { place: "below", item };
  return { place: newer !== undefined && item.timestamp > newer ? "above" : "own", item };
}

/**
 * Which items of a newest-first list have been seen. Keeps the uuids of the last two pages and of the oldest timestamp,
 * since pages overlap there (S3). So a list of any length takes the memory of a few pages.
 */
export class SeenItems {
  /** The oldest timestamp; undefined before the first item. */
  oldest: Timestamp | undefined;
  readonly #atOldest = new Set<string>();
  #page = new Set<string>();
  #pageBefore = new Set<string>();

  nextPage(): void {
    if (this.#page.size === 0) return;
    this.#pageBefore = this.#page;
    this.#page = new Set();
  }

  /** @returns whether the item came for the first time */
  add({ timestamp, uuid }: Item): boolean {
    const isKnown = this.#atOldest.has(uuid) || this.#page.has(uuid) || this.#pageBefore.has(uuid);
    this.#page.add(uuid);
    if (isKnown) return false;
    if (this.oldest === undefined || timestamp < this.oldest) {
      this.oldest = timestamp;
      this.#atOldest.clear();
    }
    if (timestamp === this.oldest) this.#atOldest.add(uuid);
    return true;
  }
}
