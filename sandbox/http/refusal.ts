import type { Choices, RefusalStatuses } from "../choices.ts";
import type { ServiceReply } from "./request-and-reply.ts";

/** Why a request does not get a 200. */
export type RefusalReason = keyof RefusalStatuses | "unknownRespondent" | "tooManyRequests";

/** Thrown while a request is parsed and answered. The request handler catches it. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: RefusalReason, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.headers = headers;
  }
}

/** The document fixes two statuses. The others are choices. */
function statusOf(reason: RefusalReason, choices: Choices): number {
  if (reason === "unknownRespondent") return 404;
  if (reason === "tooManyRequests") return 429;
  return choices.statuses[reason];
}

/** A refusal as it is sent. */
export const refusalReply = (refusal: Refusal, choices: Choices): ServiceReply =>
  errorReply(statusOf(refusal.reason, choices), refusal.message, choices, refusal.headers);

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
