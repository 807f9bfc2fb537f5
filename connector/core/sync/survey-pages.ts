import { wasToldToWait } from "../client/retry-policy.ts";
import { type Gap, unionOfGaps } from "../coverage/coverage.ts";
import { isFarAbove } from "../coverage/timestamp.ts";
import { certain, type SurveyExportError } from "../errors.ts";
import { type ItemPage, isReadable, parseItemPage } from "../lists/item.ts";
import { counted, given, NOTHING_TO_SAY, say } from "../text/message.ts";
import type { Readers, ReadingTools } from "./readers.ts";
import { listFailed, type StreamInSync } from "./stream-in-sync.ts";
import { type Slice, SurveyList, type SurveyPage } from "./survey-list.ts";
import { Surveys } from "./surveys.ts";
import { isEverySurvey, type Settings } from "./sync-options.ts";
import type { Warnings } from "./warnings.ts";

export interface SurveyPagesOptions extends ReadingTools {
  readonly surveyIds: readonly string[];
  readonly readers: Readers;
  /** All of the sync. */
  readonly streams: readonly StreamInSync[];
  readonly warnings: Warnings;
}

/** Reads the responses of the surveys: the workers of a sync, and what becomes of each page. */
export class SurveyPages {
  readonly #options: SurveyPagesOptions;
  /** Those for which the responses of surveys are read. */
  readonly #streams: readonly StreamInSync[];
  readonly #surveys: Surveys;
  /** Surveys that are listed, or that an earlier sync has read, and that are not found now. */
  readonly #missing = new Map<string, SurveyExportError>();
  #isAnyFound = false;

  constructor(options: SurveyPagesOptions) {
    const { surveyIds, readers, settings } = options;
    this.#options = options;
    this.#streams = [...readers.pages, ...readers.respondents].map(({ stream }) => stream);
    const gapsOf = (id: string): Gap[] => this.#streams.flatMap(({ surveys }) => surveys.of(id).gaps);
    const open = (id: string): SurveyList => {
      const gaps = gapsOf(id);
      const edges = new Set(gaps.flatMap(({ newer }) => newer ?? []));
      return new SurveyList({ id, gaps: unionOfGaps(gaps), edges, settings });
    };
    const wanted = surveyIds.filter((id) => gapsOf(id).length > 0);
    this.#surveys = new Surveys(wanted, open, settings);
  }

  /** How many surveys are not read to their end. */
  get remaining(): number {
    return this.#surveys.remaining;
  }

  /** See `SyncProgress`. */
  get unread(): Gap | undefined {
    return this.#surveys.unread;
  }

  /** Reads all pages, and everything that they lead to. */
  async read(): Promise<void> {
    const { maxConcurrentRequests: length } = this.#options.client.rateLimiter;
    await Promise.all(Array.from({ length }, () => this.#work()));
  }

  /** Whether the streams have told that a survey is missing or failed. */
  hasTold = (surveyId: string): boolean =>
    this.#missing.has(surveyId) || this.#streams.some(({ failedSurveys }) => failedSurveys.has(surveyId));

  /** Tells of missing surveys: a warning, or errors if none was found. Forgets those not listed when the sync began. */
  finish(): void {
    if (this.#missing.size === 0) return;
    if (!this.#isAnyFound) {
      for (const [id, error] of this.#missing) this.#tell(error, id);
      return;
    }
    const { directory, settings, streams, warnings } = this.#options;
    const ids = [...this.#missing.keys()];
    warnings.surveysNotFound(ids, !isEverySurvey(settings));
    if (!isEverySurvey(settings) || directory.error) return;
    for (const id of ids) if (!directory.found.has(id)) for (const stream of streams) stream.forget(id);
  }

  /** One worker: a page of a slice, everything that the page leads to, and the next page. */
  async #work(): Promise<void> {
    while (this.#surveys.remaining > 0) {
      const turn = await this.#options.requests.inSlot("page", () =>
        this.#surveys.turn((slice) => this.#readPage(slice)),
      );
      await turn.end;
    }
  }

  /**
   * Reads a page, and waits until the caller has taken its responses.
   * @returns what goes on without the slot: each respondent that the page shows is asked for, and waits for a slot already
   */
  async #readPage(slice: Slice): Promise<{ readonly rest?: Promise<unknown> }> {
    const { requests, directory, readers } = this.#options;
    const answer = await requests.get(certain(slice.walk.path, "the path"), (body, ...page) =>
      parseItemPage(body, slice.walk.newestAllowed, ...page),
    );
    if ("error" in answer) return this.#failed(slice, answer.error);
    const { id } = slice.survey;
    // Before the page is accepted, since pages have to be delivered in the order in which they are.
    const survey = this.#lacksName(id, answer.page) ? await directory.find(id) : directory.known(id);
    const accepted = this.#accept(slice, answer.page);
    if (accepted === undefined) return {};
    const page = { ...accepted, survey };
    const rest = Promise.all(readers.respondents.map((reader) => reader.take(page)));
    // It is awaited later.
    rest.catch(() => {});
    await Promise.all(readers.pages.map((reader) => reader.take(page)));
    return readers.respondents.length > 0 ? { rest } : {};
  }

  /** @returns undefined for a page that is requested again later, or that nobody wants any more */
  #accept(slice: Slice, answer: ItemPage): SurveyPage | undefined {
    const { client, warnings } = this.#options;
    const { survey } = slice;
    this.#isAnyFound = true;
    const page = survey.accept(slice, answer);
    if (page === undefined) return undefined;
    if (page.warning) warnings.count("empty_page", page.warning);
    if (page.endsAboveOthers) warnings.endsAboveOthers(survey.id);
    const newest = answer.items.find(isReadable);
    const present = client.present();
    if (newest && isFarAbove(newest.timestamp, present))
      warnings.fromFuture(survey.id, newest.timestamp, present);
    if (page.problem) this.#tell(page.problem, survey.id);
    return page;
  }

  /** Whether a response of a page will be delivered without the name of its survey, as far as that is known. */
  #lacksName(surveyId: string, page: ItemPage): boolean {
    if (this.#options.directory.known(surveyId)) return false;
    const items = page.items.filter(isReadable).filter(({ survey }) => typeof survey?.name !== "string");
    return this.#streams.some(
      (stream) =>
        "survey_name" in stream.definition.columns && stream.wantedOf({ surveyId, items }).length > 0,
    );
  }

  /**
   * The page of a link is requested once more without the link. If that does not help, or if there was none, the survey
   * ends here: what it did not cover is read by the next sync.
   */
  #failed({ survey, walk }: Slice, error: SurveyExportError): Record<never, never> {
    const { requests, settings, warnings } = this.#options;
    if (survey.failure) return {};
    const isReplaced = error.scope === "list" && !wasToldToWait(error) && walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) walk.stop();
      this.#tell(error, survey.id);
    } else if (isReplaced) {
      warnings.linkReplaced(survey.id, error);
    } else {
      survey.failure = error;
      const isMissing = error.code === "not_found";
      const named = isMissing ? notFound(survey, error, settings) : error;
      const isExpected = isEverySurvey(settings) || settings.knownSurveys?.has(survey.id);
      if (isMissing && isExpected) this.#missing.set(survey.id, named);
      else listFailed(requests, this.#streams, named, survey.id);
    }
    return {};
  }

  #tell(error: SurveyExportError, surveyId: string): void {
    for (const stream of this.#streams) stream.failed(error, surveyId);
  }
}

function notFound({ id, pages }: SurveyList, error: SurveyExportError, { surveyIds }: Settings) {
  const status = error.status ?? 404;
  if (pages > 0) {
    const facts = say`Survey ${given(id)} was not found any more after ${counted(pages, say`page`, say`pages`)} (status ${status}).`;
    const advice = say`The responses read so far were delivered; the next sync resumes there. If it continues, ask the service.`;
    return error.restated("transient", facts, advice);
  }
  const others = surveyIds.length > 1 ? say` This does not affect the other surveys.` : NOTHING_TO_SAY;
  const advice =
    surveyIds.length > 0
      ? say`Remove it from survey_ids or correct the id.${others}`
      : say`Earlier syncs have read it, or the service lists it. Check base_url and the API key; if they are right, ask the service.`;
  return error.restated("config", say`Survey ${given(id)} was not found (status ${status}).`, advice);
}
