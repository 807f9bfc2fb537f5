import type { Parse } from "../client/client.ts";
import { wasAskedToWait } from "../client/retry-policy.ts";
import type { Gap } from "../coverage/coverage.ts";
import { isFarAbove, latest } from "../coverage/timestamp.ts";
import { invariant, type SurveyExportError } from "../errors.ts";
import { type ItemPage, isReadable, type ListedSurvey, parseItemPage } from "../lists/item.ts";
import { given, say } from "../text/message.ts";
import { areCounted, costOfAsking } from "./counts.ts";
import type { Readers, ReadingTools } from "./readers.ts";
import { ATTEMPTS_OF_A_TRY } from "./requests.ts";
import type { Slice, SurveyInSync, SurveyPage } from "./slice.ts";
import { isReadToItsEnd, Slices } from "./slices.ts";
import type { StreamInSync } from "./stream-in-sync.ts";
import { isEverySurveyRead } from "./surveys/survey-selection.ts";
import type { SyncProgress } from "./sync-options.ts";

export interface SurveyPagesOptions extends ReadingTools {
  /** Those that the sync reads. */
  readonly surveyIds: readonly string[];
  readonly readers: Readers;
  /** All of the sync. */
  readonly streams: readonly StreamInSync[];
  /** It is known about how many responses there are. */
  readonly onCounted: (responses: number) => void;
}

/** Reads the responses of the surveys: the workers of a sync, and what becomes of each page. */
export class SurveyPages {
  /** The surveys of which a page came. */
  readonly found = new Set<string>();
  readonly #options: SurveyPagesOptions;
  /** Those for which the responses of surveys are read. */
  readonly #streams: readonly StreamInSync[];
  readonly #slices: Slices;
  /** The surveys of which something failed, and did not succeed later. */
  readonly #failed = new Set<SurveyInSync>();
  /** Whether all surveys are read for the first time, and their list says how many responses each has. */
  #isCounted = false;

  constructor(options: SurveyPagesOptions) {
    const { surveyIds, readers, settings, client } = options;
    this.#options = options;
    this.#streams = [...readers.pages, ...readers.respondents].map(({ stream }) => stream);
    const wanted = surveyIds.filter((id) => this.#gapsOf(id).length > 0);
    const slots = client.rateLimiter.maxConcurrentRequests;
    this.#slices = new Slices(wanted, { settings, gapsOf: this.#gapsOf, listed: this.#listed, slots });
  }

  #gapsOf = (id: string): Gap[] => this.#streams.flatMap(({ coverage }) => coverage.of(id).gaps);

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
    return this.#slices.remaining;
  }

  /** See `SyncProgress`. */
  get responses(): SyncProgress["responses"] {
    const { responses, toCome } = this.#slices;
    return this.#isCounted ? { read: responses, about: responses + toCome } : undefined;
  }

  /** Reads all pages, and everything that they lead to. */
  async read(): Promise<void> {
    this.#plan().catch(() => {});
    await this.#workAll();
  }

  /** The second look: surveys that failed are read on, each from where it failed. */
  async readAgain(): Promise<void> {
    const { ledger } = this.#options;
    const failed = [...this.#failed].filter(({ id }) => ledger.mayBeAskedFor("responses", id));
    for (const survey of failed) {
      this.#failed.delete(survey);
      this.#slices.takeUp(survey);
    }
    await this.#workAll();
    for (const survey of failed) if (!this.#failed.has(survey)) this.#succeeded(survey);
  }

  #succeeded(survey: SurveyInSync): void {
    const { ledger } = this.#options;
    invariant(isReadToItsEnd(survey), () => say`survey ${given(survey.id)} was not read to its end`);
    ledger.succeeded("responses", survey.id);
  }

  async #workAll(): Promise<void> {
    const { maxConcurrentRequests: length } = this.#options.client.rateLimiter;
    await Promise.all(Array.from({ length }, () => this.#work()));
  }

  /** The list of surveys plans the reading: next to the first pages, if one of them is of a survey that no state knows. */
  async #plan(): Promise<void> {
    const { surveyIds, settings, directory, readers, client, onCounted } = this.#options;
    const { inOrder, knownSurveys } = settings;
    if (this.#slices.remaining === 0) return;
    const areAllKnown = surveyIds.every((id) => knownSurveys.listed.has(id));
    if (!isEverySurveyRead(settings) && !inOrder && !areAllKnown) await directory.readInTime();
    this.#slices.plan();
    this.#isCounted = areCounted(surveyIds, settings, this.#listed);
    const about = this.#slices.responses + this.#slices.toCome;
    if (this.#isCounted) onCounted(about);
    const cost = costOfAsking(readers.respondents, about, client.rateLimiter.requestsPerMinute);
    if (cost) client.host.log("info", cost);
  }

  /** One worker: a page of a slice, then the respondents that it shows, each in a slot of its own, and the next page. */
  async #work(): Promise<void> {
    const { requests, readers } = this.#options;
    for (;;) {
      const slice = await this.#slices.take();
      if (slice === undefined) return;
      const page = await requests.inSlot("page", () => this.#readPage(slice));
      this.#slices.pageRead(slice);
      if (page) await Promise.all(readers.respondents.map((reader) => reader.take(page)));
      this.#slices.giveBack(slice);
    }
  }

  /** Reads a page, and waits until the caller has taken its responses. @returns undefined if it brings nothing */
  async #readPage(slice: Slice): Promise<SurveyPage | undefined> {
    const { requests, directory, readers } = this.#options;
    const { id, isTriedAgain } = slice.survey;
    if (requests.isSecondLookOver) this.#setAside(slice);
    // Something newer failed while the worker waited for its slot.
    if (slice.walk.path === undefined || slice.isSetAside) return undefined;
    const patience = isTriedAgain ? { attempts: ATTEMPTS_OF_A_TRY } : {};
    const parse: Parse<ItemPage> = (body, ...page) => parseItemPage(body, slice.walk.newestAllowed, ...page);
    const reply = await requests.get(slice.walk.path, parse, patience);
    if ("error" in reply) {
      this.#pageFailed(slice, reply.error);
      return undefined;
    }
    // Before the page is accepted, since pages have to be delivered in the order in which they are.
    const survey = this.#lacksName(id, reply.page) ? await directory.find(id) : directory.known(id);
    const page = { ...this.#accept(slice, reply.page), survey };
    await Promise.all(readers.pages.map((reader) => reader.take(page)));
    return page;
  }

  #accept(slice: Slice, received: ItemPage): SurveyPage {
    const { client, warnings } = this.#options;
    const { survey } = slice;
    this.found.add(survey.id);
    const page = this.#slices.accept(slice, received);
    const newest = received.items.find(isReadable);
    const present = client.present();
    if (newest && isFarAbove(newest.timestamp, present))
      warnings.fromFuture(survey.id, newest.timestamp, present);
    if (page.problem) this.#hasProblem(survey, page.problem);
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
  #pageFailed(slice: Slice, error: SurveyExportError): void {
    const { survey, walk } = slice;
    const isReplaced = error.scope === "list" && !wasAskedToWait(error) && walk.replaceLink();
    if (error.code === "refused_link") {
      if (!isReplaced) walk.stop();
      this.#hasProblem(survey, error);
    } else if (isReplaced) {
      const message = say`The next page of survey ${given(survey.id)} is requested without its link. ${error.facts}`;
      this.#options.client.host.log("info", message);
    } else {
      this.#setAside(slice);
      this.#note(slice, error);
    }
  }

  /** What the survey did not cover from here down is asked for once more at the end of the sync. */
  #setAside(slice: Slice): void {
    this.#slices.setAside(slice);
    this.#failed.add(slice.survey);
  }

  #note({ survey: { id, pages }, walk }: Slice, error: SurveyExportError): void {
    const { ledger } = this.#options;
    const known = ledger.noteOf("responses", id);
    const below = pages > 0 ? latest(walk.position, known?.below) : undefined;
    ledger.note({ part: "responses", surveyId: id, streams: this.#names, error, below });
  }

  /** A page contradicts itself or what was requested. The rest is read. */
  #hasProblem({ id }: SurveyInSync, error: SurveyExportError): void {
    this.#options.ledger.problem({ surveyId: id, streams: this.#names, error });
  }

  get #names(): string[] {
    return this.#streams.map(({ definition }) => definition.name);
  }
}
