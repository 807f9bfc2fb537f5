import type { SurveyExportError } from "../errors.ts";
import type { Message } from "../text/message.ts";
import { LARGEST_PAGE } from "./endpoints.ts";
import { leavesList, type NextStep, PaginationGuard } from "./link.ts";
import { endedEarly } from "./list-errors.ts";
import type { Page } from "./page.ts";

/** What a page of such a list brought. */
export interface KeyedPage<Item> {
  /** Those that no page before has shown. */
  readonly items: readonly Item[];
  /** How many cannot be read. If the page was requested once more: how many more than before. */
  readonly unreadable: number;
  /** Why the list ends here, above its end. */
  readonly problem: SurveyExportError | undefined;
}

export interface KeyedListOptions<Item> {
  /** Of the first page, with so many items. */
  readonly pathOf: (itemsPerPage: number) => string;
  /** What the first page asks for, and the links after it. */
  readonly itemsPerPage: number;
  /** The link to begin with, instead of the first page. */
  readonly from?: string | undefined;
  /** The item with its key; undefined for one that cannot be read. */
  readonly parse: (item: unknown) => (Item & { readonly id: number | string }) | undefined;
  /** For messages. */
  readonly list: Message;
}

/**
 * Walks a list whose items have an id and no timestamp to resume from. Each comes once, whatever the pages repeat.
 *
 * Two pages are requested once more before they are believed, until something new comes (I2): a full one that ends the list,
 * and an empty one where more was promised. Without this: if a service says so once, and wrongly, what follows is lost.
 *
 * `PaginationGuard` ends it. If the links lead in a circle, it is requested once more, from its beginning with the largest
 * page. Without this: if links go by a time that several items share, those that do not fit on a page are never read.
 */
export class KeyedList<Item> {
  /** The next path to request; undefined at the end. */
  path: string | undefined;
  readonly #options: KeyedListOptions<Item>;
  readonly #guard = new PaginationGuard();
  readonly #seen = new Set<number | string>();
  #itemsPerPage: number;
  /** The path that was requested once more since something new came last. */
  #doubted: string | undefined;
  /** Of the last page. */
  #last = { path: "", unreadable: 0 };

  /** @throws SurveyExportError `refused_link` if `from` leads to another list */
  constructor(options: KeyedListOptions<Item>) {
    this.#options = options;
    this.#itemsPerPage = options.itemsPerPage;
    const path = options.pathOf(options.itemsPerPage);
    const { from = path } = options;
    const refused = from === path ? undefined : leavesList(path, from);
    if (refused) throw refused;
    this.path = from;
  }

  /** Takes the page of `path` in, and decides what is requested next, if anything. */
  accept(page: Page): KeyedPage<Item> {
    const { items, next } = page;
    const path = this.path ?? "";
    const readable = items.map((item) => this.#options.parse(item)).filter((item) => item !== undefined);
    const fresh = readable.filter(({ id }) => this.#seen.size < this.#seen.add(id).size);
    const unreadable = items.length - readable.length;
    const told = this.#last.path === path ? this.#last.unreadable : 0;
    this.#last = { path, unreadable: Math.max(unreadable, told) };
    const moved = fresh.length > 0;
    if (moved) this.#doubted = undefined;
    const step = this.#guard.after({ path, moved, next });
    const problem = this.#isDoubted(page, path) ? undefined : this.#proceed(step, path);
    return { items: fresh, unreadable: Math.max(0, unreadable - told), problem };
  }

  /** Whether the page of `path` is requested once more before it is believed. */
  #isDoubted({ items, next }: Page, path: string): boolean {
    const isEmpty = items.length === 0 && (next !== undefined || this.#seen.size > 0);
    const isDoubtful = isEmpty || (next === undefined && items.length >= this.#itemsPerPage);
    if (!isDoubtful || this.#doubted === path) return false;
    this.#doubted = path;
    return true;
  }

  #proceed(step: NextStep, path: string): SurveyExportError | undefined {
    const { pathOf, list } = this.#options;
    this.path = undefined;
    if (step.kind === "follow") {
      const refused = leavesList(path, step.path);
      if (refused) return refused;
      this.path = step.path;
    }
    if (step.kind === "stuck") {
      if (this.#itemsPerPage >= LARGEST_PAGE) return endedEarly(list, undefined);
      this.#itemsPerPage = LARGEST_PAGE;
      this.path = pathOf(LARGEST_PAGE);
    }
    return undefined;
  }
}
