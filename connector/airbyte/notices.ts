import { createScreen, type Screen } from "../node/screen.ts";
import type { Message } from "./generated/protocol.ts";
import { isState, type Output } from "./output.ts";

/** The setting that writes notices to a standard error that is no terminal: logs of Kubernetes, Compose, Airflow. */
const STDERR_SETTING = "SURVEY_EXPORT_STDERR";

/**
 * The output, and the screen on which it also prints what people need to know: errors, warnings, the summary. Without
 * a screen where nobody would look at it.
 */
export function createNotices(output: Output): { output: Output; screen: Screen | undefined } {
  if (!isWatched()) return { output, screen: undefined };
  const screen = createScreen(process.stderr);
  return { output: withNotices(output, screen.print), screen };
}

/**
 * Whether people read standard error. Airbyte shows each of its lines as an error, so without a terminal only the
 * setting says so. With standard output on the same terminal, the messages are there already.
 */
function isWatched(): boolean {
  const setting = process.env[STDERR_SETTING] ?? "";
  if (setting !== "") return setting !== "0";
  return process.stderr.isTTY === true && process.stdout.isTTY !== true;
}

function withNotices(output: Output, print: (line: string) => void): Output {
  return {
    writeRecords: (lines) => output.writeRecords(lines),
    async write(lines) {
      for (const line of lines.split("\n")) {
        const notice = line === "" || isState(line) ? undefined : noticeOf(JSON.parse(line) as Message);
        if (notice) print(notice);
      }
      await output.write(lines);
    },
  };
}

const LEVELS: ReadonlySet<string> = new Set(["FATAL", "ERROR", "WARN", "INFO"]);

function noticeOf(message: Message): string | undefined {
  if (message.type === "LOG" && message.log) {
    const { level, message: text } = message.log;
    return LEVELS.has(level) ? `${level} ${text}` : undefined;
  }
  if (message.type === "CONNECTION_STATUS" && message.connectionStatus) {
    const { status, message: text } = message.connectionStatus;
    return text === undefined ? status : `${status} ${text}`;
  }
  if (message.type === "TRACE" && message.trace?.type === "ERROR") {
    const { message: text, stream_descriptor: stream } = message.trace.error ?? {};
    return `ERROR ${stream === undefined ? "" : `${stream.name}: `}${text}`;
  }
  return undefined;
}
