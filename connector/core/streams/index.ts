import { respondentAttributes } from "./respondent-attributes.ts";
import { respondentResponses } from "./respondent-responses.ts";
import type { Stream } from "./stream.ts";
import { surveyResponses } from "./survey-responses.ts";

/** The streams, by the names that users see. A new one is a schema in `schemas/streams`, a file here and a line. */
export const STREAMS = {
  survey_responses: surveyResponses,
  respondent_responses: respondentResponses,
  respondent_attributes: respondentAttributes,
} as const satisfies Record<string, Stream>;

export type StreamName = keyof typeof STREAMS;
