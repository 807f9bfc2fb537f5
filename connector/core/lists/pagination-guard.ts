/**
 * How to continue after a page. Used by every list of the service.
 * - `follow`: request this path next.
 * - `confirm`: request the last items once more, with another page size, to see whether an empty page is the end.
 * - `end`: the list has ended.
 * - `ended by an empty page`: the same, for a service that closes its lists in this way (S4).
 * - `stuck`: the links lead in a circle, or bring nothing new for too long.
 * - `stuck at an empty page`: an empty page hides the rest of the list.
 */
export type NextStep =
  | { readonly kind: "follow"; readonly path: string }
  | { readonly kind: "confirm" | "end" | "ended by an empty page" | "stuck" | "stuck at an empty page" };

/** A page, as far as pagination is concerned. */
export interface PageFacts {
  /** The path that was requested. */
  readonly path: string;
  readonly itemCount: number;
  /** Whether an item is new to this walk. */
  readonly hasNews: boolean;
  readonly hasUnreadable: boolean;
  /** Whether the walk's position moved down. */
  readonly moved: boolean;
  readonly next: string | undefined;
}

/** Pages in a row that may bring nothing new. */
const PAGES_WITHOUT_NEWS = 20;
/** A page of unreadable items counts as this part of one: there is something, and its link may lead past it. */
const UNREADABLE_PAGE = 0.2;
/** Pages in a row that may bring news without moving down: a timestamp with more items than these hold is given up. */
const PAGES_WITHOUT_MOVE = 1000;

/**
 * Decides after each page whether its link is followed (S3, S4, I7).
 *
 * Termination: between two moves of the position, each path is followed once, at most 20 pages in a row bring nothing
 * new (100 where they hold unreadable items), and at most 1000 pages come in all. Requests that the walk makes by itself, without a link, reset nothing here.
 *
 * An empty page that says there is more and links to itself, or to an empty last page, may be the end of the list (some
 * services close lists like this), a temporary fault, or a broken page. So the walk requests the last items once more,
 * with another page size: only when they come again, with nothing below them but an empty page again, has the list ended.
 */
export class PaginationGuard {
  /** Paths requested since the last news. */
  readonly #followed = new Set<string>();
  #pagesWithoutNews = 0;
  #pagesWithoutMove = 0;
  #hasSeenItems = false;
  /** Whether the last items have been requested once more because of an empty page, and whether they came. */
  #confirming: "no" | "requested" | "items seen" = "no";
  #lastPageWasEmpty = false;

  /** Whether the page before the last one was empty and said that there is more, and items follow it: it hid others. */
  skippedEmptyPage = false;

  after({ path, itemCount, hasNews, hasUnreadable, moved, next }: PageFacts): NextStep {
    const followsEmptyPage = this.#lastPageWasEmpty;
    this.skippedEmptyPage = followsEmptyPage && itemCount > 0;
    this.#lastPageWasEmpty = itemCount === 0 && next !== undefined;
    if (next === undefined)
      return followsEmptyPage && itemCount === 0 ? this.#afterEmptyPage() : { kind: "end" };
    this.#count(hasNews, hasUnreadable, moved);
    this.#followed.add(path);
    if (itemCount > 0) {
      this.#hasSeenItems = true;
      if (this.#confirming === "requested") this.#confirming = "items seen";
    }
    const isBounded =
      this.#pagesWithoutNews <= PAGES_WITHOUT_NEWS && this.#pagesWithoutMove <= PAGES_WITHOUT_MOVE;
    if (isBounded && !this.#followed.has(next)) return { kind: "follow", path: next };
    return itemCount === 0 ? this.#afterEmptyPage() : { kind: "stuck" };
  }

  #count(hasNews: boolean, hasUnreadable: boolean, moved: boolean): void {
    this.#pagesWithoutMove = moved ? 0 : this.#pagesWithoutMove + 1;
    this.#pagesWithoutNews = hasNews ? 0 : this.#pagesWithoutNews + (hasUnreadable ? UNREADABLE_PAGE : 1);
    if (!hasNews) return;
    this.#followed.clear();
    this.#confirming = "no";
  }

  #afterEmptyPage(): NextStep {
    if (this.#confirming === "items seen" || (this.#confirming === "requested" && !this.#hasSeenItems)) {
      return { kind: "ended by an empty page" };
    }
    if (this.#confirming === "requested") return { kind: "stuck at an empty page" };
    this.#confirming = "requested";
    this.#lastPageWasEmpty = false;
    this.#followed.clear();
    return { kind: "confirm" };
  }
}
