import { type Interval, liesIn, newestOf } from "../coverage/coverage.ts";
import type { Seen } from "../coverage/list-coverage.ts";
import { ListCoverages } from "../coverage/list-coverages.ts";
import type { InitialState, StateSnapshot } from "../coverage/stream-state.ts";
import { latest, type Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import type { Findings, Unreadable } from "../lists/coverage-tracker.ts";
import type { Item } from "../lists/item.ts";
import type { RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamRecord } from "../streams/column.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { say } from "../text/message.ts";
import type { Channel } from "./channel.ts";
import type { Requests } from "./requests.ts";
import { usableState } from "./stored-state.ts";
import type { SurveyPage } from "./survey-list.ts";
import type { Settings } from "./sync-options.ts";
import type { Warnings } from "./warnings.ts";

/** This many items that cannot be read, or respondents whose lists fail, make a stream incomplete. */
export const TOO_MANY = 10;

/** A part of a list that a stream is done with. */
export interface Settled {
  readonly lists: ListCoverages;
  readonly id: string;
  readonly read: readonly Findings[];
  readonly seen: Seen;
  /** Closed ranges of responses that were shown and not delivered. */
  readonly undelivered: readonly Interval[];
}

/** What everything under way is told when the sync ends early. */
export const ENDED = new Error("the sync has ended");

/** One stream in a sync: what it has covered, and what it tells the caller. */
export class StreamInSync {
  readonly definition: StreamDefinition;
  readonly warnings: Warnings;
  readonly surveys: ListCoverages;
  /** The lists of the respondents that the configuration names, in a stream whose state has them. */
  readonly respondents: ListCoverages;
  /** How far its state reaches. */
  readonly newestStored: Timestamp | undefined;
  /** Whether an earlier sync has covered something of it. */
  readonly hasState: boolean;
  readonly #respondentKeys: readonly string[];
  /** Surveys that failed, or a part of them. */
  readonly failedSurveys = new Set<string>();
  #isIncomplete = false;
  readonly #channel: Channel;
  readonly #treatment: RecordTreatment;
  /** What does not change in its state. */
  readonly #constant: { readonly start_date?: Timestamp; readonly personal_data?: string };
  /** From a state that was written by hand, until all surveys are known. */
  #collectedAt: Timestamp | undefined;
  /** The state as of now, once somebody has asked for it. */
  #state: StateSnapshot | undefined;
  /** Items that could not be read, and the error of the first. */
  #unreadable: { readonly first: SurveyExportError; count: number } | undefined;
  /** How many items could. */
  #items = 0;

  /** `stored`: its state when the sync began. */
  constructor(
    definition: StreamDefinition,
    stored: InitialState,
    settings: Settings,
    warnings: Warnings,
    channel: Channel,
  ) {
    const { startDate: older = null, endDate: newer, lookbackMs, treatment } = settings;
    const usable = usableState(stored, definition, settings);
    if (usable.isOtherTreatment) warnings.otherPersonalData(definition.name);
    const list = { wanted: { older, newer }, lookbackMs, isWhole: definition.isSnapshot ?? false };
    this.definition = definition;
    this.warnings = warnings;
    this.surveys = new ListCoverages(usable.surveys, usable.unknown, list);
    this.respondents = new ListCoverages(usable.respondents, usable.unknown, list);
    this.#respondentKeys = [...usable.respondentKeys];
    this.newestStored = [...usable.surveys.values(), ...usable.respondents.values(), usable.unknown]
      .map(newestOf)
      .reduce(latest, undefined);
    this.hasState = [...usable.surveys.values()].some(({ length }) => length > 0);
    this.#channel = channel;
    this.#treatment = treatment;
    this.#collectedAt = usable.collectedAt;
    this.#constant = {
      ...(usable.startDate !== undefined && { start_date: usable.startDate }),
      ...(treatment.fingerprint !== undefined && { personal_data: treatment.fingerprint }),
    };
  }

  /**
   * This sync reads these surveys. `present`: a state that reaches above it is cut there (S12). `areAll`: there are no
   * others that it should read.
   */
  begin(surveyIds: readonly string[], present: Timestamp, areAll: boolean): void {
    this.respondents.begin(this.#respondentKeys, present);
    const cutAtPresent = this.surveys.begin(surveyIds, present);
    if (cutAtPresent.length > 0) this.warnings.stateInFuture(this.definition.name, cutAtPresent);
    if (areAll) this.#collectedAt = undefined;
    this.#state = undefined;
  }

  /** A survey that is gone: if it comes back, it is read from its beginning. */
  forget(surveyId: string): void {
    this.surveys.forget(surveyId);
    this.#state = undefined;
  }

  /** The state as of now; it never changes afterwards (I4). */
  state(): StateSnapshot {
    if (this.#state) return this.#state;
    const [surveys, respondents] = [this.surveys.snapshot(), this.respondents.snapshot()];
    const byHand = this.#collectedAt !== undefined && { collected_at: this.#collectedAt };
    this.#state = {
      toJSON: () => {
        const lists = respondents();
        const named = Object.keys(lists).length > 0 && { respondents: lists };
        return { version: 1, surveys: surveys(), ...named, ...this.#constant, ...byHand };
      },
    };
    return this.#state;
  }

  /** The items of a page that earlier syncs have not delivered. */
  wantedOf({ surveyId, items }: Pick<SurveyPage, "surveyId" | "items">): Item[] {
    const { gaps } = this.surveys.of(surveyId);
    return items.filter(({ timestamp }) => liesIn(gaps, timestamp));
  }

  /** Emits the records of a survey's page, which covers what was read, without `undelivered`. `items`: how many are new. */
  deliverPage(
    { surveyId, read, seen, isLast }: SurveyPage,
    items: number,
    records: readonly StreamRecord[],
    undelivered: readonly Interval[] = [],
  ): Promise<void> {
    const settled = { lists: this.surveys, id: surveyId, read, seen, undelivered };
    return this.deliver(records, items, surveyId, settled, isLast);
  }

  /**
   * Covers what is settled, and emits the records that it holds with the state that says so. `items`: how many of the list
   * these were. This is the one place where personal data of records is treated.
   * @returns a promise of the moment when the caller has taken them
   * @throws `ENDED` after an early end of the sync: then nothing is covered
   */
  async deliver(
    all: readonly StreamRecord[],
    items: number,
    surveyId?: string,
    settled?: Settled,
    isLast = false,
  ): Promise<void> {
    this.#items += items;
    if (this.#channel.isOver) throw ENDED;
    if (settled) this.#settle(settled, surveyId);
    const { name: stream, columns } = this.definition;
    const records = all.map((record) => this.#treatment.record(record, columns));
    await this.#channel.put({ type: "records", stream, surveyId, records, state: this.state(), isLast });
  }

  /** Whether something could not be read, so that the stream ends incomplete. */
  get isIncomplete(): boolean {
    return this.#isIncomplete;
  }

  /** The next sync reads the rest. Somebody says why. */
  markIncomplete(): void {
    this.#isIncomplete = true;
  }

  /** Something could not be read: the stream is incomplete. */
  failed(error: SurveyExportError, surveyId?: string): void {
    this.markIncomplete();
    if (surveyId !== undefined) this.failedSurveys.add(surveyId);
    void this.#channel.put({ type: "failure", stream: this.definition.name, error, surveyId });
  }

  /** Items that cannot be read were omitted. With a few of them, the stream is still complete. */
  omitted({ error, count }: Omit<Unreadable, "range">, surveyId?: string): void {
    // Another page may have told of all of them.
    if (count === 0) return;
    this.#unreadable ??= { first: error, count: 0 };
    this.#unreadable.count += count;
    if (this.#unreadable.count >= TOO_MANY) this.markIncomplete();
    const { name: stream } = this.definition;
    void this.#channel.put({ type: "unreadable", stream, count, error, surveyId });
  }

  /** Nothing more is requested: tells what remains to be told. */
  finish(): void {
    if (this.#unreadable === undefined) return;
    const { first, count } = this.#unreadable;
    const items = count + this.#items;
    const error =
      count === 1 ? first : first.adding(say`${count} of ${items} items of this stream cannot be read.`);
    if (count < TOO_MANY) this.warnings.omitted(this.definition.name, error);
    else this.failed(error);
  }

  #settle({ lists, id, read, seen, undelivered }: Settled, surveyId: string | undefined): void {
    const list = lists.of(id);
    list.sees(seen);
    for (const unreadable of read.flatMap((each) => each.unreadable)) {
      const isWanted = list.defer([unreadable.range]);
      if (isWanted) this.omitted(unreadable, surveyId);
    }
    list.defer([...undelivered, ...read.flatMap(({ doubtful }) => doubtful)]);
    for (const interval of read.flatMap(({ covered }) => covered)) list.cover(interval);
    this.#state = undefined;
  }
}

/** A list of `streams` failed permanently. They say so once it is known that the failure is the list's own. */
export function listFailed(
  requests: Requests,
  streams: readonly StreamInSync[],
  error: SurveyExportError,
  surveyId?: string,
): void {
  for (const stream of streams) stream.markIncomplete();
  requests.failed(error, (own) => {
    for (const stream of streams) stream.failed(own, surveyId);
  });
}
