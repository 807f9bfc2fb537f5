import type { ListTask } from "./list-task.ts";
import { chooseCut } from "./split.ts";
import type { SurveyList } from "./survey-list.ts";
import type { SurveySliceTask } from "./survey-slice-task.ts";

/**
 * The slices of all surveys, in the order of their turns: each survey's newest page first, then all slices in turn, so
 * that each survey's state moves on.
 */
export class SurveyTurns {
  readonly #itemsPerPage: number;
  readonly #surveys = new Set<SurveyList<SurveySliceTask>>();
  readonly #newestSlices: SurveySliceTask[] = [];
  readonly #slices: SurveySliceTask[] = [];

  constructor(itemsPerPage: number) {
    this.#itemsPerPage = itemsPerPage;
  }

  add(survey: SurveyList<SurveySliceTask>): void {
    const [newest, ...others] = survey.slices;
    if (newest === undefined) return;
    this.#surveys.add(survey);
    this.#newestSlices.push(newest);
    this.#slices.push(...others);
  }

  /** Surveys of which something is left to request or under way. */
  get left(): number {
    return this.#surveys.size;
  }

  nextNewest(): ListTask | undefined {
    return takeOpen(this.#newestSlices);
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
    if (slice.path === undefined) {
      if (survey.slices.length === 0) this.#surveys.delete(survey);
    } else if (slice.walk.pages === 0) this.#newestSlices.push(slice);
    else this.#slices.push(slice);
  }
}

/** The first task that still has something to request: another slice's page may have ended a slice. */
export function takeOpen<Task extends ListTask>(tasks: Task[]): Task | undefined {
  for (;;) {
    const task = tasks.shift();
    if (task === undefined || task.path !== undefined) return task;
  }
}
