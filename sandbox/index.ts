/** The sandbox: a local survey service with the whole API, faults on demand, and the truth about its data. */
export { exampleCompany } from "./data/company.ts";
export { exampleSurveys } from "./data/example-surveys.ts";
export type { Density } from "./data/generated.ts";
export type { Question } from "./data/question.ts";
export type { ResponseInput, SurveyOptions, SurveyRecord } from "./data/survey.ts";
export { SURVEY_IDS } from "./data/survey-ids.ts";
export {
  answerKeys,
  attributeKey,
  expectedKeys,
  KEYED_STREAMS,
  keyOf,
  responseKey,
  surveyKeys,
  type TrueResponse,
  type Truth,
} from "./data/truth.ts";
export { DIALECTS, type Dialect } from "./dialects.ts";
export { FAULT_CATALOGUE, type FaultName } from "./faults/catalogue.ts";
export type { FaultReply } from "./faults/kinds.ts";
export type { Fault } from "./faults/plan.ts";
export type { Stats } from "./http/stats.ts";
export { machineClock, type Sandbox, type SandboxOptions, startSandbox } from "./server/server.ts";
export { createService, type Service, type ServiceOptions } from "./service.ts";
export type { Clock } from "./time.ts";
