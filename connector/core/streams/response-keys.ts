import { certain } from "../errors.ts";
import type { Columns } from "./column.ts";
import { defineStream } from "./definition.ts";
import { RESPONSE_COLUMNS, respondentUuid } from "./response-record.ts";

/** What the records of one snapshot have in common. */
export const SNAPSHOT_COLUMNS = {
  snapshot_id: {
    type: "string",
    description:
      "Identifier of the snapshot: the time at which the sync began, in UTC with microseconds. Later snapshots have greater identifiers. First part of the stream's primary key, and its cursor.",
    from: "clock",
    holds: { plain: "the time of our own reading" },
  },
  survey_id: {
    type: "string",
    description: "Identifier of the survey, as the configuration names it.",
    from: "list",
    holds: { plain: "an id that the service makes" },
  },
} as const satisfies Columns;

const COLUMNS = {
  ...SNAPSHOT_COLUMNS,
  response_uuid: {
    type: "string",
    description:
      "Identifier of the response: uuid in survey_responses. Second part of the stream's primary key.",
    from: "response.uuid",
    holds: { plain: "an id that the service makes" },
  },
  respondent_uuid: RESPONSE_COLUMNS.respondent_uuid,
  collected_at: {
    ...RESPONSE_COLUMNS.collected_at,
    description: "Timestamp at which the service received the response, in UTC with microseconds.",
  },
} as const satisfies Columns;

/** The responses that the surveys show now. A response that is missing in a whole snapshot was deleted. */
export const responseKeys = defineStream({
  name: "response_keys",
  title: "ResponseKey",
  description:
    "For finding deleted responses: one response that a survey showed when the snapshot was read. Each sync reads all of them. A deleted response is missing in a snapshot that response_key_snapshots lists.",
  primaryKey: ["snapshot_id", "response_uuid"],
  columns: COLUMNS,
  cursor: "snapshot_id",
  isSnapshot: true,
  reads: "survey responses",
  records: (item, origin) => [
    {
      snapshot_id: certain(origin.began, "the start of the sync"),
      survey_id: certain(origin.surveyId, "the survey of a list"),
      response_uuid: item.uuid,
      respondent_uuid: respondentUuid(item, origin),
      collected_at: item.timestamp,
    },
  ],
});
