import { type ErrorCode, type Message, type SurveyExportError, say } from "@survey-export/core";

/** In place of the core's advice to run the sync again: `check` and a dry run have delivered nothing. */
const ADVICE: Partial<Record<ErrorCode, Message>> = {
  rate_limited: say`Try again later, or lower requests_per_minute of the other connections to the same workspace.`,
  unavailable: say`Try again later. If it continues, ask the service.`,
  unreadable_item: say`Name the surveys to read in survey_ids, and report this to the service.`,
};

/** The same error, with advice for somebody who has not begun a sync yet. */
export const beforeSync = (error: SurveyExportError): SurveyExportError => {
  const advice = ADVICE[error.code];
  return advice === undefined ? error : error.restated(error.kind, error.facts, advice);
};
