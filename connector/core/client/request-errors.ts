import { SurveyExportError } from "../errors.ts";
import type { HttpResponse } from "../ports.ts";
import { fixed, joined, type Part, say } from "../text/message.ts";
import { reasonOf } from "./connection-faults.ts";
import { reasonIn, retryAfterMs } from "./refusal.ts";
import { inSeconds, type Verdict } from "./retry-policy.ts";

/** A response that `verdict` refuses. `place`, here and below: the request. */
export function refused(
  verdict: Verdict,
  response: HttpResponse,
  place: Part,
  nowMs: number,
): SurveyExportError {
  const reason = verdict.quotesBody ? reasonIn(response.body) : undefined;
  const status = fixed(String(response.status).padStart(3, "0"));
  const facts = say`${verdict.what} (status ${status} to ${place}).`;
  return new SurveyExportError(
    verdict.kind,
    verdict.code,
    reason === undefined ? facts : joined([facts, reason.sentence]),
    {
      advice: say`${verdict.advice}.`,
      scope: verdict.scope,
      retryAfterMs: retryAfterMs(response.headers["retry-after"], nowMs),
      status: response.status,
      answer: reason?.answer,
    },
  );
}

/** No complete response came. */
export function noAnswer(fault: unknown, place: Part): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "no_answer",
    say`The request to the service failed (${reasonOf(fault)}; ${place}).`,
    {
      advice: say`Check that base_url is right and that the service can be reached from here.`,
      cause: fault,
    },
  );
}

/** The other requests of this process used up the limits for as long as this one could wait. */
export function notSent(waitedMs: number, place: Part): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "not_sent",
    say`The request was not sent within ${inSeconds(waitedMs)}, because other requests of this program use up the workspace's rate limit (${place}).`,
    { advice: say`Run the sync again in a minute.`, scope: "run" },
  );
}

/** A good response whose content cannot be used: `broken` says why. */
export function unusable(broken: SurveyExportError, place: Part): SurveyExportError {
  return new SurveyExportError(
    "transient",
    "broken_answer",
    say`The service's answer to ${place} cannot be used: it ${broken.facts}.`,
    { advice: say`Check that base_url is the service's address; if it is, report this to the service.` },
  );
}
