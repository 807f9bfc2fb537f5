import { liesIn } from "../coverage/coverage.ts";
import type { NotFoundRespondent } from "../coverage/stream-state.ts";
import type { Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import type { StreamRecord } from "../generated/records.ts";
import { type Item, respondentOf } from "../lists/item.ts";
import type { RespondentStream } from "../streams/definition.ts";
import { quote } from "../text/quote.ts";
import type { SyncEvent } from "./events.ts";
import { NotFoundRespondents } from "./not-found-respondents.ts";
import { WHOLE_LIST } from "./respondent-depths.ts";
import { type Found, RespondentQueue, type WaitingRespondent } from "./respondent-queue.ts";
import type { Slice } from "./split.ts";
import type { StreamCursor } from "./stream-cursor.ts";
import type { StreamProgress } from "./stream-progress.ts";
import type { SurveyPage } from "./survey-list.ts";

/**
 * A stream that reads a list of each respondent found in the surveys. An interval of a survey is covered when the last
 * of its respondents has been delivered (I6).
 */
export class RespondentStreamProgress implements StreamProgress {
  readonly definition: RespondentStream;
  readonly cursor: StreamCursor;
  isIncomplete = false;
  /** Set when the service finds no respondent any more: no further ones are asked for. */
  isGivenUp = false;
  readonly queue = new RespondentQueue();
  readonly notFound: NotFoundRespondents;
  /** Whether the state may name respondents. */
  readonly mayBeNoted: boolean;
  /** Whether reading a respondent's list brings everything that a note of an earlier sync stands for. */
  readonly readsAllThatIsNoted: boolean;
  /** Of each slice, the respondents whom no interval waits for yet, each with their oldest response's timestamp. */
  readonly #unassigned = new Map<Slice, Map<string, Timestamp>>();
  readonly #newestSeen = new Map<string, Timestamp | undefined>();

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
    this.notFound = new NotFoundRespondents(mayBeNoted ? notFound : []);
    cursor.setNotFound(this.notFound.entries);
    for (const uuid of respondentUuids) this.queue.add(uuid, null, false);
    this.readsAllThatIsNoted = definition.reads === "respondent attributes" || cursor.readsAllThatIsCovered;
    for (const [uuid, collectedAt] of notFound) this.queue.add(uuid, collectedAt, true);
  }

  acceptSurveyPage(surveyId: string, page: SurveyPage, newestSeen: Timestamp | undefined): SyncEvent[] {
    this.#newestSeen.set(surveyId, newestSeen);
    const gaps = this.cursor.gapsOfSurvey(surveyId);
    const items = page.items.filter((item) => liesIn(gaps, item.timestamp));
    const failures = this.#leaveAnonymousOpen(surveyId, items);
    const undelivered = this.queue.discover(respondentsOf(items));
    let hasGrown = false;
    for (const { slice, intervals } of page.covered) {
      const unassigned = this.#unassignedOf(slice);
      if (slice === page.slice) {
        for (const item of items) {
          const uuid = respondentOf(item);
          if (uuid !== undefined && undelivered.has(uuid)) unassigned.set(uuid, item.timestamp);
        }
      }
      for (const interval of intervals) {
        if (this.queue.await(unassigned.keys(), surveyId, interval)) {
          this.cursor.coverSurvey(surveyId, interval, newestSeen);
          hasGrown = true;
        }
        // Those at the interval's lower edge stay for the next one too: the two together put the edge inside.
        for (const [uuid, timestamp] of unassigned) {
          if (interval[0] === null || timestamp > interval[0]) unassigned.delete(uuid);
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
          `Survey ${quote(surveyId)} holds a response that names no respondent (${quote(first.uuid)}, ${first.timestamp}). This stream cannot read who gave it; the next sync tries again. Report this to the service.`,
        ),
      ),
    ];
  }
}

function respondentsOf(items: readonly Item[]): Map<string, Found> {
  const found = new Map<string, Found>();
  for (const item of items) {
    const uuid = respondentOf(item);
    if (uuid === undefined) continue;
    const collectedAt = found.get(uuid)?.collectedAt ?? String(item.response.collected_at);
    found.set(uuid, { collectedAt, oldest: item.timestamp });
  }
  return found;
}
