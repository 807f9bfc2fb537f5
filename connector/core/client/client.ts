import { type Timestamp, timestampOfMs } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import type { Host, HttpResponse } from "../ports.ts";
import { type Part, request, say, timeOfDay } from "../text/message.ts";
import { addressOf } from "./address.ts";
import { ConnectionFault } from "./connection-faults.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { noAnswer, notSent, refused, withPlace } from "./request-errors.ts";
import {
  backoffMs,
  gaveUp,
  httpDateMs,
  inSeconds,
  isGood,
  LONGEST_MAINTENANCE_MS,
  maintenancePauseMs,
  RETRY_POLICIES,
  type RetryPolicy,
  retryAfterMs,
  revoked,
  verdictOn,
} from "./retry-policy.ts";

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

/**
 * Since when the service has given no good answer, though it was asked (monotonic milliseconds). A good answer is a page,
 * a refusal of one request, or the wish that all requests wait (429, 503): the service is there.
 */
export interface Silence {
  /** The start of the first request after the last good answer; undefined if none has started. */
  readonly sinceMs: number | undefined;
  readonly lastGoodMs?: number | undefined;
  /** Of the attempts since then. */
  readonly lastFailure?: SurveyExportError | undefined;
}

/** A service that is unavailable for so long is worth a warning. */
const WORTH_A_WARNING_MS = 60_000;
/** The service's clock is believed to this precision: its `Date` header has whole seconds. */
const PRESENT_SLACK_MS = 1000;

/** GET requests to the service: within its limits, with retries, and never outside the base URL. */
export class Client {
  readonly host: Host;
  readonly rateLimiter: RateLimiter;
  readonly #baseUrl: string;
  readonly #policy: RetryPolicy;
  readonly #listeners = new Set<(pause: Pause) => void>();
  silence: Silence = { sinceMs: undefined };
  #inFlight = 0;
  /** When the service last accepted the key, by the host's clock. */
  #keyWorkedMs: number | undefined;
  #requests = 0;
  #retries = 0;
  /** The first 503 in a row: when it came, and whether people were told of it. */
  #unavailable: { readonly sinceMs: number; isTold: boolean } | undefined;
  /** The start of the last request that was answered without the wish to wait (monotonic). */
  #answeredMs = Number.NEGATIVE_INFINITY;
  /** Since when a request was told to wait that was given up, while others were answered (monotonic). */
  #gaveUpAloneMs = Number.POSITIVE_INFINITY;
  /** The last `Date` header, and when it came (monotonic). */
  #lastDate: { readonly dateMs: number; readonly atMs: number } | undefined;

  constructor(host: Host, options: ClientOptions) {
    this.host = host;
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
   * A request that is told to wait (429, 503) for two hours fails like its list if others, sent later, are answered. From
   * then on each such answer is an attempt. If no other is answered, a 503 of two hours is the whole service's, and a 429
   * is waited out. `attempts`: as of a retry policy, if that is less than the client's own allows. Such a request is one of
   * many, which may hold all slots: a 429 of two hours ends it in any case.
   * @throws SurveyExportError of every kind, naming the request; the signal's reason when that is aborted
   */
  async get<T>(path: string, parse: Parse<T>, signal?: AbortSignal, attempts = Infinity): Promise<T> {
    const { clock, log } = this.host;
    const url = addressOf(this.#baseUrl, path);
    const place = request(path);
    const startedMs = clock.monotonicMs();
    const deadlineMs = startedMs + this.#policy.deadlineMs;
    let attemptsLeft = Math.min(attempts, this.#policy.attempts);
    /** Since when it is told to wait while others are answered. */
    let aloneSinceMs = Number.POSITIVE_INFINITY;
    for (let failures = 0; ; this.#retries++) {
      const attempt = await this.#sendBefore(deadlineMs, url, place, signal);
      const outcome = "body" in attempt ? read(attempt, parse, place) : attempt;
      this.#note(outcome);
      if ("value" in outcome) return outcome.value;
      const { error, pausedMs } = outcome;
      if (error.kind !== "transient") throw error;
      const nowMs = clock.monotonicMs();
      // One of many may be in the way of those that would be answered.
      const isInTheWay = attempts < Infinity;
      const isCounting = isInTheWay ? aloneSinceMs < Infinity : this.#answeredMs > aloneSinceMs;
      if (pausedMs !== undefined && !isCounting) aloneSinceMs = nowMs;
      const isAlone = isInTheWay || this.#answeredMs > Math.min(aloneSinceMs, this.#gaveUpAloneMs);
      if (pausedMs === undefined || (isAlone && this.#gaveUpAloneMs < Infinity)) {
        failures++;
        attemptsLeft -= error.code === "broken_answer" ? 2 : 1;
      }
      const waitMs = pausedMs ?? Math.max(error.retryAfterMs ?? 0, backoffMs(failures));
      const nextMs = nowMs + waitMs;
      const isDown = nextMs - (this.#unavailable?.sinceMs ?? nowMs) > LONGEST_MAINTENANCE_MS;
      if (isAlone && nextMs - aloneSinceMs > LONGEST_MAINTENANCE_MS) {
        attemptsLeft = 0;
        this.#gaveUpAloneMs = aloneSinceMs;
      }
      if (attemptsLeft <= 0 || isDown || nextMs > deadlineMs) {
        const failure = gaveUp(error, failures, nowMs - startedMs);
        throw attemptsLeft <= 0 && !isDown ? failure.ofList() : failure;
      }
      if (pausedMs !== undefined) {
        log("debug", say`${error.facts} All requests wait for ${inSeconds(pausedMs)}.`);
        continue;
      }
      log(
        failures === 1 ? "info" : "debug",
        say`${error.facts} The next attempt follows in ${inSeconds(waitMs)}.`,
      );
      await clock.sleep(waitMs, signal);
    }
  }

  #note(outcome: Outcome<unknown>): void {
    const { clock } = this.host;
    if ("value" in outcome) this.#keyWorkedMs = clock.now();
    else if (outcome.pausedMs === undefined && outcome.error.kind === "transient") {
      this.silence = { ...this.silence, lastFailure: outcome.error };
      return;
    }
    const nowMs = clock.monotonicMs();
    this.silence = { lastGoodMs: nowMs, sinceMs: this.#inFlight > 0 ? nowMs : undefined };
  }

  /** The service's present by its last response; by the host's clock before the first one. */
  present(): Timestamp {
    const { clock } = this.host;
    const last = this.#lastDate;
    const nowMs = last === undefined ? clock.now() : last.dateMs + clock.monotonicMs() - last.atMs;
    return timestampOfMs(nowMs - PRESENT_SLACK_MS);
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
      const [startedMs, sentMs] = [clock.monotonicMs(), clock.now()];
      this.#requests++;
      this.#inFlight++;
      this.silence = { ...this.silence, sinceMs: this.silence.sinceMs ?? startedMs };
      let response: HttpResponse;
      try {
        response = await transport({ url }, signal);
      } catch (thrown) {
        const fault: unknown = signal?.aborted ? signal.reason : thrown;
        if (signal?.aborted && !(fault instanceof ConnectionFault)) throw fault;
        if (!(fault instanceof SurveyExportError)) return { error: noAnswer(fault, place) };
        return { error: withPlace(fault, place) };
      } finally {
        this.#inFlight--;
      }
      const dateMs = httpDateMs(response.headers.date ?? "");
      const isDated = !Number.isNaN(dateMs);
      const atMs = clock.monotonicMs();
      if (isDated) this.#lastDate = { dateMs, atMs };
      const verdict = verdictOn(response.status);
      if (verdict.pausesAll) {
        const pausedMs = this.#pauseAll(startedMs, verdict.code === "rate_limited", response);
        return { error: refused(verdict, response, place, clock.now()), pausedMs };
      }
      this.#unavailable = undefined;
      this.#answeredMs = startedMs;
      this.rateLimiter.recovered(startedMs);
      if (isGood(response.status)) {
        // The service made the page after the request was sent, and may have dated it long after that.
        const nowMs = isDated ? dateMs - (atMs - startedMs) : sentMs;
        return { body: response.body, present: timestampOfMs(nowMs - PRESENT_SLACK_MS), isDated };
      }
      const workedMs = verdict.code === "unauthorized" ? this.#keyWorkedMs : undefined;
      const history = workedMs === undefined ? {} : revoked(timeOfDay(workedMs));
      return { error: refused({ ...verdict, ...history }, response, place, clock.now()) };
    }, signal);
  }

  /** For how long. A 503 that holds everything up for a minute or more is told once, however often it comes. */
  #pauseAll(startedMs: number, isRateLimited: boolean, response: HttpResponse): number {
    const { clock, log } = this.host;
    const nowMs = clock.monotonicMs();
    if (isRateLimited) this.#unavailable = undefined;
    else this.#unavailable ??= { sinceMs: nowMs, isTold: false };
    const lastedMs = nowMs - (this.#unavailable?.sinceMs ?? nowMs);
    const askedMs = retryAfterMs(response.headers["retry-after"], clock.now());
    const ms = isRateLimited ? askedMs : (askedMs ?? maintenancePauseMs(lastedMs));
    const pausedMs = this.rateLimiter.pauseFor(ms, startedMs, isRateLimited);
    const untilMs = clock.now() + pausedMs;
    if (this.#unavailable?.isTold === false && lastedMs + pausedMs >= WORTH_A_WARNING_MS) {
      this.#unavailable.isTold = true;
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

/** An attempt that brought nothing. It is final unless its error is transient. */
interface Failure {
  readonly error: SurveyExportError;
  /** Set if all requests wait for the service now: for how long. */
  readonly pausedMs?: number;
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
