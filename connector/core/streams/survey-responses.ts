import { responseRecord } from "./response-record.ts";
import type { SurveyStream } from "./stream.ts";

/** Every response of the configured surveys. */
export const surveyResponses: SurveyStream = {
  reads: "surveys",
  record: (item, surveyId, unknown) => responseRecord(item, { surveyId }, unknown),
};
