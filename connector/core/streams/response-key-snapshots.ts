import { certain } from "../errors.ts";
import { type Columns, TIMESTAMP } from "./column.ts";
import { defineStream } from "./definition.ts";
import { SNAPSHOT_COLUMNS } from "./response-keys.ts";

const COLUMNS = {
  ...SNAPSHOT_COLUMNS,
  survey_id: {
    ...SNAPSHOT_COLUMNS.survey_id,
    description: `${SNAPSHOT_COLUMNS.survey_id.description} Second part of the stream's primary key.`,
  },
  number_of_keys: {
    type: "integer",
    description:
      "Number of records of this survey in response_keys. If the table holds fewer, the snapshot did not arrive whole.",
    from: "whole survey",
    holds: { plain: "our own count" },
  },
  covered_from: {
    type: ["string", "null"],
    ...TIMESTAMP,
    description:
      "Every response from this timestamp on is in the snapshot: the configured start date. Null from the beginning.",
    from: "whole survey",
    holds: { plain: "a time of our own reading" },
  },
  covered_to: {
    type: "string",
    ...TIMESTAMP,
    description:
      "Every response up to this timestamp is in the snapshot: the time of reading less the lookback window, since responses may appear late, or the end date.",
    from: "whole survey",
    holds: { plain: "a time of our own reading" },
  },
} as const satisfies Columns;

/** The surveys of which `response_keys` has everything. */
export const responseKeySnapshots = defineStream({
  name: "response_key_snapshots",
  title: "ResponseKeySnapshot",
  description:
    "For finding deleted responses, with response_keys: one survey in one snapshot, once all of it was read. A survey that could not be read whole has no record.",
  primaryKey: ["snapshot_id", "survey_id"],
  columns: COLUMNS,
  cursor: "snapshot_id",
  isSnapshot: true,
  reads: "key snapshots",
  records: ({ numberOfResponses, older, newer }, { surveyId, began }) => [
    {
      snapshot_id: certain(began, "the start of the sync"),
      survey_id: certain(surveyId, "the survey of a list"),
      number_of_keys: numberOfResponses,
      covered_from: older,
      covered_to: newer,
    },
  ],
});
