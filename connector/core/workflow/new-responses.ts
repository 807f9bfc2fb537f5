import type { Client } from "../client/client.ts";
import {
  type Coverage,
  cover,
  coverageOf,
  cutOut,
  holeAround,
  type Interval,
  isStrictlyInside,
  NOTHING,
} from "../coverage/coverage.ts";
import { EMPTY_STATE, type StateSnapshot } from "../coverage/stream-state.ts";
import {
  addMicroseconds,
  earlier,
  parseTimestamp,
  type Timestamp,
  timestampOfMs,
} from "../coverage/timestamp.ts";
import { certain, type SurveyExportError } from "../errors.ts";
import type { StreamRecord, SurveyResponse } from "../generated/records.ts";
import { surveyResponses } from "../streams/survey-responses.ts";
import { readStreams } from "../sync/read-streams.ts";
import type { SyncEvent } from "../sync/sync-event.ts";
import { MOST_UUIDS, type WatchedSurvey, type WatchState } from "./watch-state.ts";

/** Gaps that responses may leave that wait for their preparation, in all surveys. */
const MOST_GAPS = 100;
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
  /** Gives for each response what is handed over. One without must wait: it is not covered, and later polls try again. */
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
  readonly #held = new Map<string, Interval[]>();
  /** Ranges of responses that cannot be read, which are left out for good. */
  readonly #leftOut = new Map<string, Interval[]>();
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
    this.#begun.set(surveyId, { coverage, covered: NOTHING, handedOver });
  }

  /** Takes what is new, a page at a time. The state moves on with each page that was taken whole. */
  async read(surveys: WatchState): Promise<void> {
    const { most } = this.#options;
    for await (const event of this.#events([...surveys.keys()], surveys)) {
      if (event.type === "failure") this.#failed(event.error, event.surveyId);
      if (event.type === "unreadable") {
        const id = certain(event.surveyId, "the survey");
        this.unreadable.push(event.error);
        this.#leftOut.set(id, [...(this.#leftOut.get(id) ?? []), ...event.ranges]);
      }
      if (event.type !== "records") continue;
      this.hasRead = true;
      const id = certain(event.surveyId, "the survey");
      const survey = certain(surveys.get(id), "what the watch knows of it");
      const isWhole = await this.#take(id, event, survey);
      if (isWhole) this.#state = event.state;
      if (this.#responses.length >= most) this.isFull = true;
      if (!isWhole || this.isFull) return;
    }
  }

  /** @returns whether all that is new was handed over, or is remembered as open */
  async #take(
    surveyId: string,
    { records, state }: { readonly records: readonly StreamRecord[]; readonly state: StateSnapshot },
    { coverage, handedOver: before }: WatchedSurvey,
  ): Promise<boolean> {
    const { most, prepare, signal } = this.#options;
    const handedOver = this.#handedOver.get(surveyId) ?? new Map<string, Timestamp>();
    const fresh = (records as readonly SurveyResponse[])
      .map(dated)
      .filter(
        ({ response: { uuid }, at }) =>
          !isStrictlyInside(coverage, at) && !before.has(uuid) && !handedOver.has(uuid),
      );
    const taken = fresh.slice(0, most - this.#responses.length);
    const ready =
      taken.length === 0 ? new Map<never, never>() : await prepare(taken.map(({ response }) => response));
    const held = [...(this.#held.get(surveyId) ?? [])];
    const heldBefore = held.length;
    for (const { response, at } of taken) {
      const prepared = ready.get(response);
      if (prepared === undefined) held.push(holeAround([at, at]));
      else {
        handedOver.set(response.uuid, at);
        this.#responses.push({ response: prepared, at });
      }
    }
    this.#handedOver.set(surveyId, handedOver);
    const isHeld = held.length > heldBefore;
    if (taken.length < fresh.length || (isHeld && signal.aborted)) return false;
    const gaps = Object.entries(state.toJSON().surveys).reduce((sum, [id, covered]) => {
      const holes = id === surveyId ? held : (this.#held.get(id) ?? []);
      const intervals = cutOut(covered, coverageOf(holes)).filter(([older, newer]) => older !== newer);
      return sum + Math.max(0, intervals.length - 1);
    }, 0);
    if (isHeld && gaps > MOST_GAPS) return false;
    this.#held.set(surveyId, held);
    return true;
  }

  /** What is covered beside the responses that wait. A hole around something unreadable is closed once all beside it is. */
  #covered(id: string, state: Coverage): Coverage {
    let covered = state;
    for (const [from, to] of coverageOf((this.#leftOut.get(id) ?? []).map(holeAround))) {
      const isBelow = from === null || covered.some(([, newer]) => newer === from);
      if (isBelow && covered.some(([older]) => older === to)) covered = cover(covered, [from, to]);
    }
    return cutOut(covered, coverageOf(this.#held.get(id) ?? []));
  }

  result(from: WatchState): NewResponses {
    const before = new Map<string, WatchedSurvey>();
    const after = new Map<string, WatchedSurvey>();
    const state = this.#state?.toJSON();
    for (const id of this.#options.surveyIds) {
      const survey = this.#begun.get(id) ?? from.get(id);
      if (survey === undefined) continue;
      before.set(id, survey);
      const covered = state?.surveys[id];
      after.set(id, {
        ...survey,
        coverage: covered ? this.#covered(id, covered) : survey.coverage,
        handedOver: new Map([...survey.handedOver, ...(this.#handedOver.get(id) ?? [])]),
      });
    }
    const { hasRead, isFull, failures, unreadable } = this;
    return { responses: oldestFirst(this.#responses), before, after, hasRead, isFull, failures, unreadable };
  }

  #events(surveyIds: readonly string[], watched: WatchState): AsyncGenerator<SyncEvent<"survey_responses">> {
    const { attributes, signal } = this.#options;
    const surveys = new Map([...watched].map(([id, { coverage }]) => [id, coverage]));
    const state = { ...EMPTY_STATE, surveys };
    return readStreams(this.#client, {
      ...{ surveyIds, respondentUuids: [], attributes, inOrder: true, signal },
      streams: new Map([[surveyResponses, state]]),
    });
  }

  #failed(error: SurveyExportError, surveyId: string | undefined): void {
    // A failure of the whole run repeats one that names its survey.
    if (surveyId !== undefined && !this.failures.has(surveyId)) this.failures.set(surveyId, error);
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
