import { latest, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { newestResponsePath } from "../lists/endpoints.ts";
import { parsePage } from "../lists/page.ts";
import { given, NOTHING_TO_SAY, say, time } from "../text/message.ts";
import type { ReadingTools } from "./readers.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import type { Slice, SurveyList } from "./survey-list.ts";
import { isNamed, type Settings } from "./sync-options.ts";

/** What becomes of the surveys that fail in a sync: each is reported once, as a failure or as a warning (I15). */
export class SurveyFailures {
  /** Whether a survey was found in this sync, or needs no request since earlier syncs have read it. */
  isAnyRead: boolean;
  readonly #tools: ReadingTools;
  /** Those for which the responses of surveys are read. */
  readonly #streams: readonly StreamInSync[];
  /** Surveys that are listed, or that an earlier sync has read, and that are not found now. */
  readonly #missing = new Map<string, SurveyExportError>();
  /** Surveys that nobody named, that no sync has read, and that fail by themselves. */
  readonly #unreadable = new Map<string, SurveyExportError>();
  /** Surveys of which a part is not found: the newest place of that, reported at the end. */
  readonly #partlyMissing = new Map<
    string,
    { readonly position: Timestamp | undefined; readonly error: SurveyExportError }
  >();
  /** All others that have failed. */
  readonly #failed = new Set<string>();

  constructor(tools: ReadingTools, streams: readonly StreamInSync[], isAnyRead: boolean) {
    this.#tools = tools;
    this.#streams = streams;
    this.isAnyRead = isAnyRead;
  }

  /** Whether it was reported that a survey is missing or failed. */
  hasReported = (surveyId: string): boolean =>
    this.#missing.has(surveyId) ||
    this.#unreadable.has(surveyId) ||
    this.#streams.some(({ failures }) => failures.surveys.has(surveyId));

  /** A slice cannot be read on. What the survey did not cover from here down is read by the next sync. */
  async giveUp(slice: Slice, error: SurveyExportError): Promise<void> {
    const { failures, settings } = this.#tools;
    const { survey, walk } = slice;
    const { id } = survey;
    const isMissing = error.code === "not_found" && !(await this.#isThere(slice));
    survey.giveUp(slice);
    if (isMissing && (!isNamed(settings, id) || settings.knownSurveys.read.has(id)))
      this.#missing.set(id, notFound(id, error, settings));
    else if (isMissing) failures.failedIn(this.#streams, notFound(id, error, settings), id);
    else if (this.#isNew(survey)) {
      this.#unreadable.set(id, error);
      failures.failed(error, (own) => this.#unreadable.set(id, own));
    } else if (error.code === "not_found") {
      this.#partlyMissing.set(id, {
        position: latest(this.#partlyMissing.get(id)?.position, walk.position),
        error,
      });
    } else if (!this.#failed.has(id)) {
      this.#failed.add(id);
      failures.failedIn(this.#streams, error, id);
    }
  }

  /** Something of a survey could not be read, while the rest is. */
  report(error: SurveyExportError, surveyId: string): void {
    for (const { failures } of this.#streams) failures.add(error, surveyId);
  }

  /**
   * Reports surveys that are missing, or that cannot be read: a warning, as far as anything shows that others can. `all`:
   * the streams of the sync.
   */
  finish(all: readonly StreamInSync[]): void {
    const { directory, settings, warnings, failures } = this.#tools;
    const isUnlisted = (id: string): boolean =>
      !isNamed(settings, id) && !directory.problem && !directory.found.has(id);
    const gone = [...this.#missing.keys()].filter((id) => this.isAnyRead || isUnlisted(id));
    if (gone.length > 0) warnings.surveysNotFound(gone, settings.surveyIds.length > 0);
    for (const id of gone.filter(isUnlisted)) for (const { coverage } of all) coverage.surveys.forget(id);
    for (const [id, error] of this.#missing) if (!gone.includes(id)) this.report(error, id);
    for (const [id, { position, error }] of this.#partlyMissing)
      this.report(notFoundBelow(id, position, error), id);

    if (this.#unreadable.size === 0) return;
    if (failures.error) for (const stream of this.#streams) stream.failures.isIncomplete = true;
    else if (this.isAnyRead) warnings.surveysFailed(this.#unreadable);
    else for (const [id, error] of this.#unreadable) this.report(error, id);
  }

  /** Whether nobody named the survey, and no sync has read any of it: only then others do not need to know. */
  #isNew({ id, pages }: SurveyList): boolean {
    const { settings } = this.#tools;
    return pages === 0 && !isNamed(settings, id) && !settings.knownSurveys.read.has(id);
  }

  /** Whether the list of a survey answers, though a part of it is not found. A first page from its newer end has shown it. */
  async #isThere({ survey: { id, pages }, walk: { newer } }: Slice): Promise<boolean> {
    if (pages > 0 || newer === undefined) return pages > 0;
    const reply = await this.#tools.requests.get(newestResponsePath(id), parsePage);
    return !("error" in reply && reply.error.code === "not_found");
  }
}

/** A survey that is named, listed or was read before is not there. */
function notFound(id: string, error: SurveyExportError, settings: Settings): SurveyExportError {
  const { isEverySurvey, surveyIds } = settings;
  const hasOthers = isEverySurvey || surveyIds.length > 1;
  const others = hasOthers ? say` This does not affect the other surveys.` : NOTHING_TO_SAY;
  const advice = isNamed(settings, id)
    ? say`Remove it from survey_ids or correct the id.${others}`
    : say`Earlier syncs have read it, or the service lists it. Check base_url and the API key; if they are right, ask the service.`;
  const status = error.status ?? 404;
  return error.restated("config", say`Survey ${given(id)} was not found (status ${status}).`, advice);
}

/** A survey is there, and its responses below `position` are not. */
function notFoundBelow(id: string, position: Timestamp | undefined, error: SurveyExportError) {
  const place = position === undefined ? say`at its newer end` : say`below ${time(position)}`;
  const facts = say`Survey ${given(id)} was found, and its responses ${place} were not (status ${error.status ?? 404}).`;
  const advice = say`Everything newer was delivered; the next sync tries again from there. If the service keeps no older responses, set start_date to a later time; else ask the service.`;
  return error.restated("transient", facts, advice);
}
