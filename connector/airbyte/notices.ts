import type { Message } from "./generated/protocol.ts";

const LEVELS: ReadonlySet<string> = new Set(["FATAL", "ERROR", "WARN", "INFO"]);

/** What people need to know of a message, as a line: errors, warnings, the summary. */
export function noticeOf(message: Message): string | undefined {
  if (message.type === "LOG" && message.log) {
    const { level, message: text } = message.log;
    return LEVELS.has(level) ? `${level} ${text}` : undefined;
  }
  if (message.type === "CONNECTION_STATUS" && message.connectionStatus) {
    const { status, message: text } = message.connectionStatus;
    return text === undefined ? status : `${status} ${text}`;
  }
  if (message.type === "TRACE" && message.trace?.type === "ERROR") {
    const { message: text, internal_message: codes, stream_descriptor: stream } = message.trace.error ?? {};
    const [, code] = codes?.split("/") ?? [];
    return `ERROR ${stream === undefined ? "" : `${stream.name}: `}${text}${code === undefined ? "" : ` [${code}]`}`;
  }
  return undefined;
}
