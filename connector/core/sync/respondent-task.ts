import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { counted, type Message, respondentId, say } from "../text/message.ts";
import { emptiedList } from "./control.ts";
import { ATTEMPTS_OF_A_TRY, type ListTask, type SyncEvent } from "./list-task.ts";
import type { Lead, Person } from "./people.ts";
import { HELD_NOTHING, type Held } from "./people-read.ts";
import type { RespondentList, RespondentPage } from "./respondent-list.ts";

/** The stream that a respondent's list is read for. */
export interface RespondentReader {
  readonly isGivenUp: boolean;
  records(records: readonly StreamRecord[]): SyncEvent;
  failed(error: SurveyExportError): SyncEvent[];
  warn(emptyPage: Message): void;
  /** The first page came. */
  found(): void;
  /** The list was read whole. */
  answered(person: Person, holds: (lead: Lead) => boolean, held: Held): void;
  /** A part of the list is hidden by an empty page, or could not be read, as has been reported. */
  notWhole(person: Person): void;
  notFound(person: Person, nowMs: number): SyncEvent[];
  /** Its request failed for good. */
  personFailed(person: Person, error: SurveyExportError): SyncEvent[];
  /** `problem`: why it was not good. */
  controlAnswered(problem: SurveyExportError | undefined): SyncEvent[];
  goOnWith(task: RespondentTask): void;
}

/** A respondent's list as a unit of work of one stream. */
export class RespondentTask implements ListTask<() => RespondentPage> {
  readonly attempts: number | undefined;
  readonly #stream: RespondentReader;
  readonly #person: Person;
  readonly #open: () => RespondentList;
  #list: RespondentList | undefined;
  #pages = 0;
  #isWhole = true;
  #hasEnded = false;

  constructor(stream: RespondentReader, person: Person, open: () => RespondentList, isTry: boolean) {
    this.#stream = stream;
    this.#person = person;
    this.#open = open;
    this.attempts = isTry ? ATTEMPTS_OF_A_TRY : undefined;
  }

  /** @throws SurveyExportError for an id that cannot be part of a URL */
  get path(): string | undefined {
    return this.#hasEnded || this.#stream.isGivenUp ? undefined : this.#opened.path;
  }

  parse(body: string, present: Timestamp): () => RespondentPage {
    return this.#opened.parse(body, present);
  }

  accept(takePage: () => RespondentPage): SyncEvent[] {
    const { records, problems, warning, hasHole } = takePage();
    if (this.#pages++ === 0) this.#stream.found();
    this.#isWhole &&= problems.length === 0 && !hasHole;
    if (warning) this.#stream.warn(warning);
    if (this.#opened.path === undefined) this.#end();
    return [this.#stream.records(records), ...problems.flatMap((problem) => this.#stream.failed(problem))];
  }

  fail(error: SurveyExportError, nowMs: number): SyncEvent[] {
    if (error.code === "not_found" && this.#pages === 0) {
      this.#hasEnded = true;
      return this.#stream.notFound(this.#person, nowMs);
    }
    if (error.scope === "list" && this.#list?.replaceLink()) return [];
    this.#hasEnded = true;
    const named = error.code === "not_found" ? this.#lostMidway(error) : error;
    return this.#stream.personFailed(this.#person, named);
  }

  returned(): void {
    if (this.path !== undefined) this.#stream.goOnWith(this);
  }

  get #opened(): RespondentList {
    this.#list ??= this.#open();
    return this.#list;
  }

  #end(): void {
    const list = this.#opened;
    if (this.#isWhole) this.#stream.answered(this.#person, (lead) => list.holds(lead), list.held);
    else this.#stream.notWhole(this.#person);
  }

  #lostMidway(error: SurveyExportError): SurveyExportError {
    return error.restated(
      "transient",
      say`Respondent ${respondentId(this.#person.spelling)} was not found any more after ${counted(this.#pages, say`page`, say`pages`)} (status ${error.status ?? 404}).`,
      say`The next sync reads their list again. If it goes on, ask the service.`,
    );
  }
}

/** One request for a respondent whose list was good in this sync: whether the service still finds somebody. */
export class ControlTask implements ListTask<boolean> {
  readonly #stream: RespondentReader;
  readonly #uuid: string;
  readonly #list: RespondentList;
  #path: string | undefined;

  constructor(stream: RespondentReader, uuid: string, list: RespondentList) {
    this.#stream = stream;
    this.#uuid = uuid;
    this.#list = list;
    this.#path = list.path;
  }

  get path(): string | undefined {
    return this.#path;
  }

  parse(body: string, present: Timestamp): boolean {
    this.#list.parse(body, present)();
    return this.#list.held !== HELD_NOTHING;
  }

  accept(isGood: boolean): SyncEvent[] {
    this.#path = undefined;
    return this.#stream.controlAnswered(isGood ? undefined : emptiedList(this.#uuid));
  }

  fail(error: SurveyExportError): SyncEvent[] {
    this.#path = undefined;
    return this.#stream.controlAnswered(error);
  }

  returned(): void {}
}
