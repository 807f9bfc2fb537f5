/**
 * The public API of the core. Nothing else is imported from outside. A host begins with `createClient` and `readStreams`:
 *
 *     const client = createClient({ transport, clock, log }, { baseUrl: "https://api.example.com/v2" });
 *     const streams = new Map([[STREAMS.survey_responses, undefined]]); // undefined: a first sync
 *     const events = readStreams(client, { surveyIds: ["s1"], respondentUuids: [], streams });
 *     for await (const event of events)
 *       if (event.type === "records") store(event.records, JSON.stringify(event.state));
 *
 * Below come the entries first, which a host calls. The parts after them are what entries take and give, and pieces of the
 * core from which a host builds something of its own.
 */

// Entries to read streams. `connector/airbyte/read.ts` and `newest-first.ts` of n8n's node show how they are called.

export { type Client, type ClientOptions, createClient, type Pause } from "./client/client.ts";
export type { StreamRecord } from "./streams/column.ts";
export type { StreamDefinition } from "./streams/definition.ts";
export { STREAMS, type StreamName } from "./streams/index.ts";
export type { SyncEvent } from "./sync/channel.ts";
export { readStreams } from "./sync/sync.ts";
export { isOfNamedRespondents, type SyncOptions, type SyncProgress } from "./sync/sync-options.ts";

// Entries for single requests without a sync: for `check`, for lists to choose from, and for estimates.

export { type Probed, probe } from "./client/probe.ts";
export { type SampledResponse, sampledResponses } from "./sync/sampled-responses.ts";
export { type ListedPage, listSurveys } from "./sync/surveys/list-surveys.ts";

// Entries for what an adapter has before it reads: the user's settings, and stored states.

export { type BaseUrlProblem, parseBaseUrl } from "./client/address.ts";
export {
  EMPTY_STATE,
  type InitialState,
  parseStreamState,
  type StateSnapshot,
  type StreamState,
  surveysIn,
} from "./coverage/stream-state.ts";
export {
  type Handling,
  type Hash,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  parseSalt,
  SHORTEST_SALT,
} from "./privacy/personal-data.ts";
export { createRecordTreatment, KEEP_ALL, type RecordTreatment } from "./privacy/record-treatment.ts";
export { createRedactor } from "./text/redactor.ts";

// Ports: what a host gives to `createClient`. `Host` holds a transport, a clock and a log.

export * from "./ports.ts";

// Errors and messages: what every adapter shows. What needs these alone imports `@survey-export/core/errors`
// and `@survey-export/core/message`, which load little else.

export { certain, ERROR_CODES, type ErrorCode, SurveyExportError } from "./errors.ts";
export * from "./text/message.ts";

// Parts of a transport: each host writes its own (`connector/node/transport.ts`, `host.ts` of n8n's node).

export {
  type Arriving,
  bodyTooLarge,
  LARGEST_BODY_BYTES,
  plainHeaders,
  textOfBody,
  whenComplete,
} from "./client/arriving.ts";
export { ConnectionFault, connectionFaultOf, finalFault, reasonOf } from "./client/connection-faults.ts";
export { brokenAnswer } from "./lists/page.ts";

// Parts of requesting: limits, one limiter for several clients, how long a caller goes on, and several requests at once.

export { inParallel } from "./client/in-parallel.ts";
export { DEFAULT_LIMITS, SERVICE_LIMITS } from "./client/limits.ts";
export { RateLimiter } from "./client/rate-limiter.ts";
export { RETRY_POLICIES, type RetryPolicy } from "./client/retry-policy.ts";

// Parts of choosing surveys as a sync does: for `check`, for a dry run, and for n8n's trigger.

export type { ListedSurvey } from "./lists/item.ts";
export { ALL_EXCLUDED, NO_SURVEYS } from "./lists/list-errors.ts";
export { chooseSurveys } from "./sync/surveys/choose-surveys.ts";
export {
  excludedNothing,
  idleExclusions,
  isEverySurveyRead,
  type NamedSurveys,
  namesNotIds,
  type SurveySelection,
  selectedSurveys,
} from "./sync/surveys/survey-selection.ts";

// Parts of a state: coverages, which n8n's trigger keeps from poll to poll, and timestamps.

export { type Coverage, coverageOf, isStrictlyInside, NOTHING } from "./coverage/coverage.ts";
export {
  addMicroseconds,
  earlier,
  parseTimestamp,
  type Timestamp,
  timestampOfMs,
} from "./coverage/timestamp.ts";

// Parts of records: their types, and the answers in them. n8n's outputs and generated files are made of these.

export { ANSWER_KINDS, ANSWER_TYPES, type AnswerKind, kindNamed } from "./answers/answer-kinds.ts";
export { type AnswerRow, answerRows, noOddAnswers } from "./streams/answer-rows.ts";
export type { RespondentAttribute } from "./streams/respondent-attributes.ts";
export type { RespondentResponse } from "./streams/respondent-responses.ts";
export type { SurveyResponse } from "./streams/survey-responses.ts";

// Checks of values that come from outside.

export { isObject } from "./text/json.ts";
export { isUuid } from "./text/uuid.ts";
