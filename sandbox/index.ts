/** The sandbox: a local survey service with the whole API, faults on demand, and the truth about its data. */
export { type Company, exampleCompany } from "./data/company.ts";
export type { CollectedCount, Removal } from "./data/dataset.ts";
export { exampleSurveys } from "./data/example-surveys.ts";
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
export type { Density } from "./data/generated.ts";
export { PERSONAL_DATA, type PersonalValue } from "./data/personal-data.ts";
export type { ResponseInput } from "./data/record.ts";
export type { SurveyOptions } from "./data/survey.ts";
export type { TrueResponse, Truth } from "./data/truth.ts";
export { DIALECTS, type DialectName } from "./dialects.ts";
export { FAULT_CATALOGUE, type FaultName } from "./faults/catalogue.ts";
export type { FaultReply } from "./faults/kinds.ts";
export type { Fault } from "./faults/plan.ts";
export type { ServiceReply } from "./http/reply.ts";
export type { Stats } from "./http/stats.ts";
export type { AnsweredRequest, ServiceOptions } from "./request-handler.ts";
export { type Sandbox, type SandboxOptions, startSandbox } from "./server/server.ts";
export { createService, type Service } from "./service.ts";
export type { Clock } from "./time.ts";
