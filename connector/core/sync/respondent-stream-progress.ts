import { liesIn } from "../coverage/coverage.ts";
import type { NotFoundRespondent } from "../coverage/stream-state.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { type Item, respondentOf } from "../lists/item.ts";
import type { RespondentStream } from "../streams/definition.ts";
import { quote } from "../text/quote.ts";
import { FAILURES_IN_A_ROW } from "./circuit-breaker.ts";
import type { SyncEvent } from "./events.ts";
import { MOST_IN_A_ROW, MOST_NOT_FOUND, NotFoundRespondents } from "./not-found-respondents.ts";
import { respondentKey, WHOLE_LIST } from "./respondent-depths.ts";
import { type Found, RespondentQueue, type WaitingRespondent } from "./respondent-queue.ts";
import type { Slice } from "./split.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { StreamProgress } from "./stream-progress.ts";
import type { SurveyPage } from "./survey-list.ts";

/** Respondents who are tried from elsewhere in the queue while the service seems to have an outage; one more for each page. */
const TRIALS = 100;
/** Respondents who may wait during an outage. */
const MOST_WAITING = 10_000;

/**
 * A stream that reads a list of each respondent found in the surveys. An interval of a survey is covered when the last
 * of its respondents has been delivered (I6).
 */
export class RespondentStreamProgress implements StreamProgress {
  readonly definition: RespondentStream;
  readonly cursor: StreamCursor;
  isIncomplete = false;
  /** Set when too many respondents wait in an outage, or too many requests in a row failed: no others are asked for. */
  isGivenUp = false;
  readonly queue = new RespondentQueue();
  readonly notFound: NotFoundRespondents;
  /** Whether the state may name respondents. */
  readonly mayBeNoted: boolean;
  /** Whether reading a respondent's list brings everything that a note of an earlier sync stands for. */
  readonly readsAllThatIsNoted: boolean;
  /** Of each slice, the reads that no interval waits for yet, each with its oldest response's timestamp. */
  readonly #unassigned = new Map<Slice, Map<string, Timestamp>>();
  readonly #newestSeen = new Map<string, Timestamp | undefined>();
  /** Respondents who may still be tried while the service seems to have an outage. */
  #trialsLeft = TRIALS;
  /** The 404 of somebody whom the state has no room to note. */
  #notNoted: SurveyExportError | undefined;
  #lastNotFound: SurveyExportError | undefined;
  #isOutageTooLong = false;
  /** Keys of those whom an earlier sync did not find: their whole list is read. */
  readonly #noted: ReadonlySet<string>;
  #failuresInARow = 0;
  /** Whether intervals stay open because of somebody who was not found. */
  #hasLeftOpen = false;

  constructor(
    definition: RespondentStream,
    cursor: StreamCursor,
    respondentUuids: readonly string[],
    notFound: readonly NotFoundRespondent[],
    mayBeNoted: boolean,
  ) {
    this.definition = definition;
    this.cursor = cursor;
    this.mayBeNoted = mayBeNoted;
    this.#noted = new Set(notFound.map(([uuid]) => respondentKey(uuid)));
    this.notFound = new NotFoundRespondents(mayBeNoted ? notFound : []);
    cursor.setNotFound(this.notFound.entries);
    this.readsAllThatIsNoted = definition.reads === "respondent attributes" || cursor.readsAllThatIsCovered;
    // First, since the configuration may name them too.
    for (const [uuid, collectedAt] of notFound) this.queue.add(uuid, collectedAt, true);
    for (const uuid of respondentUuids) this.queue.add(uuid, null, false);
  }

  /** How many respondents may be asked for now. */
  get waiting(): number {
    if (this.isGivenUp || (this.notFound.looksLikeOutage && this.#trialsLeft === 0)) return 0;
    return this.queue.length;
  }

  /**
   * The respondent to ask for next. Hundreds in a row that are not found are an outage, or were deleted together. So the
   * next ones are tried from elsewhere in the queue: whoever is found there ends the row.
   */
  nextRespondent(): WaitingRespondent | undefined {
    if (!this.notFound.looksLikeOutage) return this.queue.next();
    this.#trialsLeft--;
    return this.queue.nextFromElsewhere();
  }

  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[] {
    if (this.isGivenUp) return [];
    if (this.notFound.looksLikeOutage) {
      this.#trialsLeft++;
      // Else those who wait would fill the memory. Their intervals stay open.
      this.#isOutageTooLong = this.queue.length > MOST_WAITING;
      this.isGivenUp ||= this.#isOutageTooLong;
    }
    this.#newestSeen.set(surveyId, newestSeen);
    const gaps = this.cursor.gapsOfSurvey(surveyId);
    const items = page.items.filter((item) => liesIn(gaps, item.timestamp));
    const failures = this.#leaveAnonymousOpen(surveyId, items);
    const found = this.#found(surveyId, items);
    const undelivered = this.queue.discover(found);
    let hasGrown = false;
    for (const { slice, intervals } of page.covered) {
      const unassigned = this.#unassignedOf(slice);
      if (slice === page.slice) {
        for (const name of undelivered) unassigned.set(name, found.get(name)!.oldest);
      }
      for (const interval of intervals) {
        if (this.queue.await(unassigned.keys(), surveyId, interval)) {
          this.cursor.coverSurvey(surveyId, interval, newestSeen);
          hasGrown = true;
        }
        // Those at the interval's lower edge stay for the next one too: the two together put the edge inside.
        for (const [name, timestamp] of unassigned) {
          if (interval[0] === null || timestamp > interval[0]) unassigned.delete(name);
        }
      }
    }
    return hasGrown ? [this.records([]), ...failures] : failures;
  }

  failed(error: SurveyExportError): SyncEvent {
    this.isIncomplete = true;
    return { type: "failure", stream: this.definition.name, error };
  }

  records(records: readonly StreamRecord[]): SyncEvent {
    return { type: "records", stream: this.definition.name, records, state: this.cursor.state() };
  }

  /** A request failed for good. Many in a row, and the stream is given up: a million others would fail as well. */
  requestFailed(error: SurveyExportError, wasFound: boolean): SyncEvent {
    // A refusal of somebody whom the configuration alone names says nothing of the others.
    if (error.kind !== "transient" && !wasFound) return this.failed(error);
    this.#failuresInARow++;
    if (this.#failuresInARow < FAILURES_IN_A_ROW || this.isGivenUp) return this.failed(error);
    this.isGivenUp = true;
    return this.failed(
      error.adding(
        `It is failure ${FAILURES_IN_A_ROW} in a row, so this sync asks for no more respondents in this stream.`,
      ),
    );
  }

  /** A respondent's list answered. */
  answered(): void {
    this.#failuresInARow = 0;
    this.notFound.answered();
    this.#trialsLeft = TRIALS;
  }

  /** A respondent to whom a response led was answered with 404, for the first time. */
  answeredNotFound(error: SurveyExportError): void {
    this.notFound.answeredNotFound();
    this.#lastNotFound = error;
  }

  /** A respondent was not found: their intervals stay open. */
  leftOpen(respondent: WaitingRespondent): void {
    this.#hasLeftOpen = true;
    this.queue.failed(respondent);
  }

  /** The same, because the state has no room for a note. */
  notNoted(respondent: WaitingRespondent, error: SurveyExportError): void {
    this.#notNoted = error;
    this.leftOpen(respondent);
  }

  finish(): SyncEvent[] {
    const isOutage = this.notFound.looksLikeOutage && (this.queue.length > 0 || this.#hasLeftOpen);
    if (this.#lastNotFound && (this.#isOutageTooLong || isOutage))
      return [this.failed(outage(this.#lastNotFound))];
    return this.#notNoted ? [this.failed(tooManyNotFound(this.#notNoted))] : [];
  }

  /** The respondent's list was read down to `depth`: covers the intervals that waited for them alone. */
  delivered(respondent: WaitingRespondent, depth = WHOLE_LIST): void {
    for (const { surveyId, interval } of this.queue.done(respondent, depth)) {
      this.cursor.coverSurvey(surveyId, interval, this.#newestSeen.get(surveyId));
    }
  }

  #unassignedOf(slice: Slice): Map<string, Timestamp> {
    const known = this.#unassigned.get(slice);
    if (known) return known;
    const unassigned = new Map<string, Timestamp>();
    this.#unassigned.set(slice, unassigned);
    return unassigned;
  }

  /**
   * The read that brings an item: of its respondent, or of the item alone, where both the survey's coverage and the
   * respondent's held its time before. Undefined where it names nobody.
   */
  #readOf(
    item: Item,
    wasCovered: boolean,
  ): { name: string; uuid: string; late: Timestamp | undefined } | undefined {
    const uuid = respondentOf(item);
    if (uuid === undefined) return undefined;
    const { timestamp } = item;
    const isLate =
      wasCovered &&
      this.definition.reads === "respondent responses" &&
      this.cursor.isConfigured(uuid) &&
      !this.#noted.has(respondentKey(uuid)) &&
      !liesIn(this.cursor.gapsOfRespondent(uuid), timestamp);
    return isLate
      ? { name: `${uuid} ${timestamp}`, uuid, late: timestamp }
      : { name: uuid, uuid, late: undefined };
  }

  /** What a page of a survey shows, by read. */
  #found(surveyId: string, items: readonly Item[]): Map<string, Found> {
    const found = new Map<string, Found>();
    for (const item of items) {
      const { timestamp } = item;
      const wasCovered = this.cursor.wasCovered(surveyId, timestamp);
      const read = this.#readOf(item, wasCovered);
      if (read === undefined) continue;
      const isOpen = !wasCovered && (this.mayBeNoted || timestamp > this.cursor.settledUpTo);
      const before = found.get(read.name);
      found.set(read.name, {
        ...read,
        collectedAt: before?.collectedAt ?? String(item.response.collected_at),
        newest: before?.newest ?? timestamp,
        oldest: timestamp,
        wasDealtWith: wasCovered && before?.wasDealtWith !== false,
        needsRead: isOpen || before?.needsRead === true,
      });
    }
    return found;
  }

  /** Responses that name nobody: their respondents cannot be read, so their timestamps stay open. */
  #leaveAnonymousOpen(surveyId: string, items: readonly Item[]): SyncEvent[] {
    const anonymous = items.filter((item) => respondentOf(item) === undefined);
    for (const { timestamp } of anonymous) this.cursor.leaveOpen(surveyId, timestamp);
    const [first] = anonymous;
    if (first === undefined) return [];
    return [
      this.failed(
        new SurveyExportError(
          "system",
          "unreadable_item",
          `Survey ${quote(surveyId)} holds a response that names no respondent (${quote(first.uuid)}, ${first.timestamp}).`,
          {
            advice:
              "This stream cannot read who gave it; the next sync tries again. Report this to the service.",
          },
        ),
      ),
    ];
  }
}

const outage = (error: SurveyExportError): SurveyExportError =>
  error.restated(
    "transient",
    `The service did not find ${MOST_IN_A_ROW} respondents in a row (status ${error.status}), which looks like an outage.`,
    "The other respondents were not asked for; the next sync continues with them. If it goes on, ask the service.",
  );

const tooManyNotFound = (error: SurveyExportError): SurveyExportError =>
  error.restated(
    "transient",
    `More than ${MOST_NOT_FOUND} respondents were not found in this sync (status ${error.status}).`,
    "The next sync asks for the others again. If respondents were deleted in bulk, run further syncs until the stream is complete.",
  );
