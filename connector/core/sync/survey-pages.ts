import { wasAskedToWait } from "../client/retry-policy.ts";
import { type Gap, unionOfGaps } from "../coverage/coverage.ts";
import { isFarAbove } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { type ItemPage, isReadable, type ListedSurvey, parseItemPage } from "../lists/item.ts";
import { given, say } from "../text/message.ts";
import { areCounted, costOfAsking } from "./counts.ts";
import type { Readers, ReadingTools } from "./readers.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import { SurveyFailures } from "./survey-failures.ts";
import { type Slice, SurveyList, type SurveyPage } from "./survey-list.ts";
import { Surveys } from "./surveys.ts";
import type { SyncProgress } from "./sync-options.ts";

export interface SurveyPagesOptions extends ReadingTools {
  readonly surveyIds: readonly string[];
  readonly readers: Readers;
  /** All of the sync. */
  readonly streams: readonly StreamInSync[];
  /** It is known about how many responses there are. */
  readonly onCounted: (responses: number) => void;
}

/** Reads the responses of the surveys: the workers of a sync, and what becomes of each page. */
export class SurveyPages {
  readonly #options: SurveyPagesOptions;
  /** Those for which the responses of surveys are read. */
  readonly #streams: readonly StreamInSync[];
  readonly #surveys: Surveys;
  readonly #failures: SurveyFailures;
  /** Whether all surveys are read for the first time, and their list says how many responses each has. */
  #isCounted = false;

  constructor(options: SurveyPagesOptions) {
    const { surveyIds, readers, settings, client } = options;
    this.#options = options;
    this.#streams = [...readers.pages, ...readers.respondents].map(({ stream }) => stream);
    const gapsOf = (id: string): Gap[] =>
      this.#streams.flatMap(({ coverage }) => coverage.surveys.of(id).gaps);
    const open = (id: string): SurveyList => {
      const gaps = gapsOf(id);
      const edges = new Set(gaps.flatMap(({ newer }) => newer ?? []));
      return new SurveyList({ id, gaps: unionOfGaps(gaps), edges, settings });
    };
    const wanted = surveyIds.filter((id) => gapsOf(id).length > 0);
    const slots = client.rateLimiter.maxConcurrentRequests;
    this.#surveys = new Surveys(wanted, open, { ...settings, listed: this.#listed, slots });
    this.#failures = new SurveyFailures(options, this.#streams, wanted.length < surveyIds.length);
  }

  /** Of a survey that was read before, the list does not say how much is new. */
  #listed = (id: string): ListedSurvey | undefined => {
    const { settings, directory } = this.#options;
    return settings.knownSurveys.read.has(id) ? undefined : directory.known(id);
  };

  /** Those that the sync reads. */
  get surveyIds(): readonly string[] {
    return this.#options.surveyIds;
  }

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

  /** Whether it was reported that a survey is missing or failed. */
  hasReported(surveyId: string): boolean {
    return this.#failures.hasReported(surveyId);
  }

  /** Reports surveys that are missing, or that cannot be read. */
  finish(): void {
    this.#failures.finish(this.#options.streams);
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
    const { id } = slice.survey;
    const reply = slice.kept
      ? { page: slice.kept }
      : await requests.get(slice.walk.path, (body, ...page) =>
          parseItemPage(body, slice.walk.newestAllowed, ...page),
        );
    if ("error" in reply) {
      await this.#pageFailed(slice, reply.error);
      return undefined;
    }
    // Before the page is accepted, since pages have to be delivered in the order in which they are.
    const survey = this.#lacksName(id, reply.page) ? await directory.find(id) : directory.known(id);
    const accepted = this.#accept(slice, reply.page);
    if (accepted === undefined) return undefined;
    const page = { ...accepted, survey };
    await Promise.all(readers.pages.map((reader) => reader.take(page)));
    return page;
  }

  /** @returns undefined for a page that waits for those below, or that nobody wants any more */
  #accept(slice: Slice, received: ItemPage): SurveyPage | undefined {
    const { client, warnings } = this.#options;
    const { survey } = slice;
    this.#failures.isAnyRead = true;
    const page = survey.accept(slice, received);
    if (page === undefined) return undefined;
    if (page.endsAboveOthers) warnings.endsAboveOthers(survey.id);
    const newest = received.items.find(isReadable);
    const present = client.present();
    if (newest && isFarAbove(newest.timestamp, present))
      warnings.fromFuture(survey.id, newest.timestamp, present);
    if (page.problem) this.#failures.report(page.problem, survey.id);
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

  /** The page of a link is requested once more without the link. */
  async #pageFailed(slice: Slice, error: SurveyExportError): Promise<void> {
    const { survey, walk } = slice;
    // Something newer was given up meanwhile.
    if (walk.path === undefined) return;
    const isReplaced = error.scope === "list" && !wasAskedToWait(error) && walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) walk.stop();
      this.#failures.report(error, survey.id);
    } else if (isReplaced) {
      const message = say`The next page of survey ${given(survey.id)} is requested without its link. ${error.facts}`;
      this.#options.client.host.log("info", message);
    } else await this.#failures.giveUp(slice, error);
  }
}
