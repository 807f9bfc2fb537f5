import type { SurveyExportError } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { type Message, say } from "../text/message.ts";
import { reasonOf } from "./connection-faults.ts";
import { LONGEST_MAINTENANCE_MS } from "./retry-policy.ts";

/** An attempt that brought nothing. It is final unless its error is transient. */
export interface Failure {
  readonly error: SurveyExportError;
  /** Set if all requests wait for the service now: for how long. */
  readonly pausedMs?: number | undefined;
  /** For how long it was under way, if no reply came. */
  readonly tookMs?: number;
}

/**
 * What one client has seen of the service: the client reports each request to it, and asks it what that means. Times are
 * monotonic, in milliseconds, unless they say otherwise.
 *
 * A good reply is a page, a refusal of one request, or the wish that all requests wait (429, 503): the service is there.
 */
export class ServiceHistory {
  /** Whether a good reply has come at all. */
  hasReplied = false;
  /** How the last attempt failed, if no good reply has come since. */
  lastFailure: SurveyExportError | undefined;
  /** How often the key was refused (401) since the last page. */
  refusalsOfKey = 0;
  /** When the last page or refusal of one request came. */
  repliedMs = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;
  #inFlight = 0;
  /** When the first request after the last good reply was sent. */
  #silentSinceMs: number | undefined;
  /** When the first wish to wait in a row came (429, 503). */
  #waitsSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A request is sent. */
  sent(): void {
    this.#inFlight++;
    this.#silentSinceMs ??= this.#clock.monotonicMs();
  }

  /** A request is no longer under way. */
  ended(): void {
    this.#inFlight--;
  }

  /** A reply came that is not the wish to wait. */
  replied(): void {
    this.#waitsSinceMs = undefined;
  }

  /**
   * A request was asked to wait, by 429 or 503.
   * @returns how long nothing else has come, in milliseconds
   */
  askedToWait(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#waitsSinceMs ??= nowMs;
    return nowMs - this.#waitsSinceMs;
  }

  /** Whether nothing but the wish to wait has come for too long, if that lasts until `atMs`. */
  isDownAt(atMs: number): boolean {
    return atMs - (this.#waitsSinceMs ?? atMs) > LONGEST_MAINTENANCE_MS;
  }

  /** How an attempt ended, once its reply was read. Undefined: well. */
  remember(failure: Failure | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    if (failure?.error.code === "unauthorized") this.refusalsOfKey++;
    if (failure === undefined) this.refusalsOfKey = 0;
    else if (failure.pausedMs === undefined && failure.error.kind === "transient") {
      this.lastFailure = failure.error;
      return;
    }
    this.lastFailure = undefined;
    this.hasReplied = true;
    if (failure?.pausedMs === undefined) this.repliedMs = nowMs;
    this.#silentSinceMs = this.#inFlight > 0 ? nowMs : undefined;
  }

  /** How the last attempt failed, in a few words. */
  get reason(): Message {
    const { code, status, cause, facts } = this.lastFailure ?? {};
    if (facts === undefined) return say`no answer to any request`;
    if (status !== undefined) return say`status ${status}`;
    return code === "no_answer" ? reasonOf(cause) : facts;
  }

  /** For how long no good reply has come since `fromMs`, though the service was asked. */
  silentMs(fromMs: number): number {
    if (this.#silentSinceMs === undefined) return 0;
    return this.#clock.monotonicMs() - Math.max(this.#silentSinceMs, fromMs);
  }
}
