import { certain } from "../errors.ts";
import { type Columns, fieldsFrom, type RecordOf } from "./column.ts";
import { defineStream } from "./definition.ts";
import { additionalFields, type Misfit, textOrMisfit, without } from "./fitting.ts";

const COLUMNS = {
  respondent_uuid: {
    type: "string",
    description:
      "Identifier of the person that the attribute belongs to. First part of the stream's primary key.",
    from: "list",
    holds: "respondent_identifiers",
  },
  id: {
    type: "integer",
    description: "Identifier of the attribute. Second part of the stream's primary key.",
    from: "attribute.id",
    holds: { plain: "an id that the service makes" },
  },
  name: {
    type: ["string", "null"],
    description: "Name of the attribute, exactly as it was set.",
    from: "attribute.name",
    holds: { plain: "the service's customer names the attributes" },
  },
  value: {
    type: ["string", "null"],
    description: "Value of the attribute. Always a string.",
    from: "attribute.value",
    holds: "attribute_values",
  },
  collected_at: {
    type: "string",
    format: "date-time",
    airbyte_type: "timestamp_with_timezone",
    description:
      "Timestamp at which the attribute was read: the service's clock less one second, in UTC with microseconds. The latest reading of an attribute has the latest timestamp. Cursor of the stream.",
    from: "clock",
    holds: { plain: "the time of our own reading" },
  },
  additional_fields: {
    type: ["object", "null"],
    additionalProperties: true,
    description:
      "Fields of the attribute that this version of the source does not know, as the service sent them. Null if there are none.",
    from: "unknown fields",
    holds: "unknown",
  },
} as const satisfies Columns;
const KNOWN = new Set(fieldsFrom("attribute", COLUMNS));

/** The attributes, as they are now, of the respondents found in the configured surveys. */
export const respondentAttributes = defineStream({
  name: "respondent_attributes",
  title: "RespondentAttribute",
  description: "One attribute of one respondent, as it was when it was read.",
  primaryKey: ["respondent_uuid", "id"],
  columns: COLUMNS,
  reads: "respondent attributes",
  records: (attribute, { respondentUuid, present, unknown }) => {
    const misfits: Misfit[] = [];
    return [
      {
        respondent_uuid: certain(respondentUuid, "the respondent of a list"),
        id: attribute.id,
        name: textOrMisfit(attribute.name, "attribute.name", misfits),
        value: textOrMisfit(attribute.value, "attribute.value", misfits),
        collected_at: certain(present, "the time of reading"),
        additional_fields: additionalFields(
          [{ fields: attribute, known: without(misfits, "attribute", KNOWN) }],
          unknown.fields,
        ),
      },
    ];
  },
});

export type RespondentAttribute = RecordOf<typeof COLUMNS>;
