/** The public API of the core. Nothing else is imported from outside. */
export { ANSWER_KINDS, ANSWER_TYPES, type AnswerKind, kindNamed } from "./answers/answer-kinds.ts";
export { type BaseUrlProblem, parseBaseUrl } from "./client/address.ts";
export {
  type Arriving,
  bodyTooLarge,
  LARGEST_BODY_BYTES,
  plainHeaders,
  textOfBody,
  whenComplete,
} from "./client/arriving.ts";
export { Client, type ClientOptions, createClient, type Pause } from "./client/client.ts";
export { ConnectionFault, connectionFaultOf, finalFault, reasonOf } from "./client/connection-faults.ts";
export { inParallel } from "./client/in-parallel.ts";
export { DEFAULT_LIMITS, SERVICE_LIMITS } from "./client/limits.ts";
export { type Probed, probe } from "./client/probe.ts";
export { RateLimiter } from "./client/rate-limiter.ts";
export { RETRY_POLICIES, type RetryPolicy } from "./client/retry-policy.ts";
export { type Coverage, coverageOf, isStrictlyInside, NOTHING } from "./coverage/coverage.ts";
export {
  EMPTY_STATE,
  type InitialState,
  parseStreamState,
  type StateSnapshot,
  type StreamState,
  surveysIn,
} from "./coverage/stream-state.ts";
export {
  addMicroseconds,
  earlier,
  parseTimestamp,
  type Timestamp,
  timestampOfMs,
} from "./coverage/timestamp.ts";
export { certain, ERROR_CODES, type ErrorCode, SurveyExportError } from "./errors.ts";
export type { ListedSurvey } from "./lists/item.ts";
export { ALL_EXCLUDED, NO_SURVEYS } from "./lists/list-errors.ts";
export { brokenAnswer } from "./lists/page.ts";
export * from "./ports.ts";
export {
  type Handling,
  type Hash,
  PERSONAL_DATA_KINDS,
  type PersonalDataSetting,
  parseSalt,
  SHORTEST_SALT,
} from "./privacy/personal-data.ts";
export { createRecordTreatment, KEEP_ALL, type RecordTreatment } from "./privacy/record-treatment.ts";
export { type AnswerRow, answerRows, noOddAnswers } from "./streams/answer-rows.ts";
export type { StreamRecord } from "./streams/column.ts";
export type { StreamDefinition } from "./streams/definition.ts";
export { STREAMS, type StreamName } from "./streams/index.ts";
export type { RespondentAttribute } from "./streams/respondent-attributes.ts";
export type { RespondentResponse } from "./streams/respondent-responses.ts";
export type { SurveyResponse } from "./streams/survey-responses.ts";
export type { SyncEvent } from "./sync/channel.ts";
export { type SampledResponse, sampledResponses } from "./sync/sampled-responses.ts";
export { chooseSurveys } from "./sync/surveys/choose-surveys.ts";
export { type ListedPage, listSurveys } from "./sync/surveys/list-surveys.ts";
export {
  excludedNothing,
  idleExclusions,
  isEverySurveyRead,
  type NamedSurveys,
  namesNotIds,
  type SurveySelection,
  selectedSurveys,
} from "./sync/surveys/survey-selection.ts";
export { readStreams } from "./sync/sync.ts";
export { isOfNamedRespondents, type SyncOptions, type SyncProgress } from "./sync/sync-options.ts";
export { isObject } from "./text/json.ts";
export * from "./text/message.ts";
export { createRedactor } from "./text/redactor.ts";
export { isUuid } from "./text/uuid.ts";
