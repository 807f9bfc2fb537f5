import type { Clock, Pause, StateSnapshot, StreamName, SurveyExportError } from "@survey-export/core";
import type { SyncMode } from "./generated/protocol.ts";
import { errorLine, logLine, stateLine, statusLine } from "./messages.ts";

/** A state is due after this many records or milliseconds: a kill costs little, and the destination is not flooded. */
const STATE_EVERY_RECORDS = 1000;
const STATE_EVERY_MS = 2000;
/**
 * A state is written at least this often while nothing changes: only records and states count as a sign of life, and
 * platforms end a sync without one (Airbyte after 3 hours).
 */
const REPEAT_STATE_MS = 60_000;
/** Errors of one stream that become a TRACE. Further ones are only logged, since platforms show each TRACE. */
const MOST_ERRORS = 10;

/** The messages of one stream, in the order that the platform demands. Each method returns the lines to write. */
export interface StreamOutput {
  /** `current`: what the stream begins with. It is written only while nothing else is, or as the last state. */
  started(current: StateSnapshot): string;
  /** `count` records have been written, and `state` covers them. */
  delivered(count: number, state: StateSnapshot): string;
  /** No records come for a while. */
  waiting(pause: Pause | undefined): string;
  /** Empty where the same sentence was written before. */
  failed(error: SurveyExportError): string;
  ended(state: StateSnapshot, complete: boolean): string;
  /** The run ends here: writes the last state, from which the next run goes on. */
  interrupted(): string;
}

export function createStreamOutput(name: StreamName, syncMode: SyncMode, clock: Clock): StreamOutput {
  const fullRefresh = syncMode === "full_refresh";
  let state: StateSnapshot | undefined;
  let writtenState: StateSnapshot | undefined;
  let writtenText: string | undefined;
  let writtenMs = clock.monotonicMs();
  let recordsSince = 0;
  let repeats = 0;
  let rateLimitedUntilMs: number | undefined;
  /** The first sentences that were written. One fault of the service can fail every page with the same sentence. */
  const writtenErrors = new Set<string>();
  let over = false;

  /** `finished`: the last state of a complete stream. Until then a full refresh says that it can be resumed. */
  const textOf = (current: StateSnapshot, finished: boolean): string =>
    JSON.stringify(fullRefresh && !finished ? { ...current.toJSON(), full_refresh: true } : current);
  /**
   * Destinations refuse two equal states with records between them. Where the state is the one before, a counter makes
   * the difference; reading a state ignores it.
   */
  const write = (current: StateSnapshot, finished: boolean): string => {
    let text = textOf(current, finished);
    if (text === writtenText && recordsSince > 0) {
      text = JSON.stringify({ ...(JSON.parse(text) as object), repeats: ++repeats });
    } else writtenText = text;
    writtenState = current;
    writtenMs = clock.monotonicMs();
    const count = recordsSince;
    recordsSince = 0;
    return stateLine(name, text, count);
  };
  const hasNews = (): boolean =>
    state !== undefined && state !== writtenState && textOf(state, false) !== writtenText;
  const isSilent = (): boolean => clock.monotonicMs() - writtenMs >= REPEAT_STATE_MS;

  return {
    started(current) {
      state = current;
      writtenState = current;
      return statusLine(name, "STARTED", clock.now()) + statusLine(name, "RUNNING", clock.now());
    },
    delivered(count, current) {
      recordsSince += count;
      state = current;
      const status = rateLimitedUntilMs === undefined ? "" : statusLine(name, "RUNNING", clock.now());
      rateLimitedUntilMs = undefined;
      const due = recordsSince >= STATE_EVERY_RECORDS || clock.monotonicMs() - writtenMs >= STATE_EVERY_MS;
      return status + (due && (hasNews() || isSilent()) ? write(current, false) : "");
    },
    waiting(pause) {
      const now = clock.now();
      let lines = "";
      const isNews = rateLimitedUntilMs === undefined || now >= rateLimitedUntilMs;
      if (pause?.reason === "rate_limited" && isNews) {
        rateLimitedUntilMs = pause.untilMs;
        lines += statusLine(name, "RUNNING", now, {
          type: "RATE_LIMITED",
          rate_limited: { quota_reset: Math.round(pause.untilMs) },
        });
      }
      if (state === undefined) return lines;
      return hasNews() || isSilent() ? lines + write(state, false) : lines;
    },
    failed(error) {
      if (writtenErrors.has(error.message)) return "";
      if (writtenErrors.size < MOST_ERRORS) {
        writtenErrors.add(error.message);
        return errorLine(error, clock.now(), name);
      }
      return logLine("ERROR", `Stream ${name}: ${error.message}`);
    },
    ended(current, complete) {
      over = true;
      return write(current, complete) + statusLine(name, complete ? "COMPLETE" : "INCOMPLETE", clock.now());
    },
    interrupted() {
      if (over) return "";
      over = true;
      const last = state !== undefined && (hasNews() || recordsSince > 0) ? write(state, false) : "";
      return last + statusLine(name, "INCOMPLETE", clock.now());
    },
  };
}
