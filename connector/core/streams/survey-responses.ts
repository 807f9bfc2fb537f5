import schema from "../../../schemas/streams/survey_responses.json" with { type: "json" };
import type { SurveyStream } from "./definition.ts";
import { RESPONSE_COLUMNS, responseRecord } from "./response-record.ts";

/** Every response of the configured surveys. */
export const surveyResponses = {
  name: "survey_responses",
  schema,
  primaryKey: ["uuid"],
  columns: RESPONSE_COLUMNS,
  reads: "survey responses",
  records: (item, origin) => [responseRecord(item, origin)],
} as const satisfies SurveyStream;
