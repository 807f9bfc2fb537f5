import type { ErrorCode, ErrorKind, ErrorScope, SurveyExportError } from "../errors.ts";
import { type Message, type Part, say } from "../text/message.ts";

/**
 * The whole policy of failures: which status means what (`verdictOn`), how long each caller goes on trying
 * (`RETRY_POLICIES`), and the waits between attempts (`RetryBudget`).
 */

// ── Statuses ────────────────────────────────────────────────────────────────────────────────────────────

/** What to do about a response: use it, pause all requests, try this one again, or fail at once. */
export type Action = "use" | "pause" | "retry" | "fail";

export interface Verdict {
  readonly action: Action;
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  /** How far the failure reaches once it is final. */
  readonly scope: ErrorScope;
  /** First part of the message: what happened. The place where it happened follows. */
  readonly what: Message;
  /** Last part of the message: what to do. */
  readonly advice: Message;
  /** Whether the response's body helps the reader of the message. */
  readonly quotesBody?: true;
}

const KEY_PAGE = say`in the service's web panel under Settings, Organization, Access Keys`;

/** A key that the service accepted until the time of day `until`. */
export const revoked = (until: Part): Pick<Verdict, "what" | "advice"> => ({
  what: say`The API key worked until ${until} and is refused now`,
  advice: say`Was it revoked? Enter the new key; it is shown ${KEY_PAGE}`,
});

const SERVER: Verdict = {
  action: "retry",
  kind: "transient",
  code: "unavailable",
  scope: "list",
  what: say`The service could not answer`,
  advice: say`Run the sync again; everything that was delivered is kept. If it goes on, ask the service`,
};

const NOT_FOUND: Verdict = {
  action: "fail",
  kind: "config",
  code: "not_found",
  scope: "list",
  what: say`The service found nothing at this address`,
  advice: say`Check the id, and that base_url is the service's address up to and including /v2`,
};

const REJECTED: Verdict = {
  action: "fail",
  kind: "config",
  code: "rejected",
  scope: "list",
  what: say`The service rejected the request`,
  advice: say`Check the ids, dates and attribute names in the configuration`,
  quotesBody: true,
};

/** The service documents 404 and 429 only; the rest is the common meaning of the status (S10). */
const BY_STATUS: Readonly<Record<number, Verdict>> = {
  400: REJECTED,
  401: {
    action: "fail",
    kind: "config",
    code: "unauthorized",
    scope: "run",
    what: say`The service does not accept the API key`,
    advice: say`Copy the key again; it is shown ${KEY_PAGE}`,
    quotesBody: true,
  },
  402: {
    action: "fail",
    kind: "config",
    code: "payment_required",
    scope: "run",
    what: say`The account's plan does not include API access`,
    advice: say`Ask the owner of the account to choose a plan with API access`,
    quotesBody: true,
  },
  403: {
    action: "fail",
    kind: "config",
    code: "forbidden",
    scope: "list",
    what: say`The service refuses access with this API key`,
    advice: say`Check that the plan includes API access and that the key belongs to the right workspace (${KEY_PAGE})`,
    quotesBody: true,
  },
  404: NOT_FOUND,
  408: SERVER,
  410: NOT_FOUND,
  422: REJECTED,
  425: SERVER,
  429: {
    action: "pause",
    kind: "transient",
    code: "rate_limited",
    scope: "run",
    what: say`The service's rate limit is reached`,
    advice: say`Run the sync again later, or lower requests_per_minute of the other connections to the same workspace`,
  },
  503: { ...SERVER, action: "pause", scope: "run", what: say`The service is unavailable` },
};

const USE: Verdict = { ...SERVER, action: "use" };

const REDIRECTED: Verdict = {
  action: "fail",
  kind: "config",
  code: "redirected",
  scope: "list",
  what: say`The service answered with a redirect. It is not followed, because the API key would be sent along`,
  advice: say`Set base_url to the address that the service really has, up to and including /v2`,
};

const UNKNOWN: Verdict = {
  action: "fail",
  kind: "system",
  code: "rejected",
  scope: "list",
  what: say`The service answered with a status that this version does not know`,
  advice: say`Check base_url; if it is right, report this`,
  quotesBody: true,
};

/** Every number has a verdict. */
export function verdictOn(status: number): Verdict {
  const known = BY_STATUS[status];
  if (known) return known;
  if (status >= 200 && status < 300) return USE;
  if (status >= 500 && status < 600) return SERVER;
  return status >= 300 && status < 400 ? REDIRECTED : UNKNOWN;
}

// ── Budgets ─────────────────────────────────────────────────────────────────────────────────────────────

/** How long to go on trying before a temporary failure counts as a failure. All times in milliseconds. */
export interface RetryPolicy {
  /** From `createClient` on, all requests and waits included. Requests in flight are aborted then. */
  readonly operationMs: number;
  /** One request with all its attempts and waits. */
  readonly requestMs: number;
  /** How long a request may be refused with 429, one after the other. */
  readonly rateLimitedMs: number;
  /** How long a request may be answered with 503, one after the other. */
  readonly unavailableMs: number;
  /** How often a request is sent in all while anything else fails (resets, 5xx, time-outs, content that cannot be used). */
  readonly attempts: number;
  /** How often of these while good answers have content that cannot be used. */
  readonly unusableAnswers: number;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

/** One profile for each caller. */
export const RETRY_POLICIES = {
  /** A sync waits for the rate limit for ever and survives two hours of maintenance. */
  sync: {
    operationMs: UNLIMITED,
    requestMs: UNLIMITED,
    rateLimitedMs: UNLIMITED,
    unavailableMs: 7_200_000,
    attempts: 8,
    unusableAnswers: 4,
  },
  /** Somebody waits for the result of `check`: it comes within 30 seconds. */
  check: {
    operationMs: 25_000,
    requestMs: 25_000,
    rateLimitedMs: 20_000,
    unavailableMs: 10_000,
    attempts: 3,
    unusableAnswers: 2,
  },
  /** Somebody may be watching an n8n execution. */
  execution: {
    operationMs: UNLIMITED,
    requestMs: 300_000,
    rateLimitedMs: 300_000,
    unavailableMs: 120_000,
    attempts: 4,
    unusableAnswers: 3,
  },
  /** Another poll follows soon. */
  poll: {
    operationMs: UNLIMITED,
    requestMs: 60_000,
    rateLimitedMs: 60_000,
    unavailableMs: 20_000,
    attempts: 3,
    unusableAnswers: 2,
  },
  /** Somebody has pressed a button. */
  credentialTest: {
    operationMs: 20_000,
    requestMs: 20_000,
    rateLimitedMs: 15_000,
    unavailableMs: 5_000,
    attempts: 2,
    unusableAnswers: 1,
  },
} as const satisfies Record<string, RetryPolicy>;

/** `policy` with at most so many attempts. */
export const atMost = (attempts: number, policy: RetryPolicy): RetryPolicy => ({
  ...policy,
  attempts: Math.min(attempts, policy.attempts),
  unusableAnswers: Math.min(attempts, policy.unusableAnswers),
});

const LONGEST_PAUSE_MS = 60_000;
const LONGEST_BACKOFF_MS = 30_000;

const doubling = (times: number, longestMs: number): number => Math.min(longestMs, 1000 * 2 ** (times - 1));

/** The least pause after the `times`-th 503 in a row that names no time: 1, 2, 4 … up to 60 seconds; after any 429, 1 second. */
export const pauseMs = (times: number): number => doubling(times, LONGEST_PAUSE_MS);

/** A failed attempt, and what it asks for. */
export interface FailedAttempt {
  readonly next: "pause" | "retry" | "unusable";
  readonly error: SurveyExportError;
  /** Of a pause: how long all requests wait now. */
  readonly pausedForMs?: number;
}

/** The attempts of one request. Without I/O and without a clock: the times are passed in (monotonic milliseconds). */
export class RetryBudget {
  readonly #policy: RetryPolicy;
  readonly #startedMs: number;
  readonly #deadlineMs: number;
  #sent = { retry: 0, unusable: 0 };
  /** The kind of pause that the last attempts met, and since when. */
  #pausedBy: ErrorCode | undefined;
  #pausedSinceMs = 0;

  constructor(policy: RetryPolicy, startedMs: number, operationStartedMs: number) {
    this.#policy = policy;
    this.#startedMs = startedMs;
    this.#deadlineMs = Math.min(startedMs + policy.requestMs, operationStartedMs + policy.operationMs);
  }

  /** How long an attempt may take from now. */
  remainingMs(nowMs: number): number {
    return Math.max(0, this.#deadlineMs - nowMs);
  }

  /** How long to wait before the next attempt (0 if a pause of all requests does the waiting). @throws the final error */
  waitAfter(failed: FailedAttempt, nowMs: number): number {
    const waitMs = failed.next === "pause" ? this.#pause(failed, nowMs) : this.#retry(failed, nowMs);
    const totalMs = Math.max(waitMs, failed.pausedForMs ?? 0);
    if (nowMs + totalMs > this.#deadlineMs) throw this.#gaveUp(failed.error, nowMs, totalMs);
    return waitMs;
  }

  #pause({ error, pausedForMs = 0 }: FailedAttempt, nowMs: number): number {
    if (this.#pausedBy !== error.code) this.#pausedSinceMs = nowMs;
    this.#pausedBy = error.code;
    const { rateLimitedMs, unavailableMs } = this.#policy;
    const limitMs = error.code === "rate_limited" ? rateLimitedMs : unavailableMs;
    if (nowMs + pausedForMs - this.#pausedSinceMs > limitMs) throw this.#gaveUp(error, nowMs, pausedForMs);
    return 0;
  }

  #retry({ next, error }: FailedAttempt, nowMs: number): number {
    this.#pausedBy = undefined;
    const kind = next === "unusable" ? "unusable" : "retry";
    const limit = kind === "unusable" ? this.#policy.unusableAnswers : this.#policy.attempts;
    this.#sent[kind]++;
    const sent = this.#sent.retry + this.#sent.unusable;
    if (this.#sent[kind] >= limit || sent >= this.#policy.attempts) throw this.#gaveUp(error, nowMs, 0);
    const backoffMs = doubling(sent, LONGEST_BACKOFF_MS);
    return Math.max(error.retryAfterMs ?? 0, backoffMs);
  }

  #gaveUp(last: SurveyExportError, nowMs: number, nextWaitMs: number): SurveyExportError {
    const times = this.#sent.retry + this.#sent.unusable;
    const tookMs = nowMs - this.#startedMs;
    const effort = times > 1 ? say`${times} times in ${inSeconds(tookMs)}` : say`for ${inSeconds(tookMs)}`;
    let error = tookMs < 1000 && times <= 1 ? last : last.adding(say`This was tried ${effort}.`);
    if (nowMs + nextWaitMs > this.#deadlineMs && nextWaitMs > 0) {
      error = error.adding(
        say`The next attempt would come after ${inSeconds(nextWaitMs)}, which is later than this request may take.`,
      );
    }
    return error;
  }
}

/** A duration for people. */
export function inSeconds(ms: number): Message {
  const rounded = Math.max(1, Math.round(ms / 1000));
  return rounded < 120 ? say`${rounded} s` : say`${Math.round(rounded / 60)} min`;
}
