import type { Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import type { Host, HttpResponse } from "../ports.ts";
import { type Part, request, say, timeOfDay } from "../text/message.ts";
import { addressOf } from "./address.ts";
import { Attempts } from "./attempts.ts";
import { ConnectionFault } from "./connection-faults.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { noAnswer, notSent, refused, withPlace } from "./request-errors.ts";
import {
  httpDateMs,
  inSeconds,
  isGood,
  maintenancePauseMs,
  RETRY_POLICIES,
  type RetryPolicy,
  retryAfterMs,
  revoked,
  verdictOn,
} from "./retry-policy.ts";
import { type Failure, ServiceHistory } from "./service-history.ts";

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

/**
 * Reads a response body. May throw a `broken_answer` to have the request sent again. `isDated`: whether `present` comes
 * from the service's `Date` header.
 */
export type Parse<T> = (body: string, present: Timestamp, isDated: boolean) => T;

/** GET requests to the service: within its limits, with retries, and never outside the base URL. */
export class Client {
  readonly host: Host;
  readonly rateLimiter: RateLimiter;
  readonly history: ServiceHistory;
  readonly #baseUrl: string;
  readonly #policy: RetryPolicy;
  readonly #listeners = new Set<(pause: Pause) => void>();
  #requests = 0;
  #retries = 0;
  constructor(host: Host, options: ClientOptions) {
    this.host = host;
    this.history = new ServiceHistory(host.clock);
    this.#baseUrl = options.baseUrl;
    this.#policy = options.retryPolicy ?? RETRY_POLICIES.sync;
    this.rateLimiter =
      options.rateLimiter ?? new RateLimiter(host.clock, { ...DEFAULT_LIMITS, ...options }, host.random);
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
   * `Date` header less the time that the response took, or without one the host's time at which the request was sent;
   * less a second (S12).
   *
   * `attempts`: how often it is sent at most, if that is less than the retry policy allows.
   * @throws SurveyExportError of every kind, naming the request; the signal's reason when that is aborted
   */
  async get<T>(path: string, parse: Parse<T>, signal?: AbortSignal, attempts = Infinity): Promise<T> {
    const { clock, log } = this.host;
    const url = addressOf(this.#baseUrl, path);
    const place = request(path);
    const tries = new Attempts(this.history, this.#policy, attempts, clock.monotonicMs());
    for (; ; this.#retries++) {
      const attempt = await this.#sendBefore(tries.deadlineMs, url, place, signal);
      const outcome = "body" in attempt ? read(attempt, parse, place) : attempt;
      this.history.remember("value" in outcome ? undefined : outcome);
      if ("value" in outcome) return outcome.value;
      const { error, pausedMs } = outcome;
      if (error.kind !== "transient") throw error;
      const next = tries.after(outcome, clock.monotonicMs());
      if (typeof next !== "number") throw next;
      if (pausedMs !== undefined) {
        log("debug", say`${error.facts} All requests wait for ${inSeconds(pausedMs)}.`);
        continue;
      }
      const level = tries.failures === 1 ? "info" : "debug";
      log(level, say`${error.facts} The next attempt follows in ${inSeconds(next)}.`);
      await clock.sleep(next, signal);
    }
  }

  /** The service's present by its last response; by the host's clock before the first one. */
  present(): Timestamp {
    return this.history.present();
  }

  /** Another client of the same limiter may have met a pause that lasts longer than this request may take. */
  #failIfPausedBeyond(deadlineMs: number, place: Part): void {
    const { pause } = this.rateLimiter;
    if (pause === undefined || this.host.clock.monotonicMs() + pause.remainingMs <= deadlineMs) return;
    const { kind, code, scope, what, advice } = verdictOn(pause.rateLimited ? 429 : 503);
    throw new SurveyExportError(
      kind,
      code,
      say`${what}, and all requests wait for another ${inSeconds(pause.remainingMs)} (${place}).`,
      { advice: say`${advice}.`, scope, retryAfterMs: pause.remainingMs },
    );
  }

  /** One attempt, aborted at the deadline. */
  async #sendBefore(
    deadlineMs: number,
    url: string,
    place: Part,
    signal: AbortSignal | undefined,
  ): Promise<Attempt> {
    this.#failIfPausedBeyond(deadlineMs, place);
    const { clock } = this.host;
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs === Number.POSITIVE_INFINITY) return this.#send(url, place, signal);
    const outOfTime = new ConnectionFault(say`no complete response within ${inSeconds(leftMs)}`);
    const [deadline, timer] = [new AbortController(), new AbortController()];
    clock.sleep(leftMs, timer.signal).then(
      () => deadline.abort(outOfTime),
      () => {},
    );
    try {
      return await this.#send(url, place, AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]));
    } catch (thrown) {
      throw thrown === outOfTime ? notSent(leftMs, place) : thrown;
    } finally {
      timer.abort();
    }
  }

  /**
   * One attempt within the limits. A pause begins before its slot is free, so that no request runs into it. Throws the
   * signal's reason, unless a deadline ends a request under way.
   */
  #send(url: string, place: Part, signal: AbortSignal | undefined): Promise<Attempt> {
    const { clock, transport } = this.host;
    return this.rateLimiter.run(async () => {
      const sent = this.history.sent();
      this.#requests++;
      let response: HttpResponse;
      try {
        response = await transport({ url }, signal);
      } catch (thrown) {
        const fault: unknown = signal?.aborted ? signal.reason : thrown;
        if (signal?.aborted && !(fault instanceof ConnectionFault)) throw fault;
        if (!(fault instanceof SurveyExportError)) return { error: noAnswer(fault, place) };
        return { error: withPlace(fault, place) };
      } finally {
        this.history.ended();
      }
      const dated = this.history.dated(sent, httpDateMs(response.headers.date ?? ""));
      const verdict = verdictOn(response.status);
      if (verdict.pausesAll) {
        const pausedMs = this.#pauseAll(sent.atMs, verdict.code === "rate_limited", response);
        return { error: refused(verdict, response, place, clock.now()), pausedMs };
      }
      this.history.answered(sent);
      this.rateLimiter.recovered(sent.atMs);
      if (isGood(response.status)) return { body: response.body, ...dated };
      const workedMs = verdict.code === "unauthorized" ? this.history.keyWorkedMs : undefined;
      const history = workedMs === undefined ? {} : revoked(timeOfDay(workedMs));
      return { error: refused({ ...verdict, ...history }, response, place, clock.now()) };
    }, signal);
  }

  /** For how long. A 503 that holds everything up for a minute or more is told once, however often it comes. */
  #pauseAll(startedMs: number, isRateLimited: boolean, response: HttpResponse): number {
    const { clock, log } = this.host;
    const lastedMs = this.history.toldToWait(isRateLimited);
    const askedMs = retryAfterMs(response.headers["retry-after"], clock.now());
    const ms = isRateLimited ? askedMs : (askedMs ?? maintenancePauseMs(lastedMs));
    const pausedMs = this.rateLimiter.pauseFor(ms, startedMs, isRateLimited);
    const untilMs = clock.now() + pausedMs;
    if (this.history.pausedFor(pausedMs)) {
      const since = timeOfDay(clock.now() - lastedMs);
      log(
        "warn",
        say`The service has been unavailable since ${since} (status 503). All requests wait until ${timeOfDay(untilMs)}, and are tried again then.`,
        "service_unavailable",
      );
    }
    const reason = isRateLimited ? "rate_limited" : "unavailable";
    for (const listener of this.#listeners) listener({ reason, untilMs });
    return pausedMs;
  }
}

export function createClient(host: Host, options: ClientOptions): Client {
  return new Client(host, options);
}

/** A good response, and the latest time that certainly is past for the service, by its own clock. */
interface Good {
  readonly body: string;
  readonly present: Timestamp;
  readonly isDated: boolean;
}

type Attempt = Good | Failure;
type Outcome<T> = { readonly value: T } | Failure;

function read<T>({ body, present, isDated }: Good, parse: Parse<T>, place: Part): Outcome<T> {
  try {
    return { value: parse(body, present, isDated) };
  } catch (thrown) {
    return { error: withPlace(SurveyExportError.from(thrown), place) };
  }
}
