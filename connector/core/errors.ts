/**
 * Whose move it is: `config` the user's (key, address, ids, dates), `transient` time's (try again
 * later), `system` ours or the service's (report it). The three that Airbyte knows as `failure_type`.
 */
export type ErrorKind = "config" | "transient" | "system";

/** What happened, as a closed list that heads may switch on (n8n hangs its advice on it). */
export type ErrorCode =
  | "invalid_configuration"
  | "invalid_state"
  | "unauthorized"
  | "payment_required"
  | "forbidden"
  | "not_found"
  | "rejected"
  | "rate_limited"
  | "unavailable"
  | "no_answer"
  | "redirected"
  | "broken_answer"
  | "too_large"
  | "refused_link"
  | "stuck"
  | "unreadable_item"
  | "defect";

export interface ErrorDetails {
  readonly cause?: unknown;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly said?: string | undefined;
}

/**
 * The one error of this program. Its message is a sentence for the user in three parts (what happened,
 * where, what to do) and never holds a key, since nothing that makes one has ever seen the key.
 */
export class SurveyExportError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  /** Milliseconds after which the service said it would answer again, where it said so. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status, where one came. */
  readonly status: number | undefined;
  /** The start of the answer's body, on one line, where it helps to see it. */
  readonly said: string | undefined;

  constructor(kind: ErrorKind, code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SurveyExportError";
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.said = options.said;
  }

  /** Anything thrown, as one of ours: what is not ours is a defect and keeps its cause. */
  static from(thrown: unknown): SurveyExportError {
    if (thrown instanceof SurveyExportError) return thrown;
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return new SurveyExportError(
      "system",
      "defect",
      `An unexpected error stopped the read: ${what}. Please report it with the lines above.`,
      { cause: thrown },
    );
  }
}
