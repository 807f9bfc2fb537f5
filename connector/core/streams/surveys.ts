import { parseTimestamp } from "../coverage/timestamp.ts";
import { certain } from "../errors.ts";
import { isObject, wholeNumber } from "../text/json.ts";
import { additionalFieldsOf, type Columns, fieldsFrom, type RecordOf, readAt, TIMESTAMP } from "./column.ts";
import { defineStream } from "./definition.ts";
import { additionalFields, fittingOrMisfit, type Misfit, textOrMisfit } from "./fitting.ts";

const COLUMNS = {
  id: {
    type: "string",
    description:
      "Identifier of the survey: survey_id in the other streams. It is unique and never changes. Primary key of the stream.",
    from: "survey.id",
    holds: { plain: "an id that the service makes" },
  },
  name: {
    type: ["string", "null"],
    description: "Name of the survey. It may change, and two surveys may have the same.",
    from: "survey.name",
    holds: { plain: "the survey's author writes it" },
  },
  type: {
    type: ["string", "null"],
    description:
      "Kind of the survey. Known values: PageSurvey, WidgetSurvey, MobileSurvey, MessengerSurvey, IntercomSurvey, FeedbackSurvey.",
    from: "survey.type",
    holds: { plain: "one of the service's own words" },
  },
  created_at: {
    type: ["string", "null"],
    ...TIMESTAMP,
    description: "Timestamp at which the survey was created, in UTC with microseconds.",
    from: "survey.created_at",
    holds: { plain: "a time of the service's clock" },
  },
  enabled: {
    type: ["boolean", "null"],
    description: "Whether the survey is switched on.",
    from: "survey.enabled",
    holds: { plain: "true or false" },
  },
  responses: {
    type: ["integer", "null"],
    description:
      "Number of responses by the service's own count, which may be late and may count unfinished ones. To count, use survey_responses.",
    from: "survey.responses",
    holds: { plain: "the service's own count" },
  },
  launch: {
    type: ["object", "null"],
    additionalProperties: true,
    description:
      "When the survey starts and ends by itself, as the service sends it: start_at and end_at, each a timestamp with an offset or null, and responses_limit.",
    from: "survey.launch",
    holds: { plain: "the survey's author sets it", fields: ["start_at", "end_at", "responses_limit"] },
  },
  collected_at: readAt("survey"),
  additional_fields: additionalFieldsOf("survey"),
} as const satisfies Columns;
const KNOWN = new Set(fieldsFrom("survey", COLUMNS));

/** The surveys that a sync reads, as they are now. */
export const surveys = defineStream({
  name: "surveys",
  title: "Survey",
  description:
    "One survey, as it was when it was read. Each sync reads all of them again; Append + Deduped keeps those that were deleted since.",
  primaryKey: ["id"],
  columns: COLUMNS,
  isSnapshot: true,
  reads: "surveys",
  records: ({ id, fields }, { present, unknown }) => {
    const misfits: Misfit[] = [];
    const record: RecordOf<typeof COLUMNS> = {
      id,
      name: textOrMisfit(fields.name, "survey.name", misfits),
      type: textOrMisfit(fields.type, "survey.type", misfits),
      created_at: fittingOrMisfit(fields.created_at, parseTimestamp, "survey.created_at", misfits),
      enabled: fittingOrMisfit(fields.enabled, trueOrFalse, "survey.enabled", misfits),
      responses: fittingOrMisfit(fields.responses, wholeNumber, "survey.responses", misfits),
      launch: fittingOrMisfit(fields.launch, object, "survey.launch", misfits),
      collected_at: certain(present, "the time of reading"),
      additional_fields: additionalFields([{ entity: "survey", fields, known: KNOWN }], misfits, unknown),
    };
    return [record];
  },
});

const trueOrFalse = (value: unknown) => (typeof value === "boolean" ? value : undefined);
const object = (value: unknown) => (isObject(value) ? value : undefined);
