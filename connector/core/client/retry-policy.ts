import type { ErrorCode, ErrorKind, SurveyExportError } from "../errors.ts";
import { type Message, say } from "../text/message.ts";

/** Whether a response with this status is a page. */
export const isGood = (status: number): boolean => status >= 200 && status < 300;

/** What a status means that is not good. */
export interface Verdict {
  /** `transient`: the request is sent again. */
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  /** Whether all requests wait for the service. */
  readonly pausesAll?: true;
  /** Set if the failure is every list's, once it is final. */
  readonly scope?: "run";
  /** First part of the message: what happened. The place where it happened follows. */
  readonly what: Message;
  /** Last part of the message: what to do. */
  readonly advice: Message;
  /** Whether the response's body helps the reader of the message. */
  readonly quotesBody?: true;
}

const KEY_PAGE = say`in the service's web panel under Settings, Organization, Access Keys`;

/** Advice if the service fails. */
export const RUN_AGAIN = say`Run the sync again; everything that was delivered is kept. If it continues, ask the service`;

const SERVER: Verdict = {
  kind: "transient",
  code: "unavailable",
  what: say`The service could not answer`,
  advice: RUN_AGAIN,
};

const NOT_FOUND: Verdict = {
  kind: "config",
  code: "not_found",
  what: say`The service found nothing at this address`,
  advice: say`Check the id, and that base_url is the service's address up to and including /v2`,
};

const REJECTED: Verdict = {
  kind: "config",
  code: "rejected",
  what: say`The service rejected the request`,
  advice: say`Check the ids, dates and attribute names in the configuration`,
  quotesBody: true,
};

const FORBIDDEN: Verdict = {
  kind: "config",
  code: "forbidden",
  what: say`The service refuses access with this API key`,
  advice: say`Check that the plan includes API access and that the key belongs to the right workspace (${KEY_PAGE})`,
  quotesBody: true,
};

/** The service documents 404 and 429 only; the rest is the common meaning of the status (S10). */
const BY_STATUS: Readonly<Record<number, Verdict>> = {
  400: REJECTED,
  401: {
    kind: "config",
    code: "unauthorized",
    scope: "run",
    what: say`The service does not accept the API key`,
    advice: say`Copy the key again; it is shown ${KEY_PAGE}`,
    quotesBody: true,
  },
  402: FORBIDDEN,
  403: FORBIDDEN,
  404: NOT_FOUND,
  408: SERVER,
  410: NOT_FOUND,
  422: REJECTED,
  425: SERVER,
  429: {
    kind: "transient",
    code: "rate_limited",
    pausesAll: true,
    scope: "run",
    what: say`The service's rate limit is reached`,
    advice: say`Run the sync again later, or lower requests_per_minute of the other connections to the same workspace`,
  },
  503: { ...SERVER, pausesAll: true, scope: "run", what: say`The service is unavailable` },
};

const REDIRECTED: Verdict = {
  kind: "config",
  code: "redirected",
  what: say`The service answered with a redirect. It is not followed, because the API key would be sent along`,
  advice: say`Set base_url to the address that the service really has, up to and including /v2`,
};

const UNKNOWN: Verdict = {
  kind: "system",
  code: "rejected",
  what: say`The service answered with a status that this version does not know`,
  advice: say`Check base_url; if it is right, report this`,
  quotesBody: true,
};

/** Every number that is not good has a verdict. */
export function verdictOn(status: number): Verdict {
  if (status >= 300 && status < 400) return REDIRECTED;
  return BY_STATUS[status] ?? (status >= 500 && status < 600 ? SERVER : UNKNOWN);
}

/** Whether a request failed because the service asked it to wait (429, 503). */
export const wasAskedToWait = ({ status }: SurveyExportError): boolean =>
  status !== undefined && verdictOn(status).pausesAll === true;

/** How long a caller goes on before a temporary failure counts as a failure. */
export interface RetryPolicy {
  /** Milliseconds that a request may take, with all its attempts and waits. If it is under way then, it is aborted. */
  readonly deadlineMs: number;
  /**
   * How often a request is sent. A refusal that asks everybody to wait (429, 503) does not count.
   */
  readonly attempts: number;
  /**
   * A request that was under way for so long before it failed is not sent again, in milliseconds. Without this: requests
   * that get no reply keep all slots until the caller's time is over.
   */
  readonly longestRepeatedMs?: number;
}

/** One policy for each caller. A longer pause than its deadline allows fails a request at once. */
export const RETRY_POLICIES = {
  sync: { deadlineMs: Number.POSITIVE_INFINITY, attempts: 8 },
  /** Somebody waits for the result of `check`: it comes within 30 seconds. */
  check: { deadlineMs: 25_000, attempts: 3 },
  /** Somebody may be watching an n8n execution. */
  execution: { deadlineMs: 300_000, attempts: 4 },
  /** Another poll follows soon. Each has the times that n8n gives it in place of these. */
  poll: { deadlineMs: 240_000, attempts: 3, longestRepeatedMs: 30_000 },
  /** Somebody has pressed a button. */
  credentialTest: { deadlineMs: 10_000, attempts: 2 },
} as const satisfies Record<string, RetryPolicy>;

/** A service whose only replies are 429 and 503 for so long is given up. */
export const LONGEST_MAINTENANCE_MS = 7_200_000;

/** The wait after so many failed attempts, if the service asks for no more: 1, 2, 4 … up to 30 seconds. */
export const backoffMs = (failures: number): number => Math.min(30_000, 1000 * 2 ** (failures - 1));

/** The pause after a 503 that names no time: as long as they have lasted, but 1 to 60 seconds. */
export const maintenancePauseMs = (lastedMs: number): number => Math.min(60_000, Math.max(1000, lastedMs));

/** The longest wait that a header can ask for: a date in the far future must not stop a sync permanently. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/**
 * Milliseconds to wait according to a `Retry-After` header (RFC 9110, 10.2.3: seconds or an HTTP date),
 * at most an hour; undefined if the header is missing, nonsense or not in the future.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  const ms = /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) * 1000 : httpDateMs(text) - nowMs;
  return ms > 0 ? Math.min(Math.ceil(ms), LONGEST_RETRY_AFTER_MS) : undefined;
}

const HTTP_DATE =
  /^[A-Z][a-z]{2}(?:[a-z]*, \d\d[ -][A-Z][a-z]{2}[ -](?:\d\d){1,2}| [A-Z][a-z]{2} [ \d]\d) \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

/** Epoch milliseconds of an HTTP date (RFC 9110, 5.6.7); NaN for anything else that `Date.parse` takes for one, such as `5`. */
export function httpDateMs(text: string): number {
  const ms = HTTP_DATE.test(text) ? Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) : Number.NaN;
  return new Date(ms).getUTCDate() === Number(/\d+/.exec(text)) ? ms : Number.NaN;
}

/** `last`, with how often and how long it was tried. */
export function gaveUp(last: SurveyExportError, failures: number, tookMs: number): SurveyExportError {
  if (tookMs < 1000 && failures <= 1) return last;
  const took = inSeconds(tookMs);
  return last.adding(
    say`This was tried ${failures > 1 ? say`${failures} times in ${took}` : say`for ${took}`}.`,
  );
}

/** A duration for people. */
export function inSeconds(ms: number): Message {
  const rounded = Math.max(1, Math.round(ms / 1000));
  return rounded < 120 ? say`${rounded} s` : say`${Math.round(rounded / 60)} min`;
}
