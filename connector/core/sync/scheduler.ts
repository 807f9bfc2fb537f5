import type { ListTask } from "./list-task.ts";
import { chooseCut } from "./split.ts";
import type { SurveyList } from "./survey-list.ts";
import type { SurveySliceTask } from "./survey-slice-task.ts";

/** Gives out the respondents of one stream. */
export interface RespondentSource {
  /** Respondents that wait. */
  readonly length: number;
  next(): ListTask | undefined;
}

export interface SchedulerOptions {
  readonly surveys: readonly SurveyList<SurveySliceTask>[];
  readonly respondents: readonly RespondentSource[];
  readonly itemsPerPage: number;
  /** One request at a time, and no slices: each survey strictly newest first. */
  readonly inOrder: boolean;
}

/** Pages of a survey that respondents wait for, while none of them says how far up the sync covers it. */
const PAGES_WITHOUT_BOUND = 10;
/** A task that comes later is requested again after this time, or when nothing else is left to do. */
const LATER_MS = 60_000;

/**
 * Decides what to request next. No I/O and no clock: the loop asks `next` for each free slot, and gives each task back
 * with `returned` once its page or error has been taken in.
 *
 * - First each survey's list down to its newest response, which fixes how far up this sync goes. With a respondent
 *   stream, nothing else is requested until these have come (I6), so that few respondents ever wait.
 * - Then respondents before surveys: lists that go on, then the stream with most respondents waiting.
 * - Then all surveys in turn, so that each one's state moves on.
 * - An idle slot cuts a slice in two.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #surveys: Set<SurveyList<SurveySliceTask>>;
  /** Surveys whose newest response is still to come. */
  readonly #openBounds: Set<SurveyList<SurveySliceTask>>;
  readonly #newestSlices: SurveySliceTask[];
  readonly #slices: SurveySliceTask[];
  readonly #continuing: ListTask[] = [];
  #later: { readonly task: ListTask; readonly atMs: number }[] = [];

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#surveys = new Set(options.surveys.filter(({ slices }) => slices.length > 0));
    this.#openBounds = new Set([...this.#surveys].filter(({ isBoundOpen }) => isBoundOpen));
    this.#newestSlices = [...this.#surveys].flatMap(({ slices }) => slices.slice(0, 1));
    this.#slices = [...this.#surveys].flatMap(({ slices }) => slices.slice(1));
  }

  get #hasRespondents(): boolean {
    return this.#options.respondents.length > 0;
  }

  /** `isIdle`: nothing is in flight. `nowMs`: monotonic. Undefined where nothing can be requested now. */
  next(isIdle: boolean, nowMs: number): ListTask | undefined {
    const newest = take(this.#newestSlices);
    if (newest) return newest;
    if (this.#hasRespondents && this.#openBounds.size > 0) return undefined;
    return (
      this.#nextRespondent(nowMs) ??
      take(this.#slices) ??
      (this.#options.inOrder ? undefined : this.#split()) ??
      (isIdle ? this.#takeLater(Number.POSITIVE_INFINITY) : undefined)
    );
  }

  /** The task's page or error was taken in; it gets another turn if it goes on. */
  returned(task: ListTask, nowMs: number): void {
    if ("survey" in task) this.#sliceReturned(task as SurveySliceTask);
    else if (task.path === undefined) return;
    else if (task.comesLater) this.#later.push({ task, atMs: nowMs + LATER_MS });
    else this.#continuing.push(task);
  }

  #sliceReturned(slice: SurveySliceTask): void {
    const { survey } = slice;
    if (this.#hasRespondents && survey.isBoundOpen && slice.walk.pages >= PAGES_WITHOUT_BOUND)
      survey.giveUpBound();
    if (!survey.isBoundOpen) this.#openBounds.delete(survey);
    // The page did not fix the bound, or was rejected and is asked for another way: before everything else.
    if (slice.path !== undefined && survey.isBoundOpen) this.#newestSlices.push(slice);
    else if (slice.path !== undefined) this.#slices.push(slice);
    else if (survey.slices.length === 0) this.#surveys.delete(survey);
  }

  #nextRespondent(nowMs: number): ListTask | undefined {
    const continuing = take(this.#continuing);
    if (continuing) return continuing;
    for (;;) {
      const longest = this.#options.respondents.reduce<RespondentSource | undefined>(
        (most, source) => (source.length > (most?.length ?? 0) ? source : most),
        undefined,
      );
      if (longest === undefined) break;
      const task = longest.next();
      if (task) return task;
    }
    return this.#takeLater(nowMs);
  }

  /** The first task that is due at `nowMs` and still has something to request. */
  #takeLater(nowMs: number): ListTask | undefined {
    const first = this.#later.findIndex(({ task }) => task.path !== undefined);
    this.#later = first === -1 ? [] : this.#later.slice(first);
    const [due] = this.#later;
    return due && due.atMs <= nowMs ? this.#later.shift()?.task : undefined;
  }

  #split(): SurveySliceTask | undefined {
    const slices = [...this.#surveys].flatMap((survey) => survey.slices);
    const cut = chooseCut(slices, this.#options.itemsPerPage, ({ survey }) => survey.grain);
    return cut?.slice.survey.split(cut);
  }
}

/**
 * The first task that still has something to request: another slice's page may have ended a slice, and a stream that
 * was given up ends its respondents' lists.
 */
function take<Task extends ListTask>(tasks: Task[]): Task | undefined {
  for (;;) {
    const task = tasks.shift();
    if (task === undefined || task.path !== undefined) return task;
  }
}
