import type { ListTask } from "./list-task.ts";
import { chooseCut } from "./split.ts";
import type { SurveyList } from "./survey-list.ts";
import type { SurveySliceTask } from "./survey-slice-task.ts";

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

/** The first task that still has something to request: another slice's page may have ended a slice. */
export function takeOpen<Task extends ListTask>(tasks: Task[]): Task | undefined {
  for (;;) {
    const task = tasks.shift();
    if (task === undefined || task.path !== undefined) return task;
  }
}
