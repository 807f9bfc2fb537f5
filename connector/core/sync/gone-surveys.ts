import type { SurveyExportError } from "../errors.ts";
import type { SyncEvent } from "./list-task.ts";
import type { StreamProgress } from "./stream-progress.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Surveys that an earlier sync has read and that are not found now. They are a warning if another survey is found, and
 * an error otherwise: then the address or the key may be wrong.
 */
export class GoneSurveys {
  isAnyFound = false;
  readonly #known: ReadonlySet<string>;
  readonly #gone = new Map<string, SurveyExportError>();

  /** `known`: those that an earlier sync has read. */
  constructor(known: ReadonlySet<string> = new Set()) {
    this.#known = known;
  }

  /** @returns false for a survey that no earlier sync has read: its id may be wrong */
  add(surveyId: string, error: SurveyExportError): boolean {
    if (!this.#known.has(surveyId)) return false;
    this.#gone.set(surveyId, error);
    return true;
  }

  /** Nothing more is requested: the errors, if no survey was found. */
  end(streams: readonly StreamProgress[], warnings: Warnings): SyncEvent[] {
    if (!this.isAnyFound)
      return [...this.#gone].flatMap(([id, error]) => streams.flatMap((stream) => stream.failed(error, id)));
    if (this.#gone.size > 0) warnings.surveysNotFound([...this.#gone.keys()]);
    return [];
  }
}
