import { type Timestamp, timestampOfMs } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import type { Host, HttpResponse } from "../ports.ts";
import { fixed, joined, type Part, request, say, timeOfDay } from "../text/message.ts";
import { addressOf } from "./address.ts";
import { ConnectionFault, reasonOf } from "./connection-faults.ts";
import { DEFAULT_LIMITS, type Limits, RateLimiter } from "./rate-limiter.ts";
import { reasonIn, retryAfterMs } from "./refusal.ts";
import {
  atMost,
  type FailedAttempt,
  inSeconds,
  pauseMs,
  RETRY_POLICIES,
  RetryBudget,
  type RetryPolicy,
  revoked,
  type Verdict,
  verdictOn,
} from "./retry-policy.ts";
import { Silence } from "./silence.ts";

export interface ClientOptions extends Partial<Limits> {
  /** Ends in `/v2`; all paths lie below it. */
  readonly baseUrl: string;
  /** Default: the policy of a sync. */
  readonly retryPolicy?: RetryPolicy;
  /** One limiter for several clients of the same workspace; made from the limits if it is left out. */
  readonly rateLimiter?: RateLimiter;
}

/** All requests wait for the service until `untilMs` (epoch milliseconds). */
export interface Pause {
  readonly reason: "rate_limited" | "unavailable";
  readonly untilMs: number;
}

/** Since the client was made. */
export interface RequestCounts {
  readonly requests: number;
  readonly retries: number;
}

/** Reads a response body. May throw a `broken_answer` to have the request sent again. */
export type Parse<T> = (body: string, present: Timestamp) => T;

/** A service that is unavailable for so long is worth a warning. */
const MAINTENANCE_MS = 60_000;
/** The service's clock is believed to this precision: its `Date` header has whole seconds. */
const PRESENT_SLACK_MS = 1000;

/** GET requests to the service: within its limits, with retries, and never outside the base URL. */
export class Client {
  readonly host: Host;
  readonly rateLimiter: RateLimiter;
  readonly #baseUrl: string;
  readonly #policy: RetryPolicy;
  readonly #createdMs: number;
  readonly #listeners = new Set<(pause: Pause) => void>();
  /** Since when the service has given no good answer. */
  readonly silence = new Silence();
  /** When the service last accepted the key, by the host's clock. */
  #keyWorkedMs: number | undefined;
  #requests = 0;
  #retries = 0;
  /** Until when (monotonic) a further retry for the same reason is no news. */
  readonly #retryIsKnownUntilMs = new Map<string, number>();
  #pausesInARow = 0;
  /** The first 503 in a row: when it came, and whether people were told of it. */
  #unavailable: { readonly sinceMs: number; isTold: boolean } | undefined;
  #lastPauseMs = Number.NEGATIVE_INFINITY;
  /** The last `Date` header, and when it came (monotonic). */
  #lastDate: { readonly dateMs: number; readonly atMs: number } | undefined;

  constructor(host: Host, options: ClientOptions) {
    this.host = host;
    this.#baseUrl = options.baseUrl;
    this.#policy = options.retryPolicy ?? RETRY_POLICIES.sync;
    this.#createdMs = host.clock.monotonicMs();
    this.rateLimiter =
      options.rateLimiter ??
      new RateLimiter(
        host.clock,
        {
          maxConcurrentRequests: options.maxConcurrentRequests ?? DEFAULT_LIMITS.maxConcurrentRequests,
          requestsPerMinute: options.requestsPerMinute ?? DEFAULT_LIMITS.requestsPerMinute,
        },
        host.random ? { random: host.random } : {},
      );
  }

  get maxConcurrentRequests(): number {
    return this.rateLimiter.maxConcurrentRequests;
  }

  get counts(): RequestCounts {
    return { requests: this.#requests, retries: this.#retries };
  }

  /** Calls `listener` at each pause, until the returned function is called. */
  onPause(listener: (pause: Pause) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Requests `path` and gives the body of a good response to `parse`, with the service's present: the time of its
   * `Date` header less a second, or of the host's clock if the service sends none (S12).
   *
   * `attempts`: how often the request is sent at most, if that is less than the retry policy allows.
   *
   * @throws SurveyExportError of every kind, naming the request; the signal's reason when that is aborted
   */
  async get<T>(path: string, parse: Parse<T>, signal?: AbortSignal, attempts = Infinity): Promise<T> {
    const { clock, log } = this.host;
    const url = addressOf(this.#baseUrl, path);
    const place = request(path);
    const policy = atMost(attempts, this.#policy);
    const budget = new RetryBudget(policy, clock.monotonicMs(), this.#createdMs);
    for (let sent = 1; ; sent++) {
      this.#failIfPausedBeyond(budget, place);
      const attempt = await this.#sendInTime(url, budget, signal);
      if ("fault" in attempt && sent === 1 && !attempt.wasSent) {
        this.#failIfPausedBeyond(budget, place);
        throw notSent(attempt.afterMs, place);
      }
      const outcome = this.#judge(attempt, parse, place);
      this.#note(outcome);
      if ("value" in outcome) return outcome.value;
      if ("final" in outcome) throw outcome.final;
      const waitMs = budget.waitAfter(outcome, clock.monotonicMs());
      this.#retries++;
      if (outcome.next === "pause") {
        log(
          "debug",
          say`${outcome.error.facts} All requests wait for ${inSeconds(outcome.pausedForMs ?? 0)}.`,
        );
        continue;
      }
      const level = this.#isNewsOfRetry(outcome.error, waitMs) ? "info" : "debug";
      log(level, say`${outcome.error.facts} The next attempt follows in ${inSeconds(waitMs)}.`);
      await clock.sleep(waitMs, signal);
    }
  }

  /** A key that is refused now may have worked before. */
  #withHistory(verdict: Verdict): Verdict {
    if (verdict.code !== "unauthorized" || this.#keyWorkedMs === undefined) return verdict;
    return { ...verdict, ...revoked(timeOfDay(this.#keyWorkedMs)) };
  }

  #note(outcome: Outcome<unknown>): void {
    if ("next" in outcome && outcome.next !== "pause") this.silence.failed(outcome.error);
    else this.silence.good(this.host.clock.monotonicMs());
    if ("value" in outcome) this.#keyWorkedMs = this.host.clock.now();
  }

  /** Requests that are under way together fail together: the first one speaks for all. */
  #isNewsOfRetry({ code, status }: SurveyExportError, waitMs: number): boolean {
    const reason = `${code} ${status}`;
    const nowMs = this.host.clock.monotonicMs();
    if (nowMs < (this.#retryIsKnownUntilMs.get(reason) ?? 0)) return false;
    this.#retryIsKnownUntilMs.set(reason, nowMs + waitMs);
    return true;
  }

  /** The service's present by its last response; by the host's clock before the first one. */
  present(): Timestamp {
    const { clock } = this.host;
    const last = this.#lastDate;
    const nowMs = last === undefined ? clock.now() : last.dateMs + clock.monotonicMs() - last.atMs;
    return timestampOfMs(nowMs - PRESENT_SLACK_MS);
  }

  /** Another client of the same limiter may have met a pause that lasts longer than this request may take. */
  #failIfPausedBeyond(budget: RetryBudget, place: Part): void {
    const { pause } = this.rateLimiter;
    if (pause === undefined || pause.remainingMs <= budget.remainingMs(this.host.clock.monotonicMs())) return;
    const { kind, code, scope, what, advice } = verdictOn(pause.rateLimited ? 429 : 503);
    throw new SurveyExportError(
      kind,
      code,
      say`${what}, and all requests wait for another ${inSeconds(pause.remainingMs)} (${place}).`,
      { advice: say`${advice}.`, scope, retryAfterMs: pause.remainingMs },
    );
  }

  /** One attempt, aborted when its time is over. */
  async #sendInTime(url: string, budget: RetryBudget, signal: AbortSignal | undefined): Promise<Attempt> {
    const { clock } = this.host;
    const remainingMs = budget.remainingMs(clock.monotonicMs());
    if (remainingMs === Number.POSITIVE_INFINITY) return this.#send(url, signal);
    const deadline = new AbortController();
    let wasSent = false;
    const outOfTime = new ConnectionFault(say`no complete response within ${inSeconds(remainingMs)}`);
    const stop = (): void => deadline.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    const timer = new AbortController();
    clock.sleep(remainingMs, timer.signal).then(
      () => deadline.abort(outOfTime),
      () => {},
    );
    try {
      return await this.#send(url, deadline.signal, () => {
        wasSent = true;
      });
    } catch (thrown) {
      if (thrown !== outOfTime) throw thrown;
      return { fault: outOfTime, afterMs: remainingMs, wasSent };
    } finally {
      timer.abort();
      signal?.removeEventListener("abort", stop);
    }
  }

  /** One attempt within the limits. A pause begins before its slot is free, so that no request runs into it. */
  #send(url: string, signal: AbortSignal | undefined, onSent?: () => void): Promise<Attempt> {
    const { clock, transport } = this.host;
    return this.rateLimiter.run(async () => {
      const startedMs = clock.monotonicMs();
      this.#requests++;
      this.silence.started(startedMs);
      onSent?.();
      let response: HttpResponse;
      try {
        response = await transport({ url }, signal);
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        if (thrown instanceof SurveyExportError && thrown.code !== "broken_answer") throw thrown;
        return { fault: thrown, afterMs: clock.monotonicMs() - startedMs, wasSent: true };
      } finally {
        this.silence.ended();
      }
      const dateMs = Date.parse(response.headers.date ?? "");
      if (!Number.isNaN(dateMs)) this.#lastDate = { dateMs, atMs: clock.monotonicMs() };
      const verdict = verdictOn(response.status);
      if (verdict.action === "pause") {
        return { response, verdict, pausedForMs: this.#pauseAll(startedMs, verdict, response) };
      }
      this.#pausesInARow = 0;
      this.#unavailable = undefined;
      this.rateLimiter.recovered();
      return { response, verdict };
    }, signal);
  }

  #pauseAll(startedMs: number, verdict: Verdict, response: HttpResponse): number {
    const { clock } = this.host;
    const nowMs = clock.monotonicMs();
    if (startedMs > this.#lastPauseMs) {
      this.#pausesInARow++;
      this.#lastPauseMs = nowMs;
    }
    const isRateLimited = verdict.code === "rate_limited";
    const reason = isRateLimited ? "rate_limited" : "unavailable";
    // The limiter itself makes the pauses of repeated 429s longer, together with its share of the limits.
    const ownMs = pauseMs(isRateLimited ? 1 : this.#pausesInARow);
    const waitMs = retryAfterMs(response.headers["retry-after"], clock.now()) ?? ownMs;
    const pausedMs = this.rateLimiter.pauseFor(waitMs, startedMs, isRateLimited);
    if (!isRateLimited) this.#tellOfMaintenance(nowMs, pausedMs);
    for (const listener of this.#listeners) listener({ reason, untilMs: clock.now() + pausedMs });
    return pausedMs;
  }

  /** Once for 503s in a row, as soon as they hold everything up for a minute or more. */
  #tellOfMaintenance(nowMs: number, pausedMs: number): void {
    this.#unavailable ??= { sinceMs: nowMs, isTold: false };
    const { sinceMs, isTold } = this.#unavailable;
    if (isTold || nowMs + pausedMs - sinceMs < MAINTENANCE_MS) return;
    this.#unavailable.isTold = true;
    const { clock, log } = this.host;
    const since = timeOfDay(clock.now() - (nowMs - sinceMs));
    const until = timeOfDay(clock.now() + pausedMs);
    log(
      "warn",
      say`The service has been unavailable since ${since} (status 503). All requests wait until ${until}, and are tried again then.`,
      "service_unavailable",
    );
  }

  #judge<T>(attempt: Attempt, parse: Parse<T>, place: Part): Outcome<T> {
    if ("fault" in attempt) {
      const { fault } = attempt;
      return fault instanceof SurveyExportError
        ? { next: "unusable", error: unusable(fault, place) }
        : { next: "retry", error: noAnswer(fault, place) };
    }
    const { response, verdict, pausedForMs } = attempt;
    const nowMs = this.host.clock.now();
    if (verdict.action !== "use") {
      const error = refusal(this.#withHistory(verdict), response, place, nowMs);
      if (pausedForMs !== undefined) return { next: "pause", error, pausedForMs };
      return verdict.action === "retry" ? { next: "retry", error } : { final: error };
    }
    try {
      return { value: parse(response.body, presentOf(response, nowMs)) };
    } catch (thrown) {
      const error = SurveyExportError.from(thrown);
      if (error.code !== "broken_answer") return { final: error };
      return { next: "unusable", error: unusable(error, place) };
    }
  }
}

export function createClient(host: Host, options: ClientOptions): Client {
  return new Client(host, options);
}

/** The latest time that certainly is past for the service, by its own clock. */
function presentOf({ headers }: HttpResponse, nowMs: number): Timestamp {
  const dateMs = Date.parse(headers.date ?? "");
  return timestampOfMs((Number.isNaN(dateMs) ? nowMs : dateMs) - PRESENT_SLACK_MS);
}

type Attempt =
  | {
      readonly fault: unknown;
      readonly afterMs: number;
      /** False if the time was over before the limits let the request through. */
      readonly wasSent: boolean;
    }
  | {
      readonly response: HttpResponse;
      readonly verdict: Verdict;
      /** Set if all requests wait for the service now. */
      readonly pausedForMs?: number;
    };

type Outcome<T> = { readonly value: T } | { readonly final: SurveyExportError } | FailedAttempt;

function refusal(verdict: Verdict, response: HttpResponse, place: Part, nowMs: number): SurveyExportError {
  const reason = verdict.quotesBody ? reasonIn(response.body) : undefined;
  const { kind, code, scope, what, advice } = verdict;
  return new SurveyExportError(
    kind,
    code,
    joined([
      say`${what} (status ${fixed(String(response.status).padStart(3, "0"))} to ${place}).`,
      ...(reason ? [reason.sentence] : []),
    ]),
    {
      advice: say`${advice}.`,
      scope,
      retryAfterMs: retryAfterMs(response.headers["retry-after"], nowMs),
      status: response.status,
      answer: reason?.answer,
    },
  );
}

function noAnswer(fault: unknown, place: Part): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "no_answer",
    say`The request to the service failed (${reasonOf(fault)}; ${place}).`,
    {
      advice: say`Check that base_url is right and that the service can be reached from here.`,
      cause: fault,
    },
  );
}

/** The other requests of this process used up the limits for as long as this one could wait. */
function notSent(waitedMs: number, place: Part): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "not_sent",
    say`The request was not sent within ${inSeconds(waitedMs)}, because other requests of this program use up the workspace's rate limit (${place}).`,
    { advice: say`Run the sync again in a minute.`, scope: "run" },
  );
}

function unusable(broken: SurveyExportError, place: Part): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "broken_answer",
    say`The service's answer to ${place} cannot be used: it ${broken.facts}.`,
    { advice: say`Check that base_url is the service's address; if it is, report this to the service.` },
  );
}
