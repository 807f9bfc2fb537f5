import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { ListedSurvey } from "../lists/item.ts";
import { ListedSurveys } from "../lists/listed-surveys.ts";
import { parsePage } from "../lists/page.ts";
import type { Clock } from "../ports.ts";
import { ATTEMPTS_OF_A_PART, type Requests } from "./requests.ts";
import type { SyncOptions } from "./sync-options.ts";
import type { Warnings } from "./warnings.ts";

/** How long the pages of a sync wait for names, all in all. They come without then. */
const WAIT_FOR_NAMES_MS = 30_000;

/** The service's list of surveys in a sync: read once, when somebody first needs it (S14). */
export class SurveyDirectory {
  /** Why it was not read to its end, or as far as it was needed. */
  error: SurveyExportError | undefined;
  /** The service's present at the first page. */
  readAt: Timestamp | undefined;
  readonly #list = new ListedSurveys();
  readonly #requests: Requests;
  readonly #clock: Clock;
  readonly #warnings: Warnings;
  readonly #named: readonly string[];
  /** What earlier reads of the caller have found; then what this one has found, too. */
  readonly #listed: Map<string, ListedSurvey>;
  #reading: Promise<void> | undefined;
  #isRead = false;
  #patience: Promise<void> | undefined;

  /** It is read until all surveys that the settings name were found, or whole if they name none. */
  constructor(
    requests: Requests,
    clock: Clock,
    warnings: Warnings,
    { surveyIds, listed = new Map() }: Pick<SyncOptions, "surveyIds" | "listed">,
  ) {
    this.#requests = requests;
    this.#clock = clock;
    this.#warnings = warnings;
    this.#named = surveyIds;
    this.#listed = listed;
  }

  /** The name of a survey, if it is known without a request. */
  known(id: string): ListedSurvey | undefined {
    return this.found.get(id) ?? this.#listed.get(id);
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
      this.#patience ??= this.#clock.sleep(WAIT_FOR_NAMES_MS, this.#requests.signal);
      await Promise.race([this.read(), this.#patience]);
    }
    const survey = this.known(id);
    if (survey === undefined && (this.error || !this.#isRead)) this.#warnings.namesMissing(this.error);
    return survey;
  }

  async #readOnce(): Promise<void> {
    const list = this.#list;
    const attempts = this.#named.length > 0 ? ATTEMPTS_OF_A_PART : undefined;
    for (let { path } = list; path !== undefined && !this.#hasAllNamed; { path } = list) {
      const answer = await this.#requests.get(path, parsePage, attempts);
      if ("error" in answer) {
        this.error = answer.error;
        break;
      }
      this.readAt ??= answer.present;
      const warning = list.accept(answer.page);
      if (warning) this.#warnings.emptyPage(warning);
    }
    if (!this.#hasAllNamed) this.error ??= list.problem;
    if (list.unreadable > 0) this.#warnings.surveysLeftOut(list.unreadable);
    for (const [id, survey] of list.found) this.#listed.set(id, survey);
    this.#isRead = true;
  }

  get #hasAllNamed(): boolean {
    return this.#named.length > 0 && this.#named.every((id) => this.found.has(id));
  }
}
