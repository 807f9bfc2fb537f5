/**
 * What the core asks of its host. The core knows no platform: no sockets, no timers, no files,
 * no key. Each head (Airbyte, n8n) gives it these three things and nothing else.
 */

/** One GET. The host adds the authorization and the user agent; the core never sees the key. */
export interface HttpRequest {
  /** Absolute address, always under the base URL (the core refuses every other, see `api/link.ts`). */
  readonly url: string;
}

/** A whole answer, whatever its status. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. A header that came several times is joined by commas, or its first value. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The decoded body as text (UTF-8), whole: a host that got only a part of it rejects instead. */
  readonly body: string;
}

/**
 * Sends one GET, already authenticated by the host, and follows no redirect.
 * Resolves for any HTTP status; rejects only when no whole response arrived. A rejection that is a
 * `SurveyExportError` is final and is passed on; any other is taken for a passing fault and tried again.
 */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>;

/** Time, in milliseconds since the epoch. Injected, so that an hour of waiting is tested in a moment. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds, rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Where the core tells people what it does. Never given a key, a header or a whole body. */
export type Log = (level: "debug" | "info" | "warn", message: string, fields?: Fields) => void;

export interface Host {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
}
