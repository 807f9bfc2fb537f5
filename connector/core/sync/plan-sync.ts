import type { Client } from "../client/client.ts";
import { type Gap, unionOfGaps } from "../coverage/coverage.ts";
import { EMPTY_STATE, type InitialState } from "../coverage/stream-state.ts";
import { parseTimestamp, type Timestamp } from "../coverage/timestamp.ts";
import type { Item } from "../lists/item.ts";
import { KEEP_ALL, type RecordTreatment } from "../privacy/record-treatment.ts";
import type { StreamDefinition } from "../streams/definition.ts";
import { RespondentAttributeList, type RespondentList, RespondentResponseList } from "./respondent-list.ts";
import type { WaitingRespondent } from "./respondent-queue.ts";
import { RespondentStreamProgress } from "./respondent-stream-progress.ts";
import { RespondentTask } from "./respondent-task.ts";
import { type RespondentSource, Scheduler } from "./scheduler.ts";
import { StreamCursor } from "./stream-cursor.ts";
import { type StreamProgress, SurveyStreamProgress } from "./stream-progress.ts";
import { SurveyList } from "./survey-list.ts";
import { SurveySliceTask } from "./survey-slice-task.ts";
import { treatedState, treatedStream } from "./treated-stream.ts";
import { Warnings } from "./warnings.ts";

export interface SyncOptions<Name extends string = string> {
  readonly surveyIds: readonly string[];
  readonly respondentUuids: readonly string[];
  /** The streams to read, each with its state (`parseStreamState`), or undefined for a first sync. */
  readonly streams: ReadonlyMap<StreamDefinition & { readonly name: Name }, InitialState | undefined>;
  /** Bounds of `collected_at`, both inclusive. */
  readonly startDate?: Timestamp | undefined;
  readonly endDate?: Timestamp | undefined;
  /** Names of the attributes to return with survey responses. */
  readonly attributes?: readonly string[];
  readonly lookbackMs?: number;
  /** 1 to 100. */
  readonly itemsPerPage?: number;
  /** Each survey strictly newest first, a page at a time and only when it is pulled, instead of slices side by side. */
  readonly inOrder?: boolean;
  /** What happens to personal data; default: it is kept. */
  readonly treatment?: RecordTreatment;
  readonly signal?: AbortSignal | undefined;
}

export interface SyncPlan {
  readonly streams: readonly StreamProgress[];
  readonly scheduler: Scheduler;
  readonly warnings: Warnings;
}

/** Everything that a sync works with, from its options. No request is made. */
export function planSync(client: Client, options: SyncOptions): SyncPlan {
  const { treatment = KEEP_ALL } = options;
  const warnings = new Warnings(client.host.log, treatment.fingerprint !== undefined);
  const streams = [...options.streams].map(([definition, state]) => {
    if (state !== undefined && state !== EMPTY_STATE && state.personalData !== treatment.fingerprint) {
      warnings.otherPersonalData(definition.name);
    }
    return streamProgress(
      treatedStream(definition, treatment),
      state ?? EMPTY_STATE,
      client,
      options,
      warnings,
    );
  });
  const surveys = options.surveyIds.map((id) => surveyList(id, streams, options, warnings));
  const scheduler = new Scheduler({
    surveys,
    respondents: streams
      .filter((stream) => stream instanceof RespondentStreamProgress)
      .map((stream) => respondentSource(stream, options, warnings)),
    itemsPerPage: options.itemsPerPage ?? 100,
    inOrder: options.inOrder ?? false,
  });
  return { streams, scheduler, warnings };
}

function streamProgress(
  definition: StreamDefinition,
  initialState: InitialState,
  client: Client,
  options: SyncOptions,
  warnings: Warnings,
): StreamProgress {
  const { surveyIds, respondentUuids, startDate, endDate, lookbackMs = 0, treatment = KEEP_ALL } = options;
  const cursor = new StreamCursor({
    initialState: treatedState(initialState, definition.reads, treatment),
    treatment,
    ...{ surveyIds, respondentUuids, startDate, endDate, lookbackMs },
    present: client.present(),
    dependsOnStartDate: definition.reads === "respondent responses",
  });
  if (cursor.cutAtPresent.length > 0) warnings.stateInFuture(definition.name, cursor.cutAtPresent);
  return definition.reads === "survey responses"
    ? new SurveyStreamProgress(definition, cursor, warnings.unknownFields)
    : new RespondentStreamProgress(
        definition,
        cursor,
        respondentUuids,
        initialState.notFound,
        treatment.identifiers === "keep",
      );
}

function surveyList(
  id: string,
  streams: readonly StreamProgress[],
  options: SyncOptions,
  warnings: Warnings,
): SurveyList<SurveySliceTask> {
  const gaps = streams.flatMap(({ cursor }) => cursor.gapsOfSurvey(id));
  return new SurveyList<SurveySliceTask>(
    {
      id,
      gaps: unionOfGaps(gaps),
      edges: new Set(gaps.flatMap(({ newer }) => newer ?? [])),
      itemsPerPage: options.itemsPerPage ?? 100,
      attributes: options.attributes ?? [],
    },
    (slice, survey) => new SurveySliceTask(survey, slice, streams, warnings),
  );
}

function respondentSource(
  stream: RespondentStreamProgress,
  options: SyncOptions,
  warnings: Warnings,
): RespondentSource {
  return {
    get length() {
      return stream.waiting;
    },
    next() {
      const respondent = stream.nextRespondent();
      if (respondent === undefined) return undefined;
      const open = (): RespondentList => respondentList(stream, respondent, options, warnings);
      const task = new RespondentTask(stream, respondent, open, warnings);
      return task.endIfCovered() ? undefined : task;
    },
  };
}

function respondentList(
  { definition, cursor }: RespondentStreamProgress,
  respondent: WaitingRespondent,
  options: SyncOptions,
  warnings: Warnings,
): RespondentList {
  const { uuid, spelling, collectedAt, late, from, isRecheck } = respondent;
  const { startDate, endDate, itemsPerPage = 100 } = options;
  const origin = { respondentUuid: spelling, collectedAt, unknownFields: warnings.unknownFields };
  if (definition.reads === "respondent attributes") {
    return new RespondentAttributeList(definition, spelling, itemsPerPage, origin);
  }
  const isConfigured = cursor.isConfigured(uuid);
  const whole: Gap = { older: startDate ?? null, newer: from ?? endDate };
  // What a note stands for may lie anywhere in the list.
  const wanted = isConfigured && !isRecheck ? cursor.gapsOfRespondent(uuid) : [whole];
  return new RespondentResponseList(definition, {
    ...{ uuid: spelling, itemsPerPage, origin },
    gaps: late === undefined ? wanted : [{ older: late, newer: late }],
    leads: () => [respondent.newestFound ?? parseTimestamp(collectedAt), respondent.oldestFound],
    settledUpTo: () => cursor.settledUpTo,
    mayEndAt: isConfigured || isRecheck ? undefined : (item) => mayEndAt(item, respondent, cursor),
  });
}

/**
 * A respondent's list is read down to the first response that an earlier sync delivered: that one brought all older
 * ones. And at least down to the oldest one that this sync found, since an older response may have appeared late.
 */
function mayEndAt(
  { survey, timestamp }: Item,
  { oldestFound }: WaitingRespondent,
  cursor: StreamCursor,
): boolean {
  if (oldestFound !== undefined && timestamp > oldestFound) return false;
  return survey !== undefined && cursor.wasDelivered(String(survey.id), timestamp);
}
