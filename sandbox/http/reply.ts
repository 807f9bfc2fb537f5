import type { Choices, RefusalStatuses } from "../choices.ts";
import type { Admission } from "./limits.ts";

/** A whole answer. */
export interface ServiceReply {
  readonly status: number;
  /** Names in lower case. The server adds lengths and encodings. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why a request does not get a 200. */
type RefusalReason = keyof RefusalStatuses | "unknownRespondent";

/** Thrown while a request is parsed and answered. The request handler catches it. */
export class Refusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
  }
}

/** A refusal as it is sent. The document fixes the status for an unknown respondent. The others are choices. */
export function refusalReply({ reason, message }: Refusal, choices: Choices): ServiceReply {
  const status = reason === "unknownRespondent" ? 404 : choices.statuses[reason];
  return errorReply(status, message, choices);
}

/** An error of any status, in the form of `choices.errorBody`. */
export function errorReply(
  status: number,
  message: string,
  choices: Choices,
  headers: Readonly<Record<string, string>> = {},
): ServiceReply {
  const { type, body } = errorBody(message, status, choices.errorBody);
  return { status, headers: { ...headers, ...(type && { "content-type": type }) }, body };
}

function errorBody(
  message: string,
  status: number,
  form: Choices["errorBody"],
): { type: string; body: string } {
  const json = "application/json; charset=utf-8";
  switch (form) {
    case "object":
      return { type: json, body: JSON.stringify({ error: { status, message } }) };
    case "list":
      return { type: json, body: JSON.stringify({ errors: [{ detail: message }] }) };
    case "text":
      return { type: "text/plain; charset=utf-8", body: `${message}\n` };
    case "html":
      return {
        type: "text/html; charset=utf-8",
        body: `<!doctype html><title>${status}</title><h1>${status}</h1><p>${message}</p>`,
      };
    case "empty":
      return { type: "", body: "" };
  }
}

/** The 429 for a request that was not admitted, with the chosen form of `Retry-After`. */
export function tooManyRequests(
  admission: Admission & { admitted: false },
  nowMs: number,
  choices: Choices,
): ServiceReply {
  const wait = retryAfter(admission.againAtMs, nowMs, choices.retryAfter);
  return errorReply(429, "Too many requests. Wait before you send the next one.", choices, wait);
}

/** Both forms have whole seconds. They round up, so that a client that waits for them is not refused again. */
function retryAfter(againAtMs: number, nowMs: number, form: Choices["retryAfter"]): Record<string, string> {
  if (form === "none") return {};
  if (form === "seconds") {
    return { "retry-after": String(Math.max(1, Math.ceil((againAtMs - nowMs) / 1_000))) };
  }
  const second = Math.ceil((againAtMs + 1) / 1_000) * 1_000;
  return { "retry-after": new Date(second).toUTCString() };
}
