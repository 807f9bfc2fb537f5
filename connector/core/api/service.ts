import { type ErrorCode, SurveyExportError } from "../errors.ts";
import type { Host, HttpResponse } from "../ports.ts";
import { createGovernor, type Limits, SERVICE_LIMITS } from "./governor.ts";
import { addressOf } from "./link.ts";
import { excerpt } from "./page.ts";
import { retryAfterMs } from "./retry-after.ts";
import { type Verdict, verdictOn } from "./status.ts";

/** How long to go on asking before a passing fault counts as a failure. */
export interface Patience {
  /** How long one request may be refused for the rate limit (429). A 429 is not a failure; syncs wait for ever. */
  readonly rateLimitedMs: number;
  /** How long one request may be answered with "unavailable" (503). */
  readonly unavailableMs: number;
  /** How often one request is sent when anything else goes wrong on the way (resets, 5xx, time-outs). */
  readonly attempts: number;
  /** How often one request is sent when good answers have content that cannot be used. */
  readonly brokenAnswers: number;
}

export const SYNC_PATIENCE: Patience = {
  rateLimitedMs: Number.POSITIVE_INFINITY,
  unavailableMs: 7_200_000,
  attempts: 8,
  brokenAnswers: 4,
};

export interface ServiceOptions extends Partial<Limits> {
  /** Ends in `/v2`; all paths lie below it. */
  readonly baseUrl: string;
  readonly patience?: Partial<Patience>;
}

/** Everything is waiting for the service until `untilMs` (epoch milliseconds). */
export interface Pause {
  readonly reason: "rate_limited" | "unavailable";
  readonly untilMs: number;
}

/** Counts since the service was connected. */
export interface Traffic {
  requests: number;
  retries: number;
  rateLimited: number;
}

/** The service, asked politely: within its limits, with retries, and never outside the base URL. */
export interface Service {
  /**
   * Asks for `path` and hands the body of a good answer to `decode`, which may throw a `broken_answer` to have
   * it asked again.
   * @throws SurveyExportError of every kind, naming the request; the signal's reason when that is aborted
   */
  get<T>(path: string, decode: (body: string) => T, signal?: AbortSignal): Promise<T>;
  /** Calls `listener` for each pause, until the returned function is called. */
  onPause(listener: (pause: Pause) => void): () => void;
  readonly maxConcurrentRequests: number;
  readonly traffic: Readonly<Traffic>;
  readonly host: Host;
}

const LONGEST_WAIT_MS = 60_000;
const LONGEST_RETRY_WAIT_MS = 30_000;
const growingMs = (times: number, longestMs: number): number => Math.min(longestMs, 1000 * 2 ** (times - 1));

export function connect(host: Host, options: ServiceOptions): Service {
  const { clock, log, transport } = host;
  const patience: Patience = { ...SYNC_PATIENCE, ...options.patience };
  const governor = createGovernor(clock, {
    maxConcurrentRequests: options.maxConcurrentRequests ?? SERVICE_LIMITS.maxConcurrentRequests,
    requestsPerMinute: options.requestsPerMinute ?? SERVICE_LIMITS.requestsPerMinute,
  });
  const traffic: Traffic = { requests: 0, retries: 0, rateLimited: 0 };
  const listeners = new Set<(pause: Pause) => void>();
  let pausesInARow = 0;
  let lastPauseMs = Number.NEGATIVE_INFINITY;

  const pauseAll = (startedMs: number, code: ErrorCode, waitMs: number | undefined): number => {
    if (startedMs > lastPauseMs) {
      pausesInARow++;
      lastPauseMs = clock.now();
    }
    const untilMs = clock.now() + (waitMs ?? growingMs(pausesInARow, LONGEST_WAIT_MS));
    const reason = code === "rate_limited" ? "rate_limited" : "unavailable";
    if (reason === "rate_limited") traffic.rateLimited++;
    governor.pause(untilMs, startedMs, reason === "rate_limited");
    for (const listener of listeners) listener({ reason, untilMs });
    return untilMs;
  };

  /** One attempt within the limits. A pause begins before its slot is free, so that nobody runs into it. */
  const send = (url: string, signal?: AbortSignal): Promise<Attempt> =>
    governor.run(async () => {
      const startedMs = clock.now();
      traffic.requests++;
      let answer: HttpResponse;
      try {
        answer = await transport({ url }, signal);
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        if (thrown instanceof SurveyExportError) throw thrown;
        return { fault: thrown };
      }
      const verdict = verdictOn(answer.status);
      const waitMs = retryAfterMs(answer.headers["retry-after"], clock.now());
      if (verdict.action === "pause") {
        return { answer, verdict, waitMs, pausedUntilMs: pauseAll(startedMs, verdict.code, waitMs) };
      }
      pausesInARow = 0;
      governor.recovered();
      return { answer, verdict, waitMs };
    }, signal);

  return {
    host,
    traffic,
    maxConcurrentRequests: governor.maxConcurrentRequests,
    onPause(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async get(path, decode, signal) {
      const url = addressOf(options.baseUrl, path);
      const place = `GET ${path}`;
      const beganMs = clock.now();
      const tries = { attempts: 0, brokenAnswers: 0 };
      for (;;) {
        const attempt = await send(url, signal);
        const outcome = judge(attempt, decode, place);
        if (outcome.next === "use") return outcome.value;
        const { next, failure } = outcome;
        if (next === "fail") throw failure;
        if (next === "pause") {
          const limitMs = failure.code === "rate_limited" ? patience.rateLimitedMs : patience.unavailableMs;
          if (outcome.untilMs - beganMs > limitMs) throw gaveUp(failure, undefined, clock.now() - beganMs);
          traffic.retries++;
          log("debug", `${failure.message} Everything waits for ${seconds(outcome.untilMs - clock.now())}.`);
          continue;
        }
        const times = ++tries[next];
        if (times >= patience[next]) throw gaveUp(failure, times, clock.now() - beganMs);
        traffic.retries++;
        const waitMs = Math.max(
          failure.retryAfterMs ?? 0,
          growingMs(tries.attempts + tries.brokenAnswers, LONGEST_RETRY_WAIT_MS),
        );
        log(
          "info",
          `${failure.message} Asking again in ${seconds(waitMs)} (attempt ${times} of ${patience[next]}).`,
        );
        await clock.sleep(waitMs, signal);
      }
    },
  };
}

type Attempt =
  | { readonly fault: unknown }
  | {
      readonly answer: HttpResponse;
      readonly verdict: Verdict;
      /** What the service asked to wait. */
      readonly waitMs: number | undefined;
      /** Set where everything now waits for the service. */
      readonly pausedUntilMs?: number;
    };

/** What an attempt comes to, and what is next: by a limit of the patience, where there is another. */
type Outcome<T> =
  | { readonly next: "use"; readonly value: T }
  | { readonly next: "fail" | "attempts" | "brokenAnswers"; readonly failure: SurveyExportError }
  | { readonly next: "pause"; readonly failure: SurveyExportError; readonly untilMs: number };

function judge<T>(attempt: Attempt, decode: (body: string) => T, place: string): Outcome<T> {
  if ("fault" in attempt) return { next: "attempts", failure: noAnswer(attempt.fault, place) };
  const { answer, verdict, waitMs, pausedUntilMs } = attempt;
  if (verdict.action !== "use") {
    const failure = refusal(verdict, answer, place, waitMs);
    if (pausedUntilMs !== undefined) return { next: "pause", failure, untilMs: pausedUntilMs };
    return { next: verdict.action === "retry" ? "attempts" : "fail", failure };
  }
  try {
    return { next: "use", value: decode(answer.body) };
  } catch (thrown) {
    const failure = SurveyExportError.from(thrown);
    if (failure.code !== "broken_answer") return { next: "fail", failure };
    return { next: "brokenAnswers", failure: unusable(failure, place) };
  }
}

const seconds = (ms: number): string => {
  const rounded = Math.max(1, Math.round(ms / 1000));
  return rounded < 120 ? `${rounded} s` : `${Math.round(rounded / 60)} min`;
};

function refusal(
  verdict: Verdict,
  answer: HttpResponse,
  place: string,
  waitMs: number | undefined,
): SurveyExportError {
  const said = verdict.quotesBody && answer.body !== "" ? excerpt(answer.body) : undefined;
  const quote = said === undefined ? "" : ` It said ${said}.`;
  return new SurveyExportError(
    verdict.kind,
    verdict.code,
    `${verdict.what} (status ${answer.status} to ${place}).${quote} ${verdict.advice}.`,
    { retryAfterMs: waitMs, status: answer.status, said },
  );
}

function noAnswer(fault: unknown, place: string): SurveyExportError {
  const reason = fault instanceof Error ? fault.message : String(fault);
  return new SurveyExportError(
    "transient",
    "no_answer",
    `No whole answer came from the service (${reason}; ${place}). Check that base_url is right and can be reached from here.`,
    { cause: fault },
  );
}

function unusable(broken: SurveyExportError, place: string): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "broken_answer",
    `The service's answer to ${place} cannot be used: it ${broken.message}. Check that base_url is the service's address; if it is, report this to the service.`,
  );
}

function gaveUp(last: SurveyExportError, times: number | undefined, tookMs: number): SurveyExportError {
  const effort =
    times === 1 ? "once" : `${times === undefined ? "" : `${times} times `}for ${seconds(tookMs)}`;
  const { kind, code, message, cause, retryAfterMs, status, said } = last;
  return new SurveyExportError(kind, code, `${message} This was tried ${effort}.`, {
    cause,
    retryAfterMs,
    status,
    said,
  });
}
