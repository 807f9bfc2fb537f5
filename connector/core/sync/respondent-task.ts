import type { Interval } from "../coverage/coverage.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import type { SyncEvent } from "./events.ts";
import type { ListTask } from "./list-task.ts";
import { respondentKey } from "./respondent-depths.ts";
import type { RespondentList, RespondentPage } from "./respondent-list.ts";
import type { WaitingRespondent } from "./respondent-queue.ts";
import type { RespondentStreamProgress } from "./respondent-stream-progress.ts";
import type { Warnings } from "./warnings.ts";

/** A respondent's list as a unit of work of one stream. */
export class RespondentTask implements ListTask<() => RespondentPage> {
  readonly #stream: RespondentStreamProgress;
  readonly #respondent: WaitingRespondent;
  readonly #open: () => RespondentList;
  readonly #warnings: Warnings;
  #list: RespondentList | undefined;
  #openedAs: string | undefined;
  /** Covered by what came, unless the list turns out to lag behind. */
  readonly #recent: Interval[] = [];
  #pages = 0;
  #hasProblem = false;
  #hasEnded = false;
  /** Lists that the service had found when it first answered 404 for this one. */
  #foundAtFirst404: number | undefined;
  comesLater = false;

  constructor(
    stream: RespondentStreamProgress,
    respondent: WaitingRespondent,
    open: () => RespondentList,
    warnings: Warnings,
  ) {
    this.#stream = stream;
    this.#respondent = respondent;
    this.#open = open;
    this.#warnings = warnings;
  }

  /** @throws SurveyExportError for an id that cannot be part of a URL */
  get path(): string | undefined {
    if (this.#hasEnded || this.#stream.isGivenUp) return undefined;
    // Until a page has come, a response may show another spelling of the respondent.
    if (this.#pages === 0 && this.#openedAs !== this.#respondent.spelling) this.#list = undefined;
    this.#openedAs = this.#respondent.spelling;
    this.#list ??= this.#open();
    return this.#list.path;
  }

  /** True where everything of the list was delivered before: the respondent counts as delivered without a request. */
  endIfCovered(): boolean {
    try {
      if (this.path !== undefined) return false;
    } catch {
      return false;
    }
    this.#end();
    this.#stream.delivered(this.#respondent, this.#list?.depth);
    return true;
  }

  parse(body: string, present: Timestamp): () => RespondentPage {
    return this.#list!.parse(body, present);
  }

  accept(takePage: () => RespondentPage): SyncEvent[] {
    const { cursor } = this.#stream;
    const { uuid } = this.#respondent;
    const { records, covered, newestSeen, problems, warning } = takePage();
    this.#pages++;
    this.comesLater = false;
    this.#stream.answered();
    if (warning) this.#warnings.add("lists end with an empty page that says there is more", warning);
    for (const interval of covered) {
      if (interval[1] <= cursor.settledUpTo) cursor.coverRespondent(uuid, interval, newestSeen);
      else this.#recent.push(interval);
    }
    this.#hasProblem ||= problems.length > 0;
    if (this.#list!.path === undefined) this.#complete(newestSeen);
    return [this.#stream.records(records), ...problems.map((problem) => this.#stream.failed(problem))];
  }

  fail(error: SurveyExportError): SyncEvent[] {
    if (error.code === "not_found" && this.#pages === 0) return this.#notFound(error);
    this.#end();
    this.#stream.queue.failed(this.#respondent);
    if (error.code === "not_found") return [this.#stream.failed(this.#lostMidway(error))];
    return [this.#stream.requestFailed(error, this.#ledBy !== undefined)];
  }

  #complete(newestSeen: Timestamp | undefined): void {
    const { notFound, cursor, queue, readsAllThatIsNoted } = this.#stream;
    this.#end();
    const { uuid, isRecheck } = this.#respondent;
    const lacksRecent = this.#lacksRecent();
    if (!lacksRecent) for (const interval of this.#recent) cursor.coverRespondent(uuid, interval, newestSeen);
    if (this.#hasProblem || lacksRecent) {
      queue.failed(this.#respondent);
      return;
    }
    // Only a recheck reads everything that the note stands for, unless the end date is earlier now: then the note stays.
    if (isRecheck && readsAllThatIsNoted && notFound.delivered(uuid)) cursor.setNotFound(notFound.entries);
    this.#stream.delivered(this.#respondent, this.#list!.depth);
  }

  /** `collected_at` of a response that led to the respondent; undefined while only the configuration names them. */
  get #ledBy(): string | undefined {
    const { collectedAt, oldestFound } = this.#respondent;
    return collectedAt ?? oldestFound;
  }

  /** Whether the list lacks a recent response that led here: then the intervals that wait stay open. */
  #lacksRecent(): boolean {
    const { lacking } = this.#list!;
    if (lacking === undefined) return false;
    this.#warnings.add(
      "lists of respondents lack the response that led to them",
      `The list of respondent ${quote(this.#respondent.uuid)} lacks a response that a survey shows (${lacking}). The next sync reads it again.`,
    );
    return true;
  }

  /** Asked again after a minute or at the end of the sync; then it counts as delivered, with a note in the state. */
  #notFound(error: SurveyExportError): SyncEvent[] {
    const { notFound, cursor, queue } = this.#stream;
    if (this.#foundAtFirst404 === undefined) {
      // Others may be gone for long: that is no sign of an outage.
      if (!this.#respondent.wasDealtWith) this.#stream.answeredNotFound(error);
      this.#foundAtFirst404 = notFound.found;
      this.comesLater = true;
      return [];
    }
    this.#end();
    const { isRecheck, spelling } = this.#respondent;
    const uuid = isRecheck ? this.#respondent.uuid : spelling;
    const ledBy = this.#ledBy;
    this.#warnings.notFound.add(respondentKey(uuid));
    // The configuration names them, and nothing waits for them so far. Should a response of theirs come, they are asked for again.
    if (ledBy === undefined) queue.forget(this.#respondent);
    else if (this.#needsNoNote) this.#leaveOut(ledBy, this.#foundAtFirst404);
    else if (notFound.notFound(uuid, ledBy, this.#foundAtFirst404)) this.#stream.delivered(this.#respondent);
    else this.#stream.notNoted(this.#respondent, error);
    cursor.setNotFound(notFound.entries);
    return [this.#stream.records([])];
  }

  /**
   * Whether the state may not name the respondent, or an earlier sync has dealt with them: then the lookback leads to
   * them in each sync, and a note for each would fill the state.
   */
  get #needsNoNote(): boolean {
    const { isRecheck, wasDealtWith } = this.#respondent;
    return !this.#stream.mayBeNoted || (wasDealtWith && !isRecheck);
  }

  /**
   * Without a note, they count as deleted where the service found others between the two 404s and their response is a
   * day old. Else their intervals stay open, and the next sync finds them again.
   */
  #leaveOut(ledBy: string, foundBefore: number): void {
    const { notFound, cursor } = this.#stream;
    const newest = this.#respondent.newestFound ?? ledBy;
    const isDeleted = notFound.found > foundBefore && cursor.isSettled(newest);
    if (isDeleted) {
      this.#stream.delivered(this.#respondent);
      this.#stream.queue.leftOut(this.#respondent);
    } else this.#stream.leftOpen(this.#respondent);
  }

  #lostMidway(error: SurveyExportError): SurveyExportError {
    return error.restated(
      "transient",
      `The service found no more of respondent ${quote(this.#respondent.uuid)} after ${this.#pages === 1 ? "1 page" : `${this.#pages} pages`} (status ${error.status}).`,
      "The next sync reads their list again. If it goes on, ask the service.",
    );
  }

  #end(): void {
    this.#hasEnded = true;
    this.comesLater = false;
  }
}
