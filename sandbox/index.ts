/** The sandbox: a local survey service with the whole API, faults on demand, and the truth about its data. */
export {
  type Choices,
  DIALECTS,
  type DialectName,
} from "./choices.ts";
export { type Company, companyAnswers, exampleCompany } from "./data/company.ts";
export type { CollectedCount, Removal } from "./data/dataset.ts";
export {
  answerKeys,
  attributeKey,
  expectedKeys,
  KEYED_STREAMS,
  type KeyedStream,
  keyOf,
  type Reading,
  responseKey,
} from "./data/expected-keys.ts";
export type { Density, GeneratedResponses } from "./data/generated.ts";
export { PERSONAL_DATA, type PersonalValue } from "./data/personal-data.ts";
export type { AttributePair, AttributeRecord, ResponseInput, SurveyType } from "./data/record.ts";
export type { RespondentInput } from "./data/respondents.ts";
export type { SurveyOptions, SurveySummary } from "./data/survey.ts";
export type { TrueItem, TrueResponse, Truth } from "./data/truth.ts";
export { FAULT_CATALOGUE, type FaultName } from "./faults/catalogue.ts";
export { ConnectionFaultError, type ContentFault, type FaultReply, type WireFault } from "./faults/kinds.ts";
export type { ActiveFault, DataChange, DataEvent, Fault } from "./faults/plan.ts";
export type { Limits, Load } from "./http/limits.ts";
export type { ServiceReply } from "./http/reply.ts";
export type { Endpoint, ServiceRequest } from "./http/request.ts";
export type { Stats } from "./http/stats.ts";
export { type AnsweredRequest, exampleSurveys, type ServiceOptions } from "./options.ts";
export type { Answer } from "./request-handler.ts";
export { type Sandbox, type SandboxOptions, startSandbox } from "./server/server.ts";
export { createService, type Service } from "./service.ts";
export type { Clock } from "./time.ts";
