import type { Client } from "../client/client.ts";
import { type Coverage, isStrictlyInside, isWithin, NOTHING } from "../coverage/coverage.ts";
import { EMPTY_STATE, type StateSnapshot } from "../coverage/stream-state.ts";
import {
  addMicroseconds,
  earlier,
  parseTimestamp,
  type Timestamp,
  timestampOfMs,
} from "../coverage/timestamp.ts";
import { certain, type SurveyExportError } from "../errors.ts";
import type { SurveyResponse } from "../generated/records.ts";
import { surveyResponses } from "../streams/survey-responses.ts";
import type { SyncEvent } from "../sync/list-task.ts";
import { readStreams } from "../sync/read-streams.ts";
import { MOST_UUIDS, openAfter, type WatchedSurvey, type WatchState } from "./watch-state.ts";

/** Responses that may wait for their preparation, of all surveys. */
const MOST_HELD = 100;
/** Where the coverage of a survey without responses ends. */
const BEFORE_ALL = timestampOfMs(0);

export interface PollOptions {
  readonly surveyIds: readonly string[];
  /** Names of the attributes to return with responses. */
  readonly attributes: readonly string[];
  readonly lookbackMs: number;
  /** How many responses to hand over at most. */
  readonly most: number;
  /** Ends the reading. What was read until then counts. */
  readonly signal: AbortSignal;
  /** Gives for each response what is handed over. One without must wait: it stays open, and later polls try again. */
  readonly prepare: (
    responses: readonly SurveyResponse[],
  ) => Promise<ReadonlyMap<SurveyResponse, SurveyResponse>>;
}

/** What one poll brings. */
export interface NewResponses {
  /** Oldest first. */
  readonly responses: readonly SurveyResponse[];
  /** To go on from, if the responses are handed over. */
  readonly after: WatchState;
  /** To go on from, if they are to be handed over again. */
  readonly before: WatchState;
  /** Whether a page of anything was read. */
  readonly hasRead: boolean;
  /** Whether the poll ended because it may hand over no more. */
  readonly isFull: boolean;
  /** Why surveys could not be read, or not to their end. */
  readonly failures: ReadonlyMap<string, SurveyExportError>;
  /** Responses that cannot be read: they are left out. */
  readonly unreadable: readonly SurveyExportError[];
}

/**
 * Responses that are new to a watch, each handed over once: what lies outside of its coverage and is not known by its
 * UUID. So a response that shows up late, within the lookback, is new, and so is each of several with one timestamp.
 *
 * A survey that the watch does not know is covered up to its newest response: what is there now is not new.
 *
 * Any part can be handed over, since the coverage says exactly what is left. The list is newest first, and so is a
 * backlog that is larger than `most`: the newest part comes with this poll, and the rest with the next ones.
 *
 * @throws SurveyExportError only for a defect; failures of surveys are part of the result
 */
export async function newResponses(
  client: Client,
  from: WatchState,
  options: PollOptions,
): Promise<NewResponses> {
  const poll = new Poll(client, options);
  const known = new Map<string, WatchedSurvey>();
  const first: string[] = [];
  for (const id of options.surveyIds) {
    const survey = from.get(id);
    if (survey) known.set(id, survey);
    else first.push(id);
  }
  try {
    await Promise.all(first.map((id) => poll.begin(id)));
    if (known.size > 0) await poll.read(known);
  } catch (thrown) {
    if (!options.signal.aborted) throw thrown;
  }
  return poll.result(from);
}

class Poll {
  hasRead = false;
  isFull = false;
  readonly failures = new Map<string, SurveyExportError>();
  readonly unreadable: SurveyExportError[] = [];
  readonly #client: Client;
  readonly #options: PollOptions;
  readonly #begun = new Map<string, WatchedSurvey>();
  readonly #responses: Dated[] = [];
  /** What was handed over now, and what has to wait, by survey. */
  readonly #handedOver = new Map<string, Map<string, Timestamp>>();
  readonly #held = new Map<string, Timestamp[]>();
  /** All that wait, also since earlier polls: survey and timestamp. */
  readonly #waiting = new Set<string>();
  /** Covers what was handed over, beside what is held. */
  #state: StateSnapshot | undefined;

  constructor(client: Client, options: PollOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Covers a survey up to its newest response. */
  async begin(surveyId: string): Promise<void> {
    const { lookbackMs } = this.#options;
    const handedOver = new Map<string, Timestamp>();
    let newest: Timestamp | undefined;
    for await (const event of this.#events([surveyId], new Map())) {
      if (event.type === "failure" && event.error.code !== "unreadable_item") {
        this.failures.set(surveyId, event.error);
        return;
      }
      if (event.type !== "records") continue;
      this.hasRead = true;
      let isBelow = false;
      for (const { response, at } of (event.records as readonly SurveyResponse[]).map(dated)) {
        newest ??= earlier(at, this.#client.present());
        isBelow = at < addMicroseconds(newest, -1_000 * lookbackMs);
        handedOver.set(response.uuid, at);
      }
      if (isBelow || handedOver.size > MOST_UUIDS) break;
    }
    const coverage: Coverage = [[null, newest ?? BEFORE_ALL]];
    this.#begun.set(surveyId, { coverage, covered: NOTHING, open: NOTHING, handedOver });
  }

  /** Takes what is new, a page at a time. The state moves on with each page that was taken whole. */
  async read(surveys: WatchState): Promise<void> {
    const { most } = this.#options;
    for (const [id, { open }] of surveys) for (const [, at] of open) this.#waiting.add(`${id} ${at}`);
    for await (const event of this.#events([...surveys.keys()], surveys)) {
      if (event.type === "failure") this.#failed(event.error, event.surveyId);
      if (event.type !== "records") continue;
      this.hasRead = true;
      const id = certain(event.surveyId, "the survey");
      const survey = certain(surveys.get(id), "what the watch knows of it");
      const isWhole = await this.#take(id, event.records as readonly SurveyResponse[], survey);
      if (isWhole) this.#state = event.state;
      if (this.#responses.length >= most) this.isFull = true;
      if (!isWhole || this.isFull) return;
    }
  }

  /** @returns whether all that is new was handed over, or is remembered as open */
  async #take(
    surveyId: string,
    records: readonly SurveyResponse[],
    { coverage, open, handedOver: before }: WatchedSurvey,
  ): Promise<boolean> {
    const { most, prepare, signal } = this.#options;
    const handedOver = this.#handedOver.get(surveyId) ?? new Map<string, Timestamp>();
    const fresh = records.map(dated).filter(({ response: { uuid }, at }) => {
      const isCovered = isStrictlyInside(coverage, at) && !isWithin(open, at);
      return !isCovered && !before.has(uuid) && !handedOver.has(uuid);
    });
    const taken = fresh.slice(0, most - this.#responses.length);
    const ready =
      taken.length === 0 ? new Map<never, never>() : await prepare(taken.map(({ response }) => response));
    const held: Timestamp[] = [];
    for (const { response, at } of taken) {
      const prepared = ready.get(response);
      if (prepared === undefined) held.push(at);
      else {
        handedOver.set(response.uuid, at);
        this.#responses.push({ response: prepared, at });
        this.#waiting.delete(`${surveyId} ${at}`);
      }
    }
    this.#handedOver.set(surveyId, handedOver);
    if (taken.length < fresh.length || (held.length > 0 && signal.aborted)) return false;
    const waiting = held.map((at) => `${surveyId} ${at}`).filter((place) => !this.#waiting.has(place));
    if (this.#waiting.size + waiting.length > MOST_HELD) return false;
    for (const place of waiting) this.#waiting.add(place);
    this.#held.set(surveyId, [...(this.#held.get(surveyId) ?? []), ...held]);
    return true;
  }

  result(from: WatchState): NewResponses {
    const before = new Map<string, WatchedSurvey>();
    const after = new Map<string, WatchedSurvey>();
    const state = this.#state?.toJSON();
    for (const id of this.#options.surveyIds) {
      const survey = this.#begun.get(id) ?? from.get(id);
      if (survey === undefined) continue;
      before.set(id, survey);
      after.set(id, {
        ...survey,
        coverage: state?.surveys[id] ?? survey.coverage,
        open: openAfter(
          survey,
          state ? (state.open?.[id] ?? NOTHING) : survey.open,
          this.#held.get(id) ?? [],
        ),
        handedOver: new Map([...survey.handedOver, ...(this.#handedOver.get(id) ?? [])]),
      });
    }
    const { hasRead, isFull, failures, unreadable } = this;
    return { responses: oldestFirst(this.#responses), before, after, hasRead, isFull, failures, unreadable };
  }

  #events(surveyIds: readonly string[], watched: WatchState): AsyncGenerator<SyncEvent<"survey_responses">> {
    const { attributes, signal } = this.#options;
    const survey = (part: "coverage" | "open"): Map<string, Coverage> =>
      new Map([...watched].map(([id, known]) => [id, known[part]]));
    const state = { ...EMPTY_STATE, surveys: survey("coverage"), open: survey("open") };
    return readStreams(this.#client, {
      ...{ surveyIds, respondentUuids: [], attributes, inOrder: true, signal },
      streams: new Map([[surveyResponses, state]]),
    });
  }

  #failed(error: SurveyExportError, surveyId: string | undefined): void {
    if (error.code === "unreadable_item") this.unreadable.push(error);
    // A failure of the whole run repeats one that names its survey.
    else if (surveyId !== undefined && !this.failures.has(surveyId)) this.failures.set(surveyId, error);
  }
}

interface Dated {
  readonly response: SurveyResponse;
  readonly at: Timestamp;
}

const dated = (response: SurveyResponse): Dated => ({
  response,
  at: certain(parseTimestamp(response.collected_at), "collected_at"),
});

/** Of one timestamp, the service shows the newest first. */
const oldestFirst = (responses: readonly Dated[]): SurveyResponse[] =>
  responses
    .toReversed()
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
    .map(({ response }) => response);
