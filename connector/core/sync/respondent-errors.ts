import { SurveyExportError } from "../errors.ts";
import { type Message, say } from "../text/message.ts";

/** The errors of a stream whose respondents' lists are wrong as a whole. What they affect stays open. */

export const foundNobody = (count: number): SurveyExportError =>
  looksLikeOutage(say`The service found none of the ${count} respondents that were asked for (status 404)`);

export const listsLackResponses = (lacking: number, good: number): SurveyExportError =>
  looksLikeOutage(
    say`${lacking} of ${lacking + good} respondents' lists lack responses that the surveys show`,
  );

/** `error` is the last one of `count`. */
export const failedInARow = (error: SurveyExportError, count: number): SurveyExportError =>
  error.adding(
    say`This is failure ${count} in a row, so this sync asks for no more respondents in this stream.`,
  );

const looksLikeOutage = (facts: Message): SurveyExportError =>
  new SurveyExportError("transient", "unavailable", say`${facts}, which looks like an outage.`, {
    advice: say`The next sync asks for them again. If it goes on, ask the service.`,
  });

export const allNameless = (count: number): SurveyExportError =>
  new SurveyExportError(
    "system",
    "broken_answer",
    say`None of the ${count} responses of this sync names its respondent, so this stream has read nobody.`,
    {
      advice: say`They count as read. Report this to the service, then clear this stream's state to read them again.`,
    },
  );
