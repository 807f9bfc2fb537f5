import type { SurveyExportError } from "../errors.ts";

/**
 * Since when the service has given no good answer, though it was asked. No I/O and no clock: times are passed in
 * (monotonic milliseconds). While nothing is asked for, nothing is silent.
 */
export class Silence {
  /** The start of the first request after the last good answer; undefined if none has started. */
  sinceMs: number | undefined;
  /** When the last good answer came. */
  lastGoodMs: number | undefined;
  /** The last attempt that failed since then. */
  lastFailure: SurveyExportError | undefined;
  #inFlight = 0;

  started(nowMs: number): void {
    this.#inFlight++;
    this.sinceMs ??= nowMs;
  }

  ended(): void {
    this.#inFlight--;
  }

  failed(error: SurveyExportError): void {
    this.lastFailure = error;
  }

  /** The service is there: a page came, a refusal of one request, or the wish that all requests wait (429, 503). */
  good(nowMs: number): void {
    this.lastGoodMs = nowMs;
    this.lastFailure = undefined;
    this.sinceMs = this.#inFlight > 0 ? nowMs : undefined;
  }
}
