import type { SurveyExportError } from "../errors.ts";

/** Failures in a row, with no good answer between them, after which something else is asked first. */
export const FAILURES_IN_A_ROW = 10;
/** Others who are tried then, before everything is given up. */
export const MOST_TRIES = 20;

/**
 * Ends the run when the service is down or has changed: by a failure that is the same for every request, or by many of
 * surveys' lists. A stream that reads respondents counts its own (`Control`), so that an endpoint that fails ends no
 * other stream.
 */
export class CircuitBreaker {
  /** The error that ends the run. */
  error: SurveyExportError | undefined;
  #inARow = 0;

  /** Whether so many surveys failed in a row that the next ones are only tried. */
  get isTrying(): boolean {
    return this.#inARow >= FAILURES_IN_A_ROW;
  }

  /** A good page came. */
  succeeded(): void {
    this.#inARow = 0;
  }

  /** A request failed for good. A refusal that concerns one list (403, 404, 422) costs one request and ends nothing else. */
  failed(error: SurveyExportError, isOfSurvey: boolean): void {
    const counts = isOfSurvey && error.kind === "transient" && error.code !== "not_found";
    if (error.scope === "run" || (counts && ++this.#inARow >= FAILURES_IN_A_ROW + MOST_TRIES))
      this.error ??= error;
  }
}
