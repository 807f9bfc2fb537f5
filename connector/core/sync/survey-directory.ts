import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { ListedSurvey } from "../lists/item.ts";
import { surveysOmitted } from "../lists/list-errors.ts";
import { ListedSurveys } from "../lists/listed-surveys.ts";
import { parsePage } from "../lists/page.ts";
import type { Clock } from "../ports.ts";
import { ATTEMPTS_OF_A_PART, type Requests } from "./requests.ts";
import type { Warnings } from "./warnings.ts";

/** How long the pages of a sync wait for names, all in all. They come without then. */
const WAIT_FOR_NAMES_MS = 30_000;

export interface DirectoryOptions {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly warnings: Warnings;
  /** The list is read until these were found, or whole if there are none. */
  readonly surveyIds: readonly string[];
  /** What earlier reads of the caller have found; then what this one has found, too. */
  readonly listed: Map<string, ListedSurvey>;
}

/** The service's list of surveys in a sync: read once, when somebody first needs it (S14). */
export class SurveyDirectory {
  /** Why it was not read to its end, or as far as it was needed. */
  error: SurveyExportError | undefined;
  /** The service's present at the first page. */
  readAt: Timestamp | undefined;
  readonly #list = new ListedSurveys();
  readonly #options: DirectoryOptions;
  #reading: Promise<void> | undefined;
  #isRead = false;
  #patience: Promise<void> | undefined;

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** The name of a survey, if it is known without a request. */
  known(id: string): ListedSurvey | undefined {
    return this.found.get(id) ?? this.#options.listed.get(id);
  }

  /** The surveys so far, by id, in the order of the list. */
  get found(): ReadonlyMap<string, ListedSurvey> {
    return this.#list.found;
  }

  /** Whether the service has no such list. */
  get isMissing(): boolean {
    return this.error?.code === "not_found" && this.#list.pages === 0;
  }

  /** Reads it, unless it was read. */
  read(): Promise<void> {
    this.#reading ??= this.#readOnce();
    return this.#reading;
  }

  /** A survey as the list has it. Undefined, with a warning, if that cannot be found out in time. */
  async find(id: string): Promise<ListedSurvey | undefined> {
    if (!this.#isRead && this.known(id) === undefined) {
      const { clock, requests } = this.#options;
      this.#patience ??= clock.sleep(WAIT_FOR_NAMES_MS, requests.signal);
      await Promise.race([this.read(), this.#patience]);
    }
    const survey = this.known(id);
    if (survey === undefined && (this.error || !this.#isRead))
      this.#options.warnings.namesMissing(this.error);
    return survey;
  }

  async #readOnce(): Promise<void> {
    const list = this.#list;
    const { requests, warnings, surveyIds, listed } = this.#options;
    const attempts = surveyIds.length > 0 ? ATTEMPTS_OF_A_PART : undefined;
    for (let { path } = list; path !== undefined && !this.#hasAllNamed; { path } = list) {
      const answer = await requests.get(path, parsePage, attempts);
      if ("error" in answer) {
        this.error = answer.error;
        break;
      }
      this.readAt ??= answer.present;
      const warning = list.accept(answer.page);
      if (warning) warnings.count("empty_page", warning);
    }
    if (!this.#hasAllNamed) this.error ??= list.problem;
    if (list.unreadable > 0) warnings.warn("surveys_omitted", surveysOmitted(list.unreadable));
    for (const [id, survey] of list.found) listed.set(id, survey);
    this.#isRead = true;
  }

  get #hasAllNamed(): boolean {
    const { surveyIds } = this.#options;
    return surveyIds.length > 0 && surveyIds.every((id) => this.found.has(id));
  }
}
