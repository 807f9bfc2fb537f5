import { surveyResponsesPath } from "../client/endpoints.ts";
import type { Gap } from "../coverage/coverage.ts";
import { addMicroseconds, latest, type Timestamp } from "../coverage/timestamp.ts";
import { certain, type SurveyExportError } from "../errors.ts";
import type { Read } from "../lists/coverage-tracker.ts";
import { type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import { ListWalk } from "../lists/list-walk.ts";
import { counted, given, type Message, say } from "../text/message.ts";
import type { GoneSurveys } from "./gone-surveys.ts";
import type { ListTask, SyncEvent } from "./list-task.ts";
import { type Cut, FIRST_CUT_PAGES, type Slice } from "./split.ts";
import { isFarAbove } from "./stream-cursor.ts";
import type { StreamProgress, SurveyPage } from "./stream-progress.ts";
import type { Warnings } from "./warnings.ts";

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

  /** How many pages have come. */
  get pages(): number {
    return this.#gaps.flatMap(({ slices }) => slices).reduce((sum, { walk }) => sum + walk.pages, 0);
  }

  /** Whether `slice` still has something to request: another slice's page may have ended it. */
  isOpen(slice: S): boolean {
    return !this.#isStopped && slice.walk.path !== undefined;
  }

  accept(slice: S, page: ItemPage): SurveyPage<S> {
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
    return certain(
      this.#gaps.find(({ slices }) => slices.includes(slice)),
      "the gap",
    );
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

/** What the slices of all surveys share. */
export interface SurveyWork {
  readonly streams: readonly StreamProgress[];
  readonly turns: { returned(slice: SurveySliceTask): void };
  readonly gone: GoneSurveys;
  readonly warnings: Warnings;
}

/** A slice of a survey's list as a unit of work: its pages go to every stream. */
export class SurveySliceTask implements Slice, ListTask<ItemPage> {
  readonly survey: SurveyList<SurveySliceTask>;
  readonly walk: ListWalk;
  readonly edges: ReadonlySet<Timestamp>;
  cutPages: number;
  readonly #work: SurveyWork;
  /** Why a request without the link is under way. */
  #linkFailure: SurveyExportError | undefined;

  constructor(survey: SurveyList<SurveySliceTask>, slice: Slice, work: SurveyWork) {
    this.survey = survey;
    this.walk = slice.walk;
    this.edges = slice.edges;
    this.cutPages = slice.cutPages;
    this.#work = work;
  }

  get path(): string | undefined {
    return this.survey.isOpen(this) ? this.walk.path : undefined;
  }

  parse(body: string, present: Timestamp): ItemPage {
    return parseItemPage(body, this.walk.notAfter, present);
  }

  accept(page: ItemPage): SyncEvent[] {
    if (!this.survey.isOpen(this)) return [];
    this.#work.gone.isAnyFound = true;
    const surveyPage = this.survey.accept(this, page);
    if (this.#linkFailure)
      this.#warnings.linkReplaced(say`survey ${given(this.survey.id)}`, this.#linkFailure);
    this.#linkFailure = undefined;
    this.#warn(surveyPage.warning, page);
    const { problem } = surveyPage;
    return this.#work.streams.flatMap((stream) => {
      const events = stream.acceptSurveyPage(this.survey.id, surveyPage, this.survey.newestSeen);
      if (problem) events.push(...stream.failed(problem, this.survey.id));
      return events;
    });
  }

  fail(error: SurveyExportError): SyncEvent[] {
    if (!this.survey.isOpen(this)) return [];
    if (error.code === "rejected" && this.walk.retryWithoutEnd()) return [];
    const failed = (named: SurveyExportError): SyncEvent[] =>
      this.#work.streams.flatMap((stream) => stream.failed(named, this.survey.id));
    const isReplaced = error.scope === "list" && this.walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) this.walk.stop();
      return failed(error);
    }
    if (isReplaced) {
      this.#linkFailure = error;
      return [];
    }
    this.survey.stop();
    if (error.code !== "not_found") return failed(error);
    const named = this.#notFound(error);
    return this.#work.gone.add(this.survey.id, named) ? [] : failed(named);
  }

  returned(): void {
    this.#work.turns.returned(this);
  }

  get #warnings(): Warnings {
    return this.#work.warnings;
  }

  #warn(warning: Message | undefined, page: ItemPage): void {
    if (warning) this.#warnings.emptyPage(warning);
    const newest = page.items.find(isReadable);
    if (newest && isFarAbove(newest.timestamp, page.present)) {
      this.#warnings.fromFuture({ ...newest, surveyId: this.survey.id }, page.present);
    }
  }

  #notFound(error: SurveyExportError): SurveyExportError {
    const { id, pages } = this.survey;
    if (pages > 0) {
      return error.restated(
        "transient",
        say`Survey ${given(id)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`,
        say`The responses read so far were delivered; the next sync continues there. If it goes on, ask the service.`,
      );
    }
    return error.restated(
      "config",
      say`Survey ${given(id)} was not found (status ${error.status ?? 404}).`,
      say`Remove it from survey_ids or correct the id. This does not affect the other surveys.`,
    );
  }
}
