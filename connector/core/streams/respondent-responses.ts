import { defineStream } from "./definition.ts";
import { RESPONSE_COLUMNS, responseRecord } from "./response-record.ts";

/** Every response of the respondents found in the configured surveys, to any survey. */
export const respondentResponses = defineStream({
  name: "respondent_responses",
  title: "RespondentResponse",
  description: "One response given by a respondent to any survey, read from that respondent's own list.",
  primaryKey: ["uuid"],
  columns: {
    ...RESPONSE_COLUMNS,
    uuid: { ...RESPONSE_COLUMNS.uuid, joins: "survey_responses.uuid" },
    respondent_uuid: {
      ...RESPONSE_COLUMNS.respondent_uuid,
      joins: "respondent_attributes.respondent_uuid",
    },
    attributes: {
      ...RESPONSE_COLUMNS.attributes,
      description:
        "Attributes recorded with this response. The service leaves this list empty when it lists a respondent's responses.",
    },
    respondent_attributes: {
      ...RESPONSE_COLUMNS.respondent_attributes,
      description:
        "Attributes of the person who answered. The service leaves this list empty when it lists a respondent's responses; the stream respondent_attributes holds them.",
    },
  },
  reads: "respondent responses",
  records: (item, origin) => [responseRecord(item, origin)],
});
