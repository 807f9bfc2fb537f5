import type { RecordOf } from "./column.ts";
import { defineStream } from "./definition.ts";
import { RESPONSE_COLUMNS, responseRecord } from "./response-record.ts";

/** The responses of the surveys that are read, and those that the respondents who are asked for gave to any other survey. */
export const respondentResponses = defineStream({
  name: "respondent_responses",
  title: "RespondentResponse",
  description:
    "One response to a survey that is read. If only named surveys are read, also one to any other survey by somebody who answered a named one. If respondents are named, only theirs, to whatever survey.",
  primaryKey: ["uuid"],
  columns: {
    ...RESPONSE_COLUMNS,
    attributes: {
      ...RESPONSE_COLUMNS.attributes,
      description:
        "Attributes recorded with this response. The service leaves this list empty when it lists a respondent's responses.",
    },
    respondent_attributes: {
      ...RESPONSE_COLUMNS.respondent_attributes,
      description:
        "Attributes of the respondent. The service leaves this list empty when it lists a respondent's responses; the stream respondent_attributes holds them.",
    },
  },
  reads: "respondent responses",
  records: (item, origin) => [responseRecord(item, origin)],
});

export type RespondentResponse = RecordOf<typeof respondentResponses.columns>;
