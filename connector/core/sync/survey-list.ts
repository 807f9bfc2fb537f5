import { surveyResponsesPath } from "../client/endpoints.ts";
import type { Gap } from "../coverage/coverage.ts";
import { addMicroseconds, latest, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Read } from "../lists/coverage-tracker.ts";
import type { Item, ItemPage } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import { given, type Message, say } from "../text/message.ts";
import { type Cut, FIRST_CUT_PAGES, type Slice } from "./split.ts";

/** A page of a survey's list, as the streams see it. */
export interface SurveyPage<S extends Slice = Slice> {
  readonly items: readonly Item[];
  /** What is covered and open now, by slice: first the page's own, then the slices below that it has ended. */
  readonly read: readonly { readonly slice: S; readonly read: Read }[];
  readonly problem: SurveyExportError | undefined;
  readonly warning: Message | undefined;
}

export interface SurveyListOptions {
  readonly id: string;
  /** Disjoint, oldest first. */
  readonly gaps: readonly Gap[];
  /** Timestamps where some stream's coverage begins: no slice may begin there. */
  readonly edges: ReadonlySet<Timestamp>;
  readonly itemsPerPage: number;
  readonly attributes: readonly string[];
}

/**
 * One survey's list in a sync: the gaps that any stream still has, each walked once, cut into slices if slots are
 * idle. `makeSlice` makes the caller's kind of slice around a walk.
 */
export class SurveyList<S extends Slice> {
  readonly id: string;
  /** The newest response that this sync has seen, unless it is from the future. */
  newestSeen: Timestamp | undefined;
  /** How many pages have come. */
  pages = 0;
  /** The coarsest unit that all timestamps seen are multiples of, in microseconds. */
  grain = 1_000_000;
  readonly #options: SurveyListOptions;
  readonly #makeSlice: (slice: Slice, survey: SurveyList<S>) => S;
  /** The gaps, newest first, each with its slices, newest first. */
  readonly #gaps: { readonly end: Timestamp | null; readonly slices: S[] }[] = [];
  #isStopped = false;

  constructor(options: SurveyListOptions, makeSlice: (slice: Slice, survey: SurveyList<S>) => S) {
    this.id = options.id;
    this.#options = options;
    this.#makeSlice = makeSlice;
    for (const gap of options.gaps.toReversed()) {
      this.#gaps.push({ end: gap.older, slices: [this.#newSlice(gap, gap.older)] });
    }
  }

  /** Slices that still have something to request. */
  get slices(): readonly S[] {
    if (this.#isStopped) return [];
    return this.#gaps.flatMap(({ slices }) => slices.filter(({ walk }) => walk.path !== undefined));
  }

  /** Whether `slice` still has something to request: another slice's page may have ended it. */
  isOpen(slice: S): boolean {
    return !this.#isStopped && slice.walk.path !== undefined;
  }

  accept(slice: S, page: ItemPage): SurveyPage<S> {
    this.pages++;
    const progress = slice.walk.accept(page);
    const { items, problem, warning, below, endOfList } = progress;
    const newest = items.find(({ timestamp }) => timestamp <= page.present);
    this.newestSeen = latest(this.newestSeen, newest?.timestamp);
    this.grain = Math.min(this.grain, page.grain);
    const read: { slice: S; read: Read }[] = [{ slice, read: progress }];
    const { slices } = this.#gapOf(slice);
    for (const lower of slices.slice(slices.indexOf(slice) + 1)) {
      const isEmpty = endOfList || (below !== undefined && lower.walk.isBelow(below));
      if (isEmpty) read.push({ slice: lower, read: lower.walk.finishEmpty(page.present) });
    }
    return { items, read, problem, warning };
  }

  /** Splits `cut.slice`; the new slice reads the older part. */
  split(cut: Cut<S>): S {
    const gap = this.#gapOf(cut.slice);
    const newer = addMicroseconds(cut.at, -1);
    const lower = this.#newSlice({ older: cut.slice.walk.older, newer }, gap.end, cut);
    cut.slice.walk.endAt(cut.at);
    cut.slice.cutPages *= 2;
    gap.slices.splice(gap.slices.indexOf(cut.slice) + 1, 0, lower);
    return lower;
  }

  /** Gives the survey up: nothing more is requested, and requests in flight do not count. */
  stop(): void {
    this.#isStopped = true;
  }

  #gapOf(slice: S) {
    return this.#gaps.find(({ slices }) => slices.includes(slice))!;
  }

  #newSlice(gap: Gap, requestEnd: Timestamp | null, cut?: Cut<S>): S {
    const { id, itemsPerPage, attributes, edges } = this.#options;
    const walk = new ListWalk({
      ...gap,
      requestEnd,
      top: cut?.at,
      itemsPerPage,
      pathOf: (window) => surveyResponsesPath(id, window, attributes),
      list: say`survey ${given(id)}`,
    });
    const cutPages = cut ? cut.slice.cutPages * 2 : FIRST_CUT_PAGES;
    return this.#makeSlice({ walk, edges, cutPages }, this);
  }
}
