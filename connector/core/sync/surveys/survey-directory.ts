import type { Reply } from "../../client/client.ts";
import type { Timestamp } from "../../coverage/timestamp.ts";
import { certain, type SurveyExportError } from "../../errors.ts";
import { surveyPath } from "../../lists/endpoints.ts";
import type { ListedSurvey } from "../../lists/item.ts";
import { surveysHidden, surveysOmitted } from "../../lists/list-errors.ts";
import { parseObject, parsePage } from "../../lists/page.ts";
import type { Clock } from "../../ports.ts";
import { ATTEMPTS_OF_A_PART, ATTEMPTS_OF_A_TRY, type Requests } from "../requests.ts";
import type { Warnings } from "../warnings.ts";
import { type ListedPage, ListOfSurveys, surveyIn } from "./list-surveys.ts";

/** How long the pages of a sync wait for names, all in all. They come without then: a list that hangs must not end the sync. */
const WAIT_FOR_NAMES_MS = 30_000;

export interface DirectoryOptions {
  readonly requests: Requests;
  readonly clock: Clock;
  readonly warnings: Warnings;
  /** The list is read until these were found, or whole if there are none. */
  readonly surveyIds: readonly string[];
  /** What earlier reads of the caller have found; then what this one has found, too. */
  readonly listed: Map<string, ListedSurvey>;
  /** The fields that the stream of surveys reads of one; undefined without that stream. */
  readonly fields: readonly string[] | undefined;
}

/** The service's list of surveys in a sync: read once, when somebody first needs it (S14). */
export class SurveyDirectory {
  /** Why it was not read to its end, or as far as it was needed. */
  error: SurveyExportError | undefined;
  #list = new ListOfSurveys();
  readonly #options: DirectoryOptions;
  #reading: Promise<void> | undefined;
  #patience: Promise<void> | undefined;
  /** The surveys that were asked for by their ids. */
  readonly #asked = new Map<string, Promise<Reply<ListedSurvey>>>();
  /** What was found of them. */
  readonly #records = new Map<string, ListedSurvey>();

  constructor(options: DirectoryOptions) {
    this.#options = options;
  }

  /** The name of a survey, if it is known without a request. */
  known = (id: string): ListedSurvey | undefined => this.found.get(id) ?? this.#options.listed.get(id);

  /** The surveys so far, by id, in the order of the list. */
  get found(): ReadonlyMap<string, ListedSurvey> {
    return this.#list.found;
  }

  /** The surveys, by id, if the list was read to its end and hides none; else undefined. */
  get all(): ReadonlyMap<string, ListedSurvey> | undefined {
    return this.#list.isRead && this.problem === undefined ? this.found : undefined;
  }

  /** The service's present at the first page; undefined until that came. */
  get readAt(): Timestamp | undefined {
    return this.#list.readAt;
  }

  /** Whether the service has no such list. */
  get isMissing(): boolean {
    return this.error?.code === "not_found" && this.readAt === undefined;
  }

  /** Why it may lack a survey of the service; undefined if it shows each one. */
  get problem(): SurveyExportError | undefined {
    const { unreadable, found } = this.#list;
    return this.error ?? (unreadable > 0 ? surveysHidden(unreadable, found.size) : undefined);
  }

  /** Reads it, unless it was read. */
  read(): Promise<void> {
    const isPart = this.#options.surveyIds.length > 0;
    this.#reading ??= this.#readOnce(isPart ? ATTEMPTS_OF_A_PART : undefined);
    return this.#reading;
  }

  /** The second look, if the list failed: it is read once more. What it showed before stays known. */
  async readAgain(): Promise<void> {
    const list = this.#list;
    this.#list = new ListOfSurveys();
    this.error = undefined;
    await this.#readOnce(ATTEMPTS_OF_A_TRY);
    if (this.error) this.#list = list;
  }

  /** The surveys that the service lists now. Undefined if nobody knows. */
  async listedNow(): Promise<ReadonlySet<string> | undefined> {
    const list = new ListOfSurveys();
    const ids = new Set<string>();
    for await (const { surveys } of this.#pagesOf(list, ATTEMPTS_OF_A_PART))
      for (const { id } of surveys) ids.add(id);
    return list.problem || list.unreadable > 0 ? undefined : ids;
  }

  /** A survey, by the list or by its own record, if one of them was read. */
  record(id: string): ListedSurvey | undefined {
    return this.found.get(id) ?? this.#records.get(id);
  }

  /** A survey that the list does not have, by its id. Requested once in a sync. */
  askFor(id: string): Promise<Reply<ListedSurvey>> {
    const asked = this.#asked.get(id) ?? this.#askFor(id, ATTEMPTS_OF_A_PART);
    this.#asked.set(id, asked);
    return asked;
  }

  /** The second look, if that failed. */
  askAgainFor(id: string): Promise<Reply<ListedSurvey>> {
    const asked = this.#askFor(id, ATTEMPTS_OF_A_TRY);
    this.#asked.set(id, asked);
    return asked;
  }

  async #askFor(id: string, attempts: number): Promise<Reply<ListedSurvey>> {
    const { requests, listed, fields = [] } = this.#options;
    const parse = (body: string): ListedSurvey => {
      const survey = parseObject(body);
      // It also names the author, who is a person.
      const wanted = Object.fromEntries(fields.map((name) => [name, survey[name]]));
      return certain(surveyIn({ ...wanted, id }), "the survey");
    };
    const reply = await requests.get(surveyPath(id), parse, { attempts });
    if ("page" in reply) {
      this.#records.set(id, reply.page);
      listed.set(id, reply.page);
    }
    return reply;
  }

  /** A survey as the list has it. Undefined, with a warning, if that cannot be found out in time. */
  async find(id: string): Promise<ListedSurvey | undefined> {
    if (this.known(id) === undefined) {
      const { fields } = this.#options;
      // The stream of surveys asks for one that is not listed in any case.
      const all = this.read().then(() => (fields && !this.known(id) ? this.askFor(id) : undefined));
      await this.#inTime(all);
    }
    const survey = this.known(id);
    const isRead = this.#list.isRead || this.#hasAllNamed;
    if (survey === undefined && (this.error || !isRead)) this.#options.warnings.namesMissing(this.error);
    return survey;
  }

  /** Reads it, unless that takes too long. */
  readInTime(): Promise<unknown> {
    return this.#inTime(this.read());
  }

  #inTime(work: Promise<unknown>): Promise<unknown> {
    const { clock, requests } = this.#options;
    this.#patience ??= clock.sleep(WAIT_FOR_NAMES_MS, requests.signal);
    return Promise.race([work, this.#patience]);
  }

  async #readOnce(attempts: number | undefined): Promise<void> {
    const list = this.#list;
    const { warnings, listed } = this.#options;
    for await (const { surveys } of this.#pagesOf(list, attempts)) {
      for (const survey of surveys) listed.set(survey.id, survey);
      if (this.#hasAllNamed) break;
    }
    if (!this.#hasAllNamed) this.error = list.problem;
    if (list.unreadable > 0 && !this.error) warnings.warn("items_omitted", surveysOmitted(list.unreadable));
  }

  #pagesOf(list: ListOfSurveys, attempts: number | undefined): AsyncGenerator<ListedPage, void> {
    return list.read((path) => this.#options.requests.get(path, parsePage, { attempts }));
  }

  get #hasAllNamed(): boolean {
    const { surveyIds } = this.#options;
    return surveyIds.length > 0 && surveyIds.every((id) => this.found.has(id));
  }
}
