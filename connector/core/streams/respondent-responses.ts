import schema from "../../../schemas/streams/respondent_responses.json" with { type: "json" };
import type { RespondentResponseStream } from "./definition.ts";
import { RESPONSE_COLUMNS, responseRecord } from "./response-record.ts";

/** Every response of the respondents found in the configured surveys, to any survey. */
export const respondentResponses = {
  name: "respondent_responses",
  schema,
  primaryKey: ["uuid"],
  columns: RESPONSE_COLUMNS,
  reads: "respondent responses",
  records: (item, origin) => [responseRecord(item, origin)],
} as const satisfies RespondentResponseStream;
