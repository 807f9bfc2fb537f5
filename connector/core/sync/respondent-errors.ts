import { SurveyExportError } from "../errors.ts";

/** The errors of a stream whose respondents' lists are wrong as a whole. What is concerned stays open. */

export const foundNobody = (count: number): SurveyExportError =>
  looksLikeOutage(
    `The service found none of the ${count.toLocaleString("en")} respondents that were asked for (status 404)`,
  );

export const listsLackResponses = (lacking: number, good: number): SurveyExportError =>
  looksLikeOutage(
    `${lacking.toLocaleString("en")} of ${(lacking + good).toLocaleString("en")} respondents' lists lack responses that the surveys show`,
  );

/** `error` is the last one of `count`. */
export const failedInARow = (error: SurveyExportError, count: number): SurveyExportError =>
  error.adding(`It is failure ${count} in a row, so this sync asks for no more respondents in this stream.`);

const looksLikeOutage = (facts: string): SurveyExportError =>
  new SurveyExportError("transient", "unavailable", `${facts}, which looks like an outage.`, {
    advice: "The next sync asks for them again. If it goes on, ask the service.",
  });

export const allNameless = (count: number): SurveyExportError =>
  new SurveyExportError(
    "system",
    "unreadable_item",
    `None of the ${count.toLocaleString("en")} responses of this sync names its respondent, so this stream has read nobody.`,
    {
      advice:
        "They count as read. Report this to the service, then clear this stream's state to read them again.",
    },
  );
