import { SurveyExportError } from "../errors.ts";
import type { HttpResponse } from "../ports.ts";
import { isObject } from "../text/json.ts";
import { fixed, joined, type Message, NOTHING_TO_SAY, outside, type Part, say } from "../text/message.ts";
import { reasonOf } from "./connection-faults.ts";
import { inSeconds, retryAfterMs, verdictOn } from "./retry-policy.ts";
import type { ServicePause } from "./service-pauses.ts";

/** A response that is not good. `place`, here and below: the request. `nowMs`: in epoch milliseconds. */
export function refused(response: HttpResponse, place: Part, nowMs: number): SurveyExportError {
  const verdict = verdictOn(response.status);
  const { what, advice } = verdict;
  const reason = verdict.quotesBody ? reasonIn(response.body) : NOTHING_TO_SAY;
  const shown = fixed(String(response.status).padStart(3, "0"));
  const facts = joined([say`${what} (status ${shown} to ${place}).`, reason]);
  return new SurveyExportError(verdict.kind, verdict.code, facts, {
    advice: say`${advice}.`,
    scope: verdict.scope,
    retryAfterMs: retryAfterMs(response.headers["retry-after"], nowMs),
    status: response.status,
  });
}

/** Advice if nothing says that there is a service. */
export const CHECK_ADDRESS = say`Check that base_url is right and that the service can be reached from here.`;

/** No complete response came. An error that the host has made of that is the error. */
export function noAnswer(fault: unknown, place: Part): SurveyExportError {
  if (fault instanceof SurveyExportError) return withPlace(fault, place);
  const facts = say`The request to the service failed (${reasonOf(fault)}; ${place}).`;
  return new SurveyExportError("transient", "no_answer", facts, { advice: CHECK_ADDRESS, cause: fault });
}

/** The service asked for a pause that lasts longer than this request may take. */
export function pausedBeyond({ remainingMs, rateLimited }: ServicePause, place: Part): SurveyExportError {
  const { kind, code, scope, what, advice } = verdictOn(rateLimited ? 429 : 503);
  const facts = say`${what}, and all requests wait for another ${inSeconds(remainingMs)} (${place}).`;
  const details = { advice: say`${advice}.`, scope, retryAfterMs: remainingMs };
  return new SurveyExportError(kind, code, facts, details);
}

/** The other requests of this process used up the limits for as long as this one could wait. */
export function notSent(waitedMs: number, place: Part): SurveyExportError {
  const facts = say`The request was not sent within ${inSeconds(waitedMs)}, because other requests of this program use up the workspace's rate limit (${place}).`;
  const advice = say`Run the sync again in a minute.`;
  return new SurveyExportError("transient", "rate_limited", facts, { advice, scope: "run" });
}

/** The error of a good response, with its request. One whose content cannot be used says why. */
export function withPlace(error: SurveyExportError, place: Part): SurveyExportError {
  if (error.code === "too_large") return error.adding(say`The request was ${place}.`);
  if (error.code !== "broken_answer") return error;
  const facts = say`The service's answer to ${place} cannot be used: it ${error.facts}.`;
  const advice = say`Check that base_url is the service's address; if it is, report this to the service.`;
  return new SurveyExportError("transient", "broken_answer", facts, { advice });
}

/** Where services put the reason of a refusal. */
const FIELDS = ["message", "detail", "error", "errors", "title", "reason"];

/** The reason that the body of a refusal gives, as a sentence; nothing for an empty body. */
function reasonIn(body: string): Message {
  if (body.trim() === "") return NOTHING_TO_SAY;
  const reason = textIn(parsed(body), 4)?.replace(/(?<![.\s])[.\s]+$/, "");
  const quoted = say`${outside(reason ?? body)}`;
  return reason === undefined ? say`Its answer begins ${quoted}.` : say`It says: ${quoted}.`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (depth === 0) return undefined;
  const inside = isObject(value) ? FIELDS.map((name) => value[name]) : Array.isArray(value) ? [value[0]] : [];
  return inside.map((one) => textIn(one, depth - 1)).find((text) => text !== undefined);
}
