import { microsecondsBetween } from "../coverage/timestamp.ts";
import { type ListTask, type RespondentSource, takeOpen } from "./list-task.ts";
import type { OpenRetry } from "./open-retry.ts";
import { chooseCut } from "./split.ts";
import type { SurveyList, SurveySliceTask } from "./survey-list.ts";

export interface SchedulerOptions {
  readonly surveys: SurveyTurns;
  readonly retries: readonly OpenRetry[];
  readonly respondents: readonly RespondentSource[];
  /** No slices: each survey strictly newest first. */
  readonly inOrder: boolean;
  /** Set once the first page of the sync has come. */
  readonly bound: { readonly at: unknown };
}

/**
 * Decides what to request next. No I/O and no clock: the loop asks `next` for each free slot, and each task comes back
 * to its turn with `returned`.
 *
 * - Until the first page has come, nobody is asked for: it fixes how far up this sync covers (I10). If no survey can be
 *   read, respondents come one at a time.
 * - Respondents come before surveys, so that few ever wait: of the stream with most of them waiting.
 * - Then each survey's newest page, then all slices in turn. An idle slot cuts a slice in two.
 * - Then what is open is tried again, then come the people whom the configuration names, and at last those who are asked
 *   for once more.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #hasAddedConfigured = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** `isIdle`: nothing is under way. Undefined if nothing can be requested now. */
  next(isIdle: boolean, nowMs: number): ListTask | undefined {
    const { surveys, inOrder, respondents, bound } = this.#options;
    if (bound.at === undefined && respondents.length > 0) {
      const newest = surveys.nextNewest();
      if (newest || !isIdle) return newest;
    }
    return (
      this.#nextRespondent(nowMs) ??
      surveys.nextNewest() ??
      surveys.next() ??
      (inOrder ? undefined : surveys.split()) ??
      this.#nextRetry() ??
      this.#nextConfigured(nowMs) ??
      (isIdle ? this.#nextAtTheEnd(nowMs) : undefined)
    );
  }

  /** When `next` is worth another call though nothing is under way. */
  get wakeAtMs(): number | undefined {
    const times = this.#options.respondents.flatMap(({ wakeAtMs }) => wakeAtMs ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #nextRespondent(nowMs: number): ListTask | undefined {
    const mostFirst = this.#options.respondents.toSorted((a, b) => b.waiting - a.waiting);
    return firstOf(mostFirst, (source) => source.next(nowMs));
  }

  #nextRetry(): ListTask | undefined {
    if (this.#options.surveys.left > 0) return undefined;
    return firstOf(this.#options.retries, (retry) => retry.next());
  }

  #nextConfigured(nowMs: number): ListTask | undefined {
    const { retries, respondents } = this.#options;
    // Retries end after the surveys.
    if (this.#hasAddedConfigured || !retries.every(({ hasEnded }) => hasEnded)) return undefined;
    this.#hasAddedConfigured = true;
    for (const source of respondents) source.addConfigured();
    return this.#nextRespondent(nowMs);
  }

  #nextAtTheEnd(nowMs: number): ListTask | undefined {
    return firstOf(this.#options.respondents, (source) => source.nextAtTheEnd(nowMs));
  }
}

function firstOf<Source>(
  sources: readonly Source[],
  next: (source: Source) => ListTask | undefined,
): ListTask | undefined {
  for (const source of sources) {
    const task = next(source);
    if (task) return task;
  }
  return undefined;
}

type Survey = SurveyList<SurveySliceTask>;

/**
 * The slices of all surveys, in the order of their turns: each survey's newest page first, then all slices in turn, so
 * that each survey's state moves on. A survey is opened at its first turn: thousands that wait take no memory.
 */
export class SurveyTurns {
  readonly #surveyIds: readonly string[];
  readonly #open: (surveyId: string) => Survey;
  readonly #itemsPerPage: number;
  readonly #surveys = new Set<Survey>();
  readonly #newestSlices: SurveySliceTask[] = [];
  readonly #slices: SurveySliceTask[] = [];
  #opened = 0;

  /** `surveyIds`: those of which something is wanted. `open` makes the list of one, and is called once for each. */
  constructor(surveyIds: readonly string[], open: (surveyId: string) => Survey, itemsPerPage: number) {
    this.#surveyIds = surveyIds;
    this.#open = open;
    this.#itemsPerPage = itemsPerPage;
  }

  /** Surveys of which something is left to request or under way. */
  get left(): number {
    return this.#surveyIds.length - this.#opened + this.#surveys.size;
  }

  /** How many requests for pages have ended. */
  pages = 0;

  /**
   * An estimate of the pages that are left, by the density of each slice, or of the one above if nothing of it has come.
   * Infinite without a start date.
   */
  get pagesLeft(): number {
    let pagesLeft = 0;
    for (const { slices } of this.#surveys) {
      let perMicrosecond = 0;
      for (const { walk } of slices) {
        const { older, position, density = perMicrosecond } = walk;
        perMicrosecond = density;
        if (older === null) return Number.POSITIVE_INFINITY;
        if (position === undefined) continue;
        pagesLeft += (microsecondsBetween(older, position) * density) / this.#itemsPerPage;
      }
    }
    const begun = this.#opened / this.#surveyIds.length;
    return (this.pages + pagesLeft) / begun - this.pages;
  }

  nextNewest(): ListTask | undefined {
    return takeOpen(this.#newestSlices) ?? this.#nextOpened();
  }

  next(): ListTask | undefined {
    return takeOpen(this.#slices);
  }

  /** Cuts a slice in two and gives the older part; undefined if nothing is worth a cut. */
  split(): ListTask | undefined {
    const slices = [...this.#surveys].flatMap((survey) => survey.slices);
    const cut = chooseCut(slices, this.#itemsPerPage, ({ survey }) => survey.grain);
    return cut?.slice.survey.split(cut);
  }

  returned(slice: SurveySliceTask): void {
    const { survey } = slice;
    this.pages++;
    if (slice.path === undefined) {
      if (survey.slices.length === 0) this.#surveys.delete(survey);
    } else if (slice.walk.pages === 0) this.#newestSlices.push(slice);
    else this.#slices.push(slice);
  }

  /** The newest slice of the next survey. */
  #nextOpened(): ListTask | undefined {
    const id = this.#surveyIds[this.#opened];
    if (id === undefined) return undefined;
    this.#opened++;
    const survey = this.#open(id);
    const [newest, ...others] = survey.slices;
    this.#surveys.add(survey);
    this.#slices.push(...others);
    return newest;
  }
}
