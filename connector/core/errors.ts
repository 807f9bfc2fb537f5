import { fixed, joined, type Message, NOTHING_TO_SAY, outside, render, say } from "./text/message.ts";

/**
 * Who can act on the error: `config` the user (key, address, ids, dates), `transient` nobody now, a later run
 * succeeds, `system` the maintainers of this connector or of the service. Airbyte's three `failure_type`s.
 */
export type ErrorKind = "config" | "transient" | "system";

/** What happened, as a closed list that adapters and documents refer to (docs/troubleshooting.md). */
export type ErrorCode = (typeof ERROR_CODES)[number];

export const ERROR_CODES = [
  "invalid_configuration",
  "invalid_state",
  "unauthorized",
  "forbidden",
  "not_found",
  "surveys_not_listed",
  "other_workspace",
  "rejected",
  "rate_limited",
  "unavailable",
  "no_answer",
  "redirected",
  "broken_answer",
  "too_large",
  "refused_link",
  "unreadable_item",
  "defect",
] as const;

/** How far the failure reaches: this list only, or every request of the run alike (a refused key). */
export type ErrorScope = "list" | "run";

export interface ErrorDetails {
  /** See `SurveyExportError.advice`. */
  readonly advice?: Message | undefined;
  readonly cause?: unknown;
  readonly scope?: ErrorScope | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
}

/**
 * The one error of this program. What it says is for the user: what happened and where (`facts`), then what to do
 * (`advice`). Both are messages of parts, so that the key and personal data are taken out when they are written. `message` is
 * for tests and debuggers: it hides nothing, and no adapter writes it.
 */
export class SurveyExportError extends Error {
  /** What happened and where, in whole sentences. */
  readonly facts: Message;
  /** What to do, in whole sentences for somebody who runs syncs. Other adapters give advice of their own. */
  readonly advice: Message;
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly scope: ErrorScope;
  /** Milliseconds after which the service said it would answer again, if it said so. */
  readonly retryAfterMs: number | undefined;
  /** The HTTP status, if one came. */
  readonly status: number | undefined;

  constructor(kind: ErrorKind, code: ErrorCode, facts: Message, details: ErrorDetails = {}) {
    const { advice = NOTHING_TO_SAY, cause } = details;
    super(render(joined([facts, advice])), cause === undefined ? undefined : { cause });
    this.name = "SurveyExportError";
    this.facts = facts;
    this.advice = advice;
    this.kind = kind;
    this.code = code;
    this.scope = details.scope ?? "list";
    this.retryAfterMs = details.retryAfterMs;
    this.status = details.status;
  }

  /** Facts and advice. */
  get whole(): Message {
    return joined([this.facts, this.advice]);
  }

  /** The same error, about which one more sentence is known. */
  adding(fact: Message): SurveyExportError {
    return new SurveyExportError(this.kind, this.code, joined([this.facts, fact]), this);
  }

  /** The same error, which is of one list after all. */
  ofList(): SurveyExportError {
    return this.#ofScope("list");
  }

  /** The same error, which is of every request after all. */
  ofRun(): SurveyExportError {
    return this.#ofScope("run");
  }

  #ofScope(scope: ErrorScope): SurveyExportError {
    return new SurveyExportError(this.kind, this.code, this.facts, { ...this, cause: this.cause, scope });
  }

  /** The same failure of the service, in the words of a caller who knows more about it. */
  restated(kind: ErrorKind, facts: Message, advice: Message): SurveyExportError {
    return new SurveyExportError(kind, this.code, facts, { ...this, cause: this.cause, advice });
  }

  /** Anything thrown, as an error of this program: everything else is a defect and keeps its cause. */
  static from(thrown: unknown): SurveyExportError {
    if (thrown instanceof SurveyExportError) return thrown;
    const reason = outside(thrown instanceof Error ? thrown.message : String(thrown), LONGEST_REASON);
    return defect(say`${reason}`, thrown);
  }
}

const defect = (reason: Message, cause: unknown): SurveyExportError =>
  new SurveyExportError("system", "defect", say`An unexpected error stopped the read: ${reason}.`, {
    advice: say`Please report it with the lines above.`,
    cause,
  });

/**
 * Stops the read, in every run, if something does not hold that states rest on: a read that stops loses nothing, and a
 * state that says too much loses responses permanently. `broken`: what does not hold.
 * @throws SurveyExportError `defect`
 */
export function invariant(holds: boolean, broken: () => Message): asserts holds {
  if (!holds) throw defect(broken(), new Error("an invariant does not hold"));
}

/**
 * `value`, which the code around it has made sure of. `name`: what it is, for us.
 * @throws SurveyExportError `defect` if it is undefined
 */
export function certain<Value>(value: Value | undefined, name: string): Value {
  invariant(value !== undefined, () => say`${fixed(name)} is missing`);
  return value;
}

/** The longest reason of a defect, which we need whole, in characters. */
const LONGEST_REASON = 600;
