import type { SurveyExportError } from "../errors.ts";

/** Failures in a row, with no good page between them, that end the run: the service is down, or has changed. */
const FAILURES_IN_A_ROW = 10;

/** Ends the run when the service refuses everything: by a failure that is the same for every request, or by many. */
export class CircuitBreaker {
  /** The error that ends the run. */
  error: SurveyExportError | undefined;
  #inARow = 0;

  /** A good page came. */
  succeeded(): void {
    this.#inARow = 0;
  }

  /** A request failed for good. A 404 is the matter of one list. */
  failed(error: SurveyExportError): void {
    if (error.code === "not_found" && error.scope === "list") return;
    if (error.scope === "run" || ++this.#inARow >= FAILURES_IN_A_ROW) this.error ??= error;
  }
}
