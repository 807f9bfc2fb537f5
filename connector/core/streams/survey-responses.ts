import type { RecordOf } from "./column.ts";
import { defineStream } from "./definition.ts";
import { RESPONSE_COLUMNS, responseRecord } from "./response-record.ts";

/** Every response of the surveys that are read. */
export const surveyResponses = defineStream({
  name: "survey_responses",
  title: "SurveyResponse",
  description: "One response given to a survey that is read.",
  primaryKey: ["uuid"],
  columns: RESPONSE_COLUMNS,
  reads: "survey responses",
  records: (item, origin) => [responseRecord(item, origin)],
});

export type SurveyResponse = RecordOf<typeof surveyResponses.columns>;
