import type { Gap } from "../coverage/coverage.ts";
import { addMicroseconds, type Timestamp } from "../coverage/timestamp.ts";
import { certain, invariant, type SurveyExportError } from "../errors.ts";
import { type Message, say } from "../text/message.ts";
import { CoverageTracker, type Findings } from "./coverage-tracker.ts";
import { LARGEST_PAGE, type Window } from "./endpoints.ts";
import { type Item, type ItemPage, isReadable } from "./item.ts";
import { leavesList, type NextStep, PaginationGuard } from "./link.ts";
import { endedEarly, stuckAt } from "./list-errors.ts";
import { WalkItems } from "./walk-items.ts";
import { isProgress, linkRequest, type OwnRequest, ownRequest, type WalkRequest } from "./walk-request.ts";

/** The result of one page. */
export interface WalkProgress extends Findings {
  /** The responses that are new to this walk, newest first. */
  readonly items: readonly Item[];
  /** The first thing that is wrong with the page, besides items that cannot be read. */
  readonly problem: SurveyExportError | undefined;
  /** The first item below the walk's end. */
  readonly below: Timestamp | undefined;
  /** Whether nothing unread may lie between the walk's end and `below`, or, if the page ends the list, below that end. */
  readonly isUnbroken: boolean;
}

export interface ListWalkOptions extends Gap {
  /** The older bound that requests carry, `null` for none: the whole gap's, so that a page also shows what slices below hold. */
  readonly gapOlder: Timestamp | null;
  /** Newer edge of the first interval, if it is not `newer`: a cut, whose own timestamp belongs to the slice above. */
  readonly coversFrom?: Timestamp | undefined;
  readonly itemsPerPage: number;
  readonly pathOf: (window: Window) => string;
  /** The list's name in messages, e.g. `survey "s1"`. */
  readonly list: Message;
  /** Names of the list's unreadable items that any walk has reported: each counts once. */
  readonly unreadable: Set<string>;
}

/**
 * One walk down a newest-first list: the next path to request, and what each page delivers and covers. No I/O and no
 * clock: the caller requests `path`, passes the page to `accept`, and repeats until there is no path.
 *
 * Within one walk a response is delivered once, however the pages overlap, unless the list is in the wrong order (S1, S3).
 * The walk ends (I7): `PaginationGuard` bounds the links. Each request without one asks for a lower timestamp, or the same
 * one with a larger page or without a margin (`isProgress`).
 */
export class ListWalk {
  /** Lower end, inclusive. `null` = the beginning. */
  older: Timestamp | null;
  /** How many pages have come. */
  pages = 0;
  readonly #options: ListWalkOptions;
  readonly #tracker: CoverageTracker;
  readonly #guard = new PaginationGuard();
  /** The request under way; undefined when the walk has ended. */
  #request: WalkRequest | undefined;
  readonly #items: WalkItems;

  constructor(options: ListWalkOptions) {
    const { newer, older, coversFrom = newer, gapOlder, itemsPerPage, pathOf, list, unreadable } = options;
    this.#options = options;
    this.older = older;
    this.#tracker = new CoverageTracker(coversFrom, unreadable);
    this.#items = new WalkItems(list, this.#tracker);
    const first = { newer, size: itemsPerPage, isExact: false };
    this.#request = ownRequest(first, gapOlder, pathOf);
  }

  /** The path to request; undefined when the walk has ended. */
  get path(): string | undefined {
    return this.#request?.path;
  }

  /** No page of `path` may begin above it. */
  get newestAllowed(): Timestamp | undefined {
    return this.#request?.newest;
  }

  get newer(): Timestamp | undefined {
    return this.#options.newer;
  }

  /** How far down the walk has read. */
  get position(): Timestamp | undefined {
    return this.#items.oldest ?? this.newer;
  }

  /** Items per microsecond on the last pages; undefined before the first. */
  get density(): number | undefined {
    return this.#items.density;
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
    this.pages++;
    const { moved, ...shown } = this.#items.take(page, request, this);
    const next = shown.below === undefined ? page.next : undefined;
    const step = this.#guard.after({ path: request.path, moved, next });
    const problem = this.#proceed(step, request, page) ?? shown.problem;
    return { ...shown, ...this.#take(), problem };
  }

  /**
   * The page of a link cannot be read: requests the rest from the walk's own position, once at each.
   * @returns false if there is no link, or if that was tried
   */
  replaceLink(): boolean {
    if (!this.#request?.isLink) return false;
    const { asked } = this.#request;
    const newer = this.#resumesAt;
    if (newer === undefined) return false;
    const usual = { ...asked, newer, size: this.#options.itemsPerPage, isExact: false };
    return this.#askFirst([usual, { ...usual, size: LARGEST_PAGE }], asked);
  }

  /** Where a request without the link begins. */
  get #resumesAt(): Timestamp | undefined {
    const { older } = this.#tracker;
    return older === undefined ? this.position : addMicroseconds(older, -1);
  }

  /** Nothing more can be requested: what was not read stays uncovered. */
  stop(): void {
    this.#request = undefined;
  }

  /** Ends the walk at `at`, inclusive; older responses belong to another slice. */
  cutAt(at: Timestamp): void {
    invariant(
      (this.position === undefined || at < this.position) && (this.older === null || at > this.older),
      () => say`${this.#options.list} was cut outside of what remains to be read`,
    );
    this.older = at;
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
        () => say`the walk down ${this.#options.list} covered more than remained to be read`,
      );
    return findings;
  }

  /** Replaces `request`, of which `page` came. @returns what is wrong with its link */
  #proceed(step: NextStep, request: WalkRequest, page: ItemPage): SurveyExportError | undefined {
    this.#request = undefined;
    if (step.kind !== "end") this.#tracker.pageEnd();
    switch (step.kind) {
      case "end":
        this.#tracker.reached(this.older);
        return undefined;
      case "follow":
        return this.#follow(step.path, request, page);
      case "stuck":
        return this.#getPast(request.asked);
    }
  }

  #follow(link: string, request: WalkRequest, page: ItemPage): SurveyExportError | undefined {
    this.#request = linkRequest(link, request, page);
    const problem = leavesList(request.path, link);
    if (problem && !this.replaceLink()) this.stop();
    return problem;
  }

  /**
   * Gets past a link that leads back: from where the walk is, with the largest page, and then below that timestamp. If all
   * that has come lies in the margin, it first asks with the largest page for the same, and then without a margin. Without
   * this: everything below a timestamp that more responses share than fit on a page stays unread.
   */
  #getPast(asked: OwnRequest): SurveyExportError | undefined {
    const { position } = this;
    const { list, itemsPerPage } = this.#options;
    if (position === undefined) return endedEarly(list, undefined);
    const largest = { ...asked, size: LARGEST_PAGE, isExact: false };
    const pastMargin = this.#items.isPastMargin ? [] : [largest, { ...largest, isExact: true }];
    if (this.#askFirst([...pastMargin, { ...largest, newer: position }], asked)) return undefined;
    const below = { ...largest, newer: addMicroseconds(position, -1), size: itemsPerPage };
    if (!isProgress(below, asked)) return endedEarly(list, this.#items.oldest);
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
    const { gapOlder, pathOf } = this.#options;
    this.#request = ownRequest(next, gapOlder, pathOf);
    this.#items.restart();
  }
}
