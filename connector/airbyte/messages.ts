import type { SurveyExportError } from "@survey-export/core";
import type {
  FailureType,
  LogLevel,
  Message,
  RateLimitedReason,
  StreamStatusValue,
} from "./generated/protocol.ts";

/**
 * The Airbyte messages as JSON lines, each ending in a newline (protocol v0). Each function returns whole
 * lines, so that no line is ever cut.
 */
const line = (message: Message): string => `${JSON.stringify(message)}\n`;

/** `recordCount`: records of this stream since its own previous state. */
export function stateLine(stream: string, state: string, recordCount: number): string {
  return `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":${JSON.stringify(
    stream,
  )}},"stream_state":${state}},"sourceStats":{"recordCount":${recordCount}}}}\n`;
}

export function logLine(level: LogLevel, message: string): string {
  return line({ type: "LOG", log: { level, message } });
}

export function statusLine(
  stream: string,
  status: StreamStatusValue,
  emittedAtMs: number,
  reason?: RateLimitedReason,
): string {
  return line({
    type: "TRACE",
    trace: {
      type: "STREAM_STATUS",
      emitted_at: emittedAtMs,
      stream_status: { stream_descriptor: { name: stream }, status, ...(reason && { reasons: [reason] }) },
    },
  });
}

const FAILURE_TYPES: Readonly<Record<SurveyExportError["kind"], FailureType>> = {
  config: "config_error",
  transient: "transient_error",
  system: "system_error",
};

/** The error that stopped the run, or one stream of it. It has a stack only where the fault is ours. */
export function errorLine(error: SurveyExportError, emittedAtMs: number, stream?: string): string {
  const origin = error.code === "defect" && error.cause instanceof Error ? error.cause : undefined;
  return line({
    type: "TRACE",
    trace: {
      type: "ERROR",
      emitted_at: emittedAtMs,
      error: {
        message: error.message,
        internal_message: `${error.kind}/${error.code}`,
        failure_type: FAILURE_TYPES[error.kind],
        ...(origin?.stack && { stack_trace: origin.stack }),
        ...(stream !== undefined && { stream_descriptor: { name: stream } }),
      },
    },
  });
}

export { line as messageLine };
