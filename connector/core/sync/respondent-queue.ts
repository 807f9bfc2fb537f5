import type { Interval } from "../coverage/coverage.ts";
import {
  addMicroseconds,
  earlier,
  latest,
  microsecondsOf,
  type Timestamp,
  timestampOfMicroseconds,
} from "../coverage/timestamp.ts";
import { RespondentDepths, respondentKey } from "./respondent-depths.ts";

/** An interval of a survey that is covered once all its respondents have been delivered. */
export interface PendingInterval {
  readonly surveyId: string;
  readonly interval: Interval;
  waitingFor: number;
}

/** A respondent's responses, as one page of a survey shows them. */
export interface Found {
  readonly uuid: string;
  /** See `WaitingRespondent`. */
  readonly late: Timestamp | undefined;
  /** `collected_at` of the newest one, as the service sent it. */
  readonly collectedAt: string;
  readonly newest: Timestamp;
  readonly oldest: Timestamp;
  /** Whether an earlier sync covered all of them: the respondent was delivered, or was found to be deleted. */
  readonly wasDealtWith: boolean;
  /** Whether one of them asks for a respondent whom this sync has counted as deleted. */
  readonly needsRead: boolean;
}

/** A respondent whose list is to be read, or is being read. */
export interface WaitingRespondent {
  /** Names this read: the UUID, and the timestamp where a single response is read. */
  readonly name: string;
  /**
   * The only timestamp to read: of a response that the lookback of its survey shows (S8), in what was read of the
   * respondent before: it may have appeared late. Only a respondent whom the configuration names has such reads, since
   * only of them is the coverage known.
   */
  readonly late: Timestamp | undefined;
  /** As the configuration, the state or the first response found writes it. */
  readonly uuid: string;
  /** As the service writes it, once a response has shown that: a service may know no other spelling. */
  spelling: string;
  /** `collected_at` of the response that led here; null while only the configuration names the respondent. */
  collectedAt: string | null;
  /** The newest response of theirs that this sync found. */
  newestFound: Timestamp | undefined;
  /** The oldest one: their list is read at least down to it. */
  oldestFound: Timestamp | undefined;
  /** Where their list is read from: the rest of a list that an earlier read of this sync left. */
  readonly from: Timestamp | undefined;
  /** Whether an earlier sync has covered everything that led to them so far. */
  wasDealtWith: boolean;
  /** An earlier sync did not find them (404): this one confirms it, or reads their whole list. */
  readonly isRecheck: boolean;
  isStarted: boolean;
  readonly pending: PendingInterval[];
}

/** Its multiples, without their whole part, lie evenly between 0 and 1, however many they are. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
/** Slots that have been taken from the front of the list of waiting respondents before it is shortened. */
const TAKEN_BEFORE_SHORTENED = 1024;

/**
 * The respondents of one stream in one sync: each list is read once, and an interval is covered when the last of its
 * respondents has been delivered (I6). Holds only those who still wait; for the others it keeps how far they were read.
 */
export class RespondentQueue {
  readonly #depths = new RespondentDepths();
  readonly #waiting = new Map<string, WaitingRespondent>();
  #queued: WaitingRespondent[] = [];
  #taken = 0;
  #trials = 0;
  /** Those who count as deleted without a note. */
  readonly #leftOut = new Set<string>();

  /** Respondents that were not handed out yet. */
  get length(): number {
    return this.#queued.length - this.#taken;
  }

  /** The names in `found` that are not delivered yet; those not met before are queued. */
  discover(found: ReadonlyMap<string, Found>): Set<string> {
    const undelivered = new Set<string>();
    for (const [name, { uuid, late, collectedAt, newest, oldest, wasDealtWith, needsRead }] of found) {
      const key = respondentKey(name);
      const waiting = this.#waiting.get(key);
      if (waiting) {
        waiting.oldestFound = waiting.oldestFound ? earlier(waiting.oldestFound, oldest) : oldest;
        waiting.newestFound = latest(waiting.newestFound, newest);
        waiting.spelling = uuid;
        waiting.wasDealtWith &&= wasDealtWith;
        if (!waiting.isStarted) waiting.collectedAt ??= collectedAt;
      } else {
        const depth = this.#depths.get(key);
        const isNews = needsRead && this.#leftOut.delete(key);
        if (depth !== undefined && microsecondsOf(oldest) >= depth && !isNews) continue;
        this.#enqueue({
          ...{ name, uuid, late },
          spelling: uuid,
          collectedAt,
          wasDealtWith,
          newestFound: newest,
          oldestFound: oldest,
          from: belowDepth(depth),
          isRecheck: false,
          pending: [],
        });
      }
      undelivered.add(name);
    }
    return undelivered;
  }

  /** Queues a respondent whom the configuration names, or whom an earlier sync did not find. */
  add(uuid: string, collectedAt: string | null, isRecheck: boolean): void {
    if (this.#waiting.has(respondentKey(uuid))) return;
    const nothingFound = { late: undefined, newestFound: undefined, oldestFound: undefined, from: undefined };
    const wasDealtWith = true;
    this.#enqueue({
      name: uuid,
      uuid,
      spelling: uuid,
      collectedAt,
      wasDealtWith,
      ...nothingFound,
      isRecheck,
      pending: [],
    });
  }

  /** Makes `interval` wait for the reads of these names; true when there is nobody to wait for. */
  await(names: Iterable<string>, surveyId: string, interval: Interval): boolean {
    const pending: PendingInterval = { surveyId, interval, waitingFor: 0 };
    for (const name of names) {
      const waiting = this.#waiting.get(respondentKey(name));
      if (waiting === undefined) continue;
      pending.waitingFor++;
      waiting.pending.push(pending);
    }
    return pending.waitingFor === 0;
  }

  next(): WaitingRespondent | undefined {
    const respondent = this.#queued[this.#taken];
    if (respondent === undefined) return undefined;
    respondent.isStarted = true;
    if (++this.#taken > TAKEN_BEFORE_SHORTENED) {
      this.#queued = this.#queued.slice(this.#taken);
      this.#taken = 0;
    }
    return respondent;
  }

  /**
   * A respondent far from those who were asked for so far: the one who was found last, then others spread over all who
   * wait, so that few trials meet every large group of them.
   */
  nextFromElsewhere(): WaitingRespondent | undefined {
    const fromEnd = Math.floor(((this.#trials++ * GOLDEN_RATIO) % 1) * this.length);
    const [respondent] = this.length > 0 ? this.#queued.splice(-1 - fromEnd, 1) : [];
    if (respondent !== undefined) respondent.isStarted = true;
    return respondent;
  }

  /**
   * The list was read down to `depth` (microseconds since the epoch). Returns the intervals that are complete now; none
   * where an older response was found meanwhile, and the rest of the list is queued.
   */
  done(respondent: WaitingRespondent, depth: number): PendingInterval[] {
    const key = respondentKey(respondent.name);
    this.#depths.set(key, depth);
    this.#waiting.delete(key);
    if (respondent.oldestFound !== undefined && microsecondsOf(respondent.oldestFound) < depth) {
      this.#enqueue({ ...respondent, from: belowDepth(depth), isRecheck: false });
      return [];
    }
    return respondent.pending.filter((interval) => --interval.waitingFor === 0);
  }

  /** The respondent counts as deleted, as far as what led to them goes. */
  leftOut(respondent: WaitingRespondent): void {
    this.#leftOut.add(respondentKey(respondent.name));
  }

  /** The respondent was not found and no interval waits for them: should a response lead to them, they are queued again. */
  forget(respondent: WaitingRespondent): void {
    this.#waiting.delete(respondentKey(respondent.name));
  }

  /** The list could not be read: the intervals that wait for it stay open. */
  failed(respondent: WaitingRespondent): void {
    respondent.pending.length = 0;
  }

  #enqueue(respondent: Omit<WaitingRespondent, "isStarted">): void {
    const waiting = { ...respondent, isStarted: false };
    this.#waiting.set(respondentKey(respondent.name), waiting);
    this.#queued.push(waiting);
  }
}

const belowDepth = (depth: number | undefined): Timestamp | undefined =>
  depth === undefined || depth === Number.NEGATIVE_INFINITY
    ? undefined
    : addMicroseconds(timestampOfMicroseconds(depth), -1);
