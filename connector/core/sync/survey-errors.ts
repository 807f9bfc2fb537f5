import type { Timestamp } from "../coverage/timestamp.ts";
import type { SurveyExportError } from "../errors.ts";
import { given, NOTHING_TO_SAY, say, time } from "../text/message.ts";
import { isNamed, type Settings } from "./sync-options.ts";

/** A survey that is named, listed or was read before is not there. */
export function notFound(id: string, error: SurveyExportError, settings: Settings): SurveyExportError {
  const { isEverySurvey, surveyIds } = settings;
  const hasOthers = isEverySurvey || surveyIds.length > 1;
  const others = hasOthers ? say` This does not affect the other surveys.` : NOTHING_TO_SAY;
  const advice = isNamed(settings, id)
    ? say`Remove it from survey_ids or correct the id.${others}`
    : say`Earlier syncs have read it, or the service lists it. Check base_url and the API key; if they are right, ask the service.`;
  const status = error.status ?? 404;
  return error.restated("config", say`Survey ${given(id)} was not found (status ${status}).`, advice);
}

/** A survey is there, and its responses below `position` are not. */
export function notFoundBelow(id: string, position: Timestamp | undefined, error: SurveyExportError) {
  const place = position === undefined ? say`at its newer end` : say`below ${time(position)}`;
  const facts = say`Survey ${given(id)} was found, and its responses ${place} were not (status ${error.status ?? 404}).`;
  const advice = say`Everything newer was delivered; the next sync tries again from there. If the service keeps no older responses, set start_date to a later time; else ask the service.`;
  return error.restated("transient", facts, advice);
}
