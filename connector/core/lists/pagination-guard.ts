/**
 * How to continue after a page. Used by every list of the service.
 * - `follow`: request this path next.
 * - `end`: the list has ended.
 * - `stuck`: the links lead in a circle, or bring nothing new for too long.
 */
export type NextStep =
  | { readonly kind: "follow"; readonly path: string }
  | { readonly kind: "end" | "stuck" };

/** A page, as far as pagination is concerned. */
export interface PageFacts {
  /** The path that was requested. */
  readonly path: string;
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
 * followed once, at most 20 pages in a row bring nothing new (100 if they hold unreadable items), and at most 1000 pages
 * come in all.
 */
export class PaginationGuard {
  /** Paths requested since the last news. */
  readonly #followed = new Set<string>();
  #pagesWithoutNews = 0;
  #pagesWithoutMove = 0;

  after({ path, hasNews, hasUnreadable, moved, next }: PageFacts): NextStep {
    if (next === undefined) return { kind: "end" };
    this.#pagesWithoutMove = moved ? 0 : this.#pagesWithoutMove + 1;
    this.#pagesWithoutNews = hasNews ? 0 : this.#pagesWithoutNews + (hasUnreadable ? UNREADABLE_PAGE : 1);
    if (hasNews) this.#followed.clear();
    this.#followed.add(path);
    const isBounded =
      this.#pagesWithoutNews <= PAGES_WITHOUT_NEWS && this.#pagesWithoutMove <= PAGES_WITHOUT_MOVE;
    return isBounded && !this.#followed.has(next) ? { kind: "follow", path: next } : { kind: "stuck" };
  }
}
