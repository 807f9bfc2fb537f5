import { wasToldToWait } from "../client/retry-policy.ts";
import { type Gap, unionOfGaps } from "../coverage/coverage.ts";
import { isFarAbove, latest, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { newestResponsePath } from "../lists/endpoints.ts";
import { type ItemPage, isReadable, type ListedSurvey, parseItemPage } from "../lists/item.ts";
import { parsePage } from "../lists/page.ts";
import { given, say } from "../text/message.ts";
import { areCounted, costOfAsking } from "./counts.ts";
import type { Readers, ReadingTools } from "./readers.ts";
import { listFailed, type StreamInSync } from "./stream-in-sync.ts";
import { notFound, notFoundBelow } from "./survey-errors.ts";
import { type Slice, SurveyList, type SurveyPage } from "./survey-list.ts";
import { Surveys } from "./surveys.ts";
import { isNamed, type SyncProgress } from "./sync-options.ts";
import type { Warnings } from "./warnings.ts";

export interface SurveyPagesOptions extends ReadingTools {
  readonly surveyIds: readonly string[];
  readonly readers: Readers;
  /** All of the sync. */
  readonly streams: readonly StreamInSync[];
  readonly warnings: Warnings;
  /** It is known about how many responses there are. */
  readonly onCounted: (responses: number) => void;
}

/** Reads the responses of the surveys: the workers of a sync, and what becomes of each page. */
export class SurveyPages {
  readonly #options: SurveyPagesOptions;
  /** Those for which the responses of surveys are read. */
  readonly #streams: readonly StreamInSync[];
  readonly #surveys: Surveys;
  /** Surveys that are listed, or that an earlier sync has read, and that are not found now. */
  readonly #missing = new Map<string, SurveyExportError>();
  /** Surveys that nobody named, that no sync has read, and that fail by themselves. */
  readonly #unreadable = new Map<string, SurveyExportError>();
  /** Surveys of which a part is not found: the newest place of that, told at the end. */
  readonly #cut = new Map<
    string,
    { readonly position: Timestamp | undefined; readonly error: SurveyExportError }
  >();
  /** All others that have failed. */
  readonly #failed = new Set<string>();
  /** Whether all surveys are read for the first time, and their list says how many responses each has. */
  #isCounted = false;
  /** Whether a survey was found in this sync, or needs no request since earlier syncs have read it. */
  #isAnyRead: boolean;

  constructor(options: SurveyPagesOptions) {
    const { surveyIds, readers, settings, client } = options;
    this.#options = options;
    this.#streams = [...readers.pages, ...readers.respondents].map(({ stream }) => stream);
    const gapsOf = (id: string): Gap[] => this.#streams.flatMap(({ surveys }) => surveys.of(id).gaps);
    const open = (id: string): SurveyList => {
      const gaps = gapsOf(id);
      const edges = new Set(gaps.flatMap(({ newer }) => newer ?? []));
      return new SurveyList({ id, gaps: unionOfGaps(gaps), edges, settings });
    };
    const wanted = surveyIds.filter((id) => gapsOf(id).length > 0);
    const slots = client.rateLimiter.maxConcurrentRequests;
    this.#surveys = new Surveys(wanted, open, { ...settings, listed: this.#listed, slots });
    this.#isAnyRead = wanted.length < surveyIds.length;
  }

  /** Of a survey that was read before, the list does not say how much is new. */
  #listed = (id: string): ListedSurvey | undefined => {
    const { settings, directory } = this.#options;
    return settings.knownSurveys.read.has(id) ? undefined : directory.known(id);
  };

  /** How many surveys are not read to their end. */
  get remaining(): number {
    return this.#surveys.remaining;
  }

  /** See `SyncProgress`. */
  get responses(): SyncProgress["responses"] {
    const { seen, toCome } = this.#surveys;
    return this.#isCounted ? { read: seen, about: seen + toCome } : undefined;
  }

  /** Reads all pages, and everything that they lead to. */
  async read(): Promise<void> {
    const { maxConcurrentRequests: length } = this.#options.client.rateLimiter;
    this.#plan().catch(() => {});
    await Promise.all(Array.from({ length }, () => this.#work()));
  }

  /** The list of surveys plans the reading: beside the first pages, if one of them is of a survey that no state knows. */
  async #plan(): Promise<void> {
    const { surveyIds, settings, directory, readers, client, onCounted } = this.#options;
    const { isEverySurvey, inOrder, knownSurveys } = settings;
    if (this.#surveys.remaining === 0) return;
    const areAllKnown = surveyIds.every((id) => knownSurveys.listed.has(id));
    if (!isEverySurvey && !inOrder && !areAllKnown) await directory.readInTime();
    this.#surveys.plan();
    this.#isCounted = areCounted(surveyIds, settings, this.#listed);
    const about = this.#surveys.seen + this.#surveys.toCome;
    if (this.#isCounted) onCounted(about);
    const cost = costOfAsking(readers.respondents, about, client.rateLimiter.requestsPerMinute);
    if (cost) client.host.log("info", cost);
  }

  /** Whether it was told that a survey is missing or failed. */
  hasTold = (surveyId: string): boolean =>
    this.#missing.has(surveyId) ||
    this.#unreadable.has(surveyId) ||
    this.#streams.some(({ failedSurveys }) => failedSurveys.has(surveyId));

  /** Tells of surveys that are missing, or that cannot be read: a warning, as far as anything shows that others can. */
  finish(): void {
    const { directory, settings, streams, warnings, requests } = this.#options;
    const isUnlisted = (id: string): boolean =>
      !isNamed(settings, id) && !directory.problem && !directory.found.has(id);
    const gone = [...this.#missing.keys()].filter((id) => this.#isAnyRead || isUnlisted(id));
    if (gone.length > 0) warnings.surveysNotFound(gone, settings.surveyIds.length > 0);
    for (const id of gone.filter(isUnlisted)) for (const stream of streams) stream.forget(id);
    for (const [id, error] of this.#missing) if (!gone.includes(id)) this.#tell(error, id);
    for (const [id, { position, error }] of this.#cut) this.#tell(notFoundBelow(id, position, error), id);

    if (this.#unreadable.size === 0) return;
    if (requests.error) for (const stream of this.#streams) stream.markIncomplete();
    else if (this.#isAnyRead) warnings.surveysFailed(this.#unreadable);
    else for (const [id, error] of this.#unreadable) this.#tell(error, id);
  }

  /** One worker: a page of a slice, then the respondents that it shows, each in a slot of its own, and the next page. */
  async #work(): Promise<void> {
    const { requests, readers } = this.#options;
    for (;;) {
      const slice = await this.#surveys.take();
      if (slice === undefined) return;
      const page = await requests.inSlot("page", () => this.#readPage(slice));
      this.#surveys.pageRead(slice);
      if (page) await Promise.all(readers.respondents.map((reader) => reader.take(page)));
      this.#surveys.giveBack(slice);
    }
  }

  /** Reads a page, and waits until the caller has taken its responses. @returns undefined if it brings nothing */
  async #readPage(slice: Slice): Promise<SurveyPage | undefined> {
    // Something newer was given up while the worker waited for its slot.
    if (slice.walk.path === undefined) return undefined;
    const { requests, directory, readers } = this.#options;
    const { id, pages } = slice.survey;
    const answer = slice.kept
      ? { page: slice.kept }
      : await requests.get(
          slice.walk.path,
          (body, ...page) => parseItemPage(body, slice.walk.newestAllowed, ...page),
          { hasAnswered: pages > 0 },
        );
    if ("error" in answer) {
      await this.#pageFailed(slice, answer.error);
      return undefined;
    }
    // Before the page is accepted, since pages have to be delivered in the order in which they are.
    const survey = this.#lacksName(id, answer.page) ? await directory.find(id) : directory.known(id);
    const accepted = this.#accept(slice, answer.page);
    if (accepted === undefined) return undefined;
    const page = { ...accepted, survey };
    await Promise.all(readers.pages.map((reader) => reader.take(page)));
    return page;
  }

  /** @returns undefined for a page that is requested again later, or that nobody wants any more */
  #accept(slice: Slice, answer: ItemPage): SurveyPage | undefined {
    const { client, warnings } = this.#options;
    const { survey } = slice;
    this.#isAnyRead = true;
    const page = survey.accept(slice, answer);
    if (page === undefined) return undefined;
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

  /** Whether nobody named the survey, and no sync has read any of it: only then others do not need to know. */
  #isNew({ id, pages }: SurveyList): boolean {
    const { settings } = this.#options;
    return pages === 0 && !isNamed(settings, id) && !settings.knownSurveys.read.has(id);
  }

  /** The page of a link is requested once more without the link. */
  async #pageFailed(slice: Slice, error: SurveyExportError): Promise<void> {
    const { survey, walk } = slice;
    // Something newer was given up meanwhile.
    if (walk.path === undefined) return;
    const isReplaced = error.scope === "list" && !wasToldToWait(error) && walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) walk.stop();
      this.#tell(error, survey.id);
    } else if (isReplaced) {
      const message = say`The next page of survey ${given(survey.id)} is requested without its link. ${error.facts}`;
      this.#options.client.host.log("info", message);
    } else await this.#giveUp(slice, error);
  }

  /** What the survey did not cover from here down is read by the next sync. */
  async #giveUp(slice: Slice, error: SurveyExportError): Promise<void> {
    const { requests, settings } = this.#options;
    const { survey, walk } = slice;
    const { id } = survey;
    const isMissing = error.code === "not_found" && !(await this.#isThere(slice));
    survey.giveUp(slice);
    if (isMissing && (!isNamed(settings, id) || settings.knownSurveys.read.has(id)))
      this.#missing.set(id, notFound(id, error, settings));
    else if (isMissing) listFailed(requests, this.#streams, notFound(id, error, settings), id);
    else if (this.#isNew(survey)) {
      this.#unreadable.set(id, error);
      requests.failed(error, (own) => this.#unreadable.set(id, own));
    } else if (error.code === "not_found") {
      this.#cut.set(id, { position: latest(this.#cut.get(id)?.position, walk.position), error });
    } else if (!this.#failed.has(id)) {
      this.#failed.add(id);
      listFailed(requests, this.#streams, error, id);
    }
  }

  /** Whether the list of a survey answers, though a part of it is not found. A first page from its newer end has shown it. */
  async #isThere({ survey: { id, pages }, walk: { newer } }: Slice): Promise<boolean> {
    if (pages > 0 || newer === undefined) return pages > 0;
    const answer = await this.#options.requests.get(newestResponsePath(id), parsePage);
    return !("error" in answer && answer.error.code === "not_found");
  }

  #tell(error: SurveyExportError, surveyId: string): void {
    for (const stream of this.#streams) stream.failed(error, surveyId);
  }
}
