import type { SurveyExportError } from "../errors.ts";
import type { Message } from "../text/message.ts";
import { leavesList, type NextStep, PaginationGuard } from "./link.ts";
import { endedEarly } from "./list-errors.ts";
import type { Page } from "./page.ts";

/** What a page of such a list brought. */
export interface KeyedPage<Item> {
  /** Those that no page before has shown. */
  readonly items: readonly Item[];
  /** How many cannot be read. */
  readonly unreadable: number;
  /** Why the list ends here, above its end. */
  readonly problem: SurveyExportError | undefined;
}

export interface KeyedListOptions<Item> {
  /** Of the first page. */
  readonly path: string;
  /** The same with the largest page, if that is another. */
  readonly largest?: string;
  /** The link to begin with, instead of the first page. */
  readonly from?: string | undefined;
  /** The item with its key; undefined for one that cannot be read. */
  readonly parse: (item: unknown) => (Item & { readonly id: number | string }) | undefined;
  /** For messages. */
  readonly list: Message;
}

/**
 * Walks a list whose items have an id and no timestamp to resume from. Each comes once, whatever the pages repeat.
 * `PaginationGuard` ends it. If the links lead in a circle, it is requested once more, from its beginning with the largest
 * page. Without this: if links go by a time that several items share, those that do not fit on a page are never read.
 */
export class KeyedList<Item> {
  /** The next path to request; undefined at the end. */
  path: string | undefined;
  readonly #options: KeyedListOptions<Item>;
  readonly #guard = new PaginationGuard();
  readonly #seen = new Set<number | string>();
  #isLargestTried = false;

  /** @throws SurveyExportError `refused_link` if `from` leads to another list */
  constructor(options: KeyedListOptions<Item>) {
    this.#options = options;
    const { path, from = path } = options;
    const refused = from === path ? undefined : leavesList(path, from);
    if (refused) throw refused;
    this.path = from;
  }

  /** Takes the page of `path` in, and decides what is requested next, if anything. */
  accept({ items, next }: Page): KeyedPage<Item> {
    const path = this.path ?? "";
    const readable = items.map((item) => this.#options.parse(item)).filter((item) => item !== undefined);
    const fresh = readable.filter(({ id }) => this.#seen.size < this.#seen.add(id).size);
    const unreadable = items.length - readable.length;
    const step = this.#guard.after({ path, moved: fresh.length > 0, next });
    return { items: fresh, unreadable, problem: this.#proceed(step, path) };
  }

  #proceed(step: NextStep, path: string): SurveyExportError | undefined {
    const { largest, list } = this.#options;
    this.path = undefined;
    if (step.kind === "follow") {
      const refused = leavesList(path, step.path);
      if (refused) return refused;
      this.path = step.path;
    }
    if (step.kind === "stuck") {
      if (largest === undefined || this.#isLargestTried) return endedEarly(list, undefined);
      this.#isLargestTried = true;
      this.path = largest;
    }
    return undefined;
  }
}
