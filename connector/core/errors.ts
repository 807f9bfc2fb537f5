/**
 * Who can act on the error: `config` the user (key, address, ids, dates), `transient` nobody now, a later run
 * succeeds, `system` the maintainers of this connector or of the service. Airbyte's three `failure_type`s.
 */
export type ErrorKind = "config" | "transient" | "system";

/** What happened, as a closed list that adapters may switch on (n8n maps it to its own advice). */
export type ErrorCode =
  | "invalid_configuration"
  | "invalid_state"
  | "unauthorized"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "rejected"
  | "rate_limited"
  | "not_sent"
  | "unavailable"
  | "no_answer"
  | "redirected"
  | "broken_answer"
  | "too_large"
  | "refused_link"
  | "stuck"
  | "unreadable_item"
  | "defect";

/** How far the failure reaches: this list only, or every request of the run alike (a refused key). */
export type ErrorScope = "list" | "run";

export interface ErrorDetails {
  /** See `SurveyExportError.advice`. */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
  readonly scope?: ErrorScope | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly bodyExcerpt?: string | undefined;
}

/**
 * The one error of this program. Its message is for the user: what happened and where (`facts`), then what to do
 * (`advice`). It never holds the API key, since nothing that makes one has seen the key.
 */
export class SurveyExportError extends Error {
  /** What happened and where, in whole sentences. */
  readonly facts: string;
  /** What to do, in whole sentences for somebody who runs syncs. Other adapters give advice of their own. */
  readonly advice: string;
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly scope: ErrorScope;
  /** Milliseconds after which the service said it would answer again, where it said so. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status, where one came. */
  readonly status: number | undefined;
  /** The start of the response's body, on one line, where it helps the reader. */
  readonly bodyExcerpt: string | undefined;

  constructor(kind: ErrorKind, code: ErrorCode, facts: string, details: ErrorDetails = {}) {
    const { advice = "", cause } = details;
    super(advice === "" ? facts : `${facts} ${advice}`, cause === undefined ? undefined : { cause });
    this.name = "SurveyExportError";
    this.facts = facts;
    this.advice = advice;
    this.kind = kind;
    this.code = code;
    this.scope = details.scope ?? "list";
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
    this.bodyExcerpt = details.bodyExcerpt;
  }

  /** The same error, about which one more sentence is known. */
  adding(fact: string): SurveyExportError {
    return new SurveyExportError(this.kind, this.code, `${this.facts} ${fact}`, this);
  }

  /** The same failure of the service, in the words of a caller who knows more about it. */
  restated(kind: ErrorKind, facts: string, advice: string): SurveyExportError {
    const { cause, scope, retryAfterMs, status, bodyExcerpt } = this;
    const details = { advice, cause, scope, retryAfterMs, status, bodyExcerpt };
    return new SurveyExportError(kind, this.code, facts, details);
  }

  /** Anything thrown, as an error of this program: everything else is a defect and keeps its cause. */
  static from(thrown: unknown): SurveyExportError {
    if (thrown instanceof SurveyExportError) return thrown;
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return new SurveyExportError("system", "defect", `An unexpected error stopped the read: ${reason}.`, {
      advice: "Please report it with the lines above.",
      cause: thrown,
    });
  }
}
