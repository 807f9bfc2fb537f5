import type { Message } from "./text/message.ts";

/**
 * What the core asks of its host. The core knows no platform: no sockets, no timers, no files. Only `createRedactor` is
 * given the API key.
 * Each adapter (Airbyte, n8n) implements these ports and nothing else.
 */

/** One GET. The host adds the authorization and the user agent; no function that sends one sees the API key. */
export interface HttpRequest {
  /** Absolute address, always under the base URL (the core refuses every other, see `client/address.ts`). */
  readonly url: string;
}

/** A complete HTTP response, whatever its status. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. A header that came several times is joined by commas, or its first value. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The whole body, by `textOfBody`: a host that received only a part of it rejects instead. */
  readonly body: string;
}

/**
 * Sends one GET, already authenticated by the host, and follows no redirect.
 * Resolves for any HTTP status; rejects only when no complete response arrived, or with `broken_answer` when a page
 * cannot be decoded. Any other `SurveyExportError` is final and is passed on; every other rejection is retried. A
 * `ConnectionFault` says why in words of ours; the message of any other error is quoted.
 */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>;

/** Time. Injected, so that a test waits for an hour in a millisecond. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. It may step back or jump when somebody corrects the clock. */
  now(): number;
  /** Milliseconds since some fixed point. Never steps back: for waits, limits and durations. */
  monotonicMs(): number;
  /** Resolves after `ms` milliseconds, rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a warning is about. Documents refer to it (docs/troubleshooting.md), and adapters write it after the sentence. */
export type WarningCode = (typeof WARNING_CODES)[number];

export const WARNING_CODES = [
  "future_response",
  "nameless_response",
  "respondents_not_found",
  "respondents_failed",
  "surveys_not_found",
  "nothing_to_read",
  "nothing_excluded",
  "surveys_not_named",
  "names_missing",
  "items_omitted",
  "undocumented",
  "outdated_state",
] as const;

/** Where the core reports its work to people. `code`: of each warning. Never given a key, a header or a whole body. */
export type Log = (level: "debug" | "info" | "warn", message: Message, code?: WarningCode) => void;

export interface Host {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * From 0 up to and without 1, such as `Math.random`. Spreads the requests of processes that share a workspace.
   * Without it, they collide in step.
   */
  readonly random?: () => number;
}
