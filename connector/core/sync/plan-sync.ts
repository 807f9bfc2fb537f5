import type { Client } from "../client/client.ts";
import { unionOfGaps } from "../coverage/coverage.ts";
import { EMPTY_STATE, type InitialState } from "../coverage/stream-state.ts";
import { type Timestamp, timestampOfMs } from "../coverage/timestamp.ts";
import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { GoneSurveys } from "./gone-surveys.ts";
import type { RespondentSource } from "./list-task.ts";
import { OpenRetry } from "./open-retry.ts";
import { RespondentStreamProgress } from "./respondent-stream-progress.ts";
import { Scheduler, SurveyTurns } from "./scheduler.ts";
import { StreamCursor } from "./stream-cursor.ts";
import { type StreamProgress, SurveyStreamProgress } from "./stream-progress.ts";
import { treatedStream } from "./stream-records.ts";
import { SurveyList, SurveySliceTask, type SurveyWork } from "./survey-list.ts";
import { type OnUnreadable, Warnings } from "./warnings.ts";

export interface SyncOptions<Name extends string = string> {
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  /** The streams to read, each with its state (`parseStreamState`), or undefined for a first sync. */
  readonly streams: ReadonlyMap<StreamDefinition & { readonly name: Name }, InitialState | undefined>;
  /** Surveys that an earlier sync has read. One that is not found is a warning if another survey is found. Default: none. */
  readonly knownSurveys?: ReadonlySet<string>;
  /** Bounds of `collected_at`, both inclusive. */
  readonly startDate?: Timestamp | undefined;
  readonly endDate?: Timestamp | undefined;
  /** Names of the attributes to return with survey responses. */
  readonly attributes?: readonly string[];
  readonly lookbackMs?: number;
  /** 1 to 100. */
  readonly itemsPerPage?: number;
  /** Each survey strictly newest first, its next page only when the last one was taken, instead of slices side by side. */
  readonly inOrder?: boolean;
  /** What happens to personal data; default: it is kept. */
  readonly treatment?: RecordTreatment;
  /** Default: `fail`. */
  readonly unreadable?: OnUnreadable;
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with what is left to read. */
  readonly onProgress?: (left: Left) => void;
}

/** What is left to read, as far as it is known. */
export interface Left {
  /** Surveys that were not read to their end. */
  readonly surveys: number;
  /** Respondents who were found and not asked for yet, in all streams together. */
  readonly respondents: number;
  /** Pages of surveys that were requested; and an estimate of those that are left, infinite without a start date. */
  readonly pages: number;
  pagesLeft(): number;
}

export interface SyncPlan {
  readonly streams: readonly StreamProgress[];
  readonly scheduler: Scheduler;
  readonly warnings: Warnings;
  readonly gone: GoneSurveys;
  readonly surveys: SurveyTurns;
  readonly respondents: readonly RespondentSource[];
  /** The service's present at the first page of the sync: the loop sets it. */
  readonly bound: { at: Timestamp | undefined };
}

/** What differs between the lists that streams read, but for the reading itself. */
const KINDS: Readonly<Record<StreamDefinition["reads"], { asksPeople: boolean; remembersPeople: boolean }>> =
  {
    "survey responses": { asksPeople: false, remembersPeople: false },
    "whole surveys": { asksPeople: false, remembersPeople: false },
    // Its state depends on whom the configuration names, and on the start date.
    "respondent responses": { asksPeople: true, remembersPeople: true },
    "respondent attributes": { asksPeople: true, remembersPeople: false },
  };

/** People of one page of open ranges who are asked for: with the page itself, two such pages use up the tries. */
const PEOPLE_OF_A_TRY = 24;

/** Everything that a sync works with, from its options. No request is made. */
export function planSync(client: Client, options: SyncOptions): SyncPlan {
  const { treatment = KEEP_ALL, surveyIds, itemsPerPage = 100, inOrder = false } = options;
  const { respondentUuids, startDate, endDate, unreadable, lookbackMs = 0 } = options;
  const leavesFieldsOut = treatment.fingerprint !== undefined;
  const warnings = new Warnings(client.host.log, { leavesFieldsOut, ...(unreadable && { unreadable }) });
  const began = timestampOfMs(client.host.clock.now());
  const bound = { at: undefined };
  const streams = [...options.streams].map(([definition, state]): StreamProgress => {
    const treated = treatedStream(definition, treatment);
    const initialState = initialStateOf(definition, state, treatment, warnings);
    const cursor = cursorOf(treated, initialState);
    return treated.reads === "survey responses" || treated.reads === "whole surveys"
      ? new SurveyStreamProgress({ definition: treated, cursor, warnings, began, startDate, lookbackMs })
      : new RespondentStreamProgress({
          ...{ definition: treated, cursor, warnings, bound, itemsPerPage },
          ...{ respondentUuids, startDate, endDate },
        });
  });
  const gone = new GoneSurveys(options.knownSurveys);
  const respondents = streams.flatMap((stream) => stream.respondents ?? []);
  const open = (id: string): SurveyList<SurveySliceTask> =>
    surveyList(id, { streams, turns: surveys, warnings, gone }, options);
  const wanted = surveyIds.filter((id) => streams.some(({ cursor }) => cursor.gapsOfSurvey(id).length > 0));
  const surveys = new SurveyTurns(wanted, open, itemsPerPage);
  const retries = streams.map((stream) => openRetry(stream, options, { warnings, gone }));
  const scheduler = new Scheduler({ surveys, retries, respondents, inOrder, bound });
  return { streams, scheduler, warnings, gone, bound, surveys, respondents };

  function cursorOf({ name, reads }: StreamDefinition, initialState: InitialState): StreamCursor {
    const cursor = new StreamCursor({
      ...{ initialState, surveyIds, respondentUuids, startDate, endDate, lookbackMs },
      present: client.present(),
      ...{ bound: KINDS[reads].asksPeople ? bound : undefined, personalData: treatment.fingerprint },
      readsListsOfResponses: KINDS[reads].remembersPeople,
    });
    if (cursor.cutAtPresent.length > 0) warnings.stateInFuture(name, cursor.cutAtPresent);
    return cursor;
  }
}

/** The state that a stream begins with. A snapshot starts over, and so does one whose state names respondents (0.1). */
function initialStateOf(
  { name, reads, isSnapshot }: StreamDefinition,
  state: InitialState = EMPTY_STATE,
  treatment: RecordTreatment,
  warnings: Warnings,
): InitialState {
  if (isSnapshot) return EMPTY_STATE;
  if (KINDS[reads].asksPeople && state.namesRespondents) {
    warnings.beginsAnew(name);
    return EMPTY_STATE;
  }
  if (state !== EMPTY_STATE && state.personalData !== treatment.fingerprint) warnings.otherPersonalData(name);
  return state;
}

function surveyList(id: string, work: SurveyWork, options: SyncOptions): SurveyList<SurveySliceTask> {
  const gaps = work.streams.flatMap(({ cursor }) => cursor.gapsOfSurvey(id));
  const { itemsPerPage = 100, attributes = [] } = options;
  return new SurveyList<SurveySliceTask>(
    {
      ...{ id, gaps: unionOfGaps(gaps), edges: new Set(gaps.flatMap(({ newer }) => newer ?? [])) },
      ...{ itemsPerPage, attributes },
    },
    (slice, survey) => new SurveySliceTask(survey, slice, work),
  );
}

function openRetry(
  stream: StreamProgress,
  options: SyncOptions,
  told: Pick<SyncPlan, "warnings" | "gone">,
): OpenRetry {
  const { surveyIds, attributes = [], itemsPerPage = 100 } = options;
  const people = stream.respondents === undefined ? undefined : PEOPLE_OF_A_TRY;
  return new OpenRetry({
    ...{ stream, surveyIds, attributes, ...told },
    itemsPerPage: Math.min(itemsPerPage, people ?? itemsPerPage),
    largestTry: 1 + (people ?? 0),
  });
}
