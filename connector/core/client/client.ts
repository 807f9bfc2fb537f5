import type { Timestamp } from "../coverage/timestamp.ts";
import { SurveyExportError } from "../errors.ts";
import { surveysPath } from "../lists/endpoints.ts";
import type { Host, HttpResponse } from "../ports.ts";
import { type Part, request, say } from "../text/message.ts";
import { addressOf } from "./address.ts";
import { Attempts, type Patience } from "./attempts.ts";
import { ConnectionFault } from "./connection-faults.ts";
import { DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { noAnswer, notSent, pausedBeyond, refused, withPlace } from "./request-errors.ts";
import {
  httpDateMs,
  inSeconds,
  isGood,
  maintenancePauseMs,
  RETRY_POLICIES,
  type RetryPolicy,
  wasAskedToWait,
} from "./retry-policy.ts";
import { type Sent, ServiceClock } from "./service-clock.ts";
import { type Failure, ServiceHistory } from "./service-history.ts";

export interface ClientOptions extends Partial<Limits> {
  /** Ends in `/v2`; all paths lie below it. */
  readonly baseUrl: string;
  /** Default: the policy of a sync. */
  readonly retryPolicy?: RetryPolicy;
  /** One limiter for several clients of the same workspace; made from the limits if none is given. */
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

/** What a request gives: a page with the service's present when it made it, or why none came. */
export type Reply<T> =
  | { readonly page: T; readonly present: Timestamp }
  | { readonly error: SurveyExportError };

/** GET requests to the service: within its limits, with retries, and never outside the base URL. */
export class Client {
  readonly host: Host;
  readonly rateLimiter: RateLimiter;
  readonly history: ServiceHistory;
  readonly #serviceClock: ServiceClock;
  readonly #options: ClientOptions;
  readonly #listeners = new Set<(pause: Pause) => void>();
  readonly #counts = { requests: 0, retries: 0 };

  constructor(host: Host, options: ClientOptions) {
    this.host = host;
    this.history = new ServiceHistory(host.clock);
    this.#serviceClock = new ServiceClock(host.clock);
    this.#options = options;
    this.rateLimiter =
      options.rateLimiter ?? new RateLimiter(host.clock, { ...DEFAULT_LIMITS, ...options }, host.random);
  }

  get counts(): RequestCounts {
    return this.#counts;
  }

  /** Calls `listener` at each pause, until the returned function is called. */
  onPause(listener: (pause: Pause) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Requests `path` and gives the body of a good response to `parse`, with the service's present less a second (S12): its
   * `Date` less the time that the response took, or else the host's time when the request was sent.
   *
   * Before a request that is asked to wait is given up, the list of surveys is asked for, to see whether all have to wait.
   * @throws the signal's reason when that is aborted, and SurveyExportError `defect` if `parse` fails by a mistake of ours
   */
  async get<T>(
    path: string,
    parse: Parse<T>,
    signal?: AbortSignal,
    patience: Patience = {},
  ): Promise<Reply<T>> {
    const { clock, log } = this.host;
    const place = request(path);
    const { baseUrl, retryPolicy = RETRY_POLICIES.sync } = this.#options;
    const url = addressOf(baseUrl, path);
    if (url instanceof SurveyExportError) return { error: url };
    const tries = new Attempts(this.history, retryPolicy, patience, clock.monotonicMs());
    for (; ; this.#counts.retries++) {
      const attempt = await this.#sendBefore(tries.deadlineMs, url, place, signal);
      if (attempt instanceof SurveyExportError) return { error: attempt };
      const outcome = "body" in attempt ? read(attempt, parse, place) : attempt;
      this.history.remember("page" in outcome ? undefined : outcome);
      if ("page" in outcome) return outcome;
      const { error, pausedMs }: Failure = outcome;
      const next = tries.after(outcome, clock.monotonicMs());
      if (typeof next !== "number") return { error: next };
      if (pausedMs !== undefined) {
        log("debug", say`${error.facts} All requests wait for ${inSeconds(pausedMs)}.`);
        if (tries.isInDoubt) await this.#askForEvidence(signal);
        continue;
      }
      const level = tries.failures === 1 ? "info" : "debug";
      log(level, say`${error.facts} The next attempt follows in ${inSeconds(next)}.`);
      await clock.sleep(next, signal);
    }
  }

  /** The service's present by its last response; by the host's clock before the first one. */
  present(): Timestamp {
    return this.#serviceClock.present();
  }

  /**
   * One small request, to see whether it gets a page. Without this: if one part of the service replies with 429 for ever and
   * nothing else is asked for, all other surveys wait, and after two hours the sync ends without them.
   */
  async #askForEvidence(signal: AbortSignal | undefined): Promise<void> {
    const path = surveysPath(1);
    const attempt = await this.#send(`${this.#options.baseUrl}${path}`, request(path), signal);
    this.history.remember("body" in attempt ? undefined : attempt);
  }

  /** One attempt, aborted at the deadline. An error: why it was not sent before that. */
  async #sendBefore(
    deadlineMs: number,
    url: string,
    place: Part,
    signal: AbortSignal | undefined,
  ): Promise<Attempt | SurveyExportError> {
    const { clock } = this.host;
    const remainingMs = deadlineMs - clock.monotonicMs();
    // Another client of the same limiter may have met it.
    const { pause } = this.rateLimiter;
    if (pause && pause.remainingMs > remainingMs) return pausedBeyond(pause, place);
    if (remainingMs === Number.POSITIVE_INFINITY) return this.#send(url, place, signal);
    const outOfTime = new ConnectionFault(say`no complete response within ${inSeconds(remainingMs)}`);
    const [deadline, timer] = [new AbortController(), new AbortController()];
    clock.sleep(remainingMs, timer.signal).then(
      () => deadline.abort(outOfTime),
      () => {},
    );
    try {
      return await this.#send(url, place, AbortSignal.any([deadline.signal, ...(signal ? [signal] : [])]));
    } catch (thrown) {
      if (thrown === outOfTime) return notSent(remainingMs, place);
      throw thrown;
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
      const sent = { atMs: clock.monotonicMs(), wallMs: clock.now() };
      this.history.sent();
      this.#counts.requests++;
      let response: HttpResponse;
      try {
        response = await transport({ url }, signal);
      } catch (thrown) {
        const fault: unknown = signal?.aborted ? signal.reason : thrown;
        if (signal?.aborted && !(fault instanceof ConnectionFault)) throw fault;
        return { error: noAnswer(fault, place), tookMs: clock.monotonicMs() - sent.atMs };
      } finally {
        this.history.ended();
      }
      const dated = this.#serviceClock.dated(sent, httpDateMs(response.headers.date ?? ""));
      const error = isGood(response.status) ? undefined : refused(response, place, clock.now());
      if (error && wasAskedToWait(error)) return { error, pausedMs: this.#pauseAll(error, sent) };
      this.history.replied();
      this.rateLimiter.recovered(sent.atMs);
      return error ? { error } : { body: response.body, ...dated };
    }, signal);
  }

  /** For how long. */
  #pauseAll({ code, retryAfterMs }: SurveyExportError, sent: Sent): number {
    const isRateLimited = code === "rate_limited";
    const lastedMs = this.history.askedToWait();
    const ms = retryAfterMs ?? (isRateLimited ? undefined : maintenancePauseMs(lastedMs));
    const pausedMs = this.rateLimiter.pauseFor(ms, sent.atMs, isRateLimited);
    const untilMs = this.host.clock.now() + pausedMs;
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

function read<T>({ body, present, isDated }: Good, parse: Parse<T>, place: Part): Reply<T> {
  try {
    return { page: parse(body, present, isDated), present };
  } catch (thrown) {
    const error = SurveyExportError.from(thrown);
    if (error.code === "defect") throw error;
    return { error: withPlace(error, place) };
  }
}
