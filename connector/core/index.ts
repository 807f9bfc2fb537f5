/** The only door to the core. What is not exported here is nobody's business outside. */
export { type BaseUrlObjection, parseBaseUrl } from "./api/base-url.ts";
export { probe } from "./api/probe.ts";
export {
  connect,
  type Patience,
  type Pause,
  type Service,
  type ServiceOptions,
  type Traffic,
} from "./api/service.ts";
export { type ErrorCode, type ErrorKind, SurveyExportError } from "./errors.ts";
export type {
  Answer,
  RespondentAttribute,
  RespondentResponse,
  StreamRecord,
  SurveyResponse,
} from "./generated/records.ts";
export type { Clock, Fields, Host, HttpRequest, HttpResponse, Log, Transport } from "./ports.ts";
export type { Coverage, Span } from "./reading/coverage.ts";
export { addMicroseconds, type Moment, parseMoment } from "./reading/moment.ts";
export { type ReadEvent, type ReadOptions, read } from "./reading/read.ts";
export { type Delivered, parseStreamState, type StreamState } from "./reading/stream-state.ts";
export { STREAMS, type StreamName } from "./streams/index.ts";
export { quote, quoteBody, quoteList, quoteValue } from "./text/quote.ts";
export { createRedactor, type Redactor } from "./text/redactor.ts";
