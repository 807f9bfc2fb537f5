/**
 * How to continue after a page. Used by every list of the service.
 * - `follow`: request this path next.
 * - `again`: request the same path once more, because the page is empty and says that there is more.
 * - `end`: the list has ended.
 * - `ended by an empty page`: nothing is known of what lies below the last item (S4).
 * - `stuck`: the links lead in a circle, or bring nothing new for too long.
 */
export type NextStep =
  | { readonly kind: "follow"; readonly path: string }
  | { readonly kind: "again" | "end" | "ended by an empty page" | "stuck" };

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
 * Decides after each page whether its link is followed (S3, S4, I7). Between two moves of the position, each path is
 * followed once, an empty page is requested once more, at most 20 pages in a row bring nothing new (100 if they hold
 * unreadable items), and at most 1000 pages come in all.
 */
export class PaginationGuard {
  /** Paths requested since the last news. */
  readonly #followed = new Set<string>();
  #pagesWithoutNews = 0;
  #pagesWithoutMove = 0;
  /** The last path that was requested once more because its page was empty. */
  #askedAgain: string | undefined;

  after({ path, itemCount, hasNews, hasUnreadable, moved, next }: PageFacts): NextStep {
    if (next === undefined) return { kind: "end" };
    this.#pagesWithoutMove = moved ? 0 : this.#pagesWithoutMove + 1;
    this.#pagesWithoutNews = hasNews ? 0 : this.#pagesWithoutNews + (hasUnreadable ? UNREADABLE_PAGE : 1);
    if (hasNews) this.#followed.clear();
    this.#followed.add(path);
    const isBounded =
      this.#pagesWithoutNews <= PAGES_WITHOUT_NEWS && this.#pagesWithoutMove <= PAGES_WITHOUT_MOVE;
    if (isBounded && !this.#followed.has(next)) return { kind: "follow", path: next };
    if (itemCount > 0) return { kind: "stuck" };
    if (this.#askedAgain === path) return { kind: "ended by an empty page" };
    this.#askedAgain = path;
    return { kind: "again" };
  }
}
