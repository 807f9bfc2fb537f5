import { certain } from "../errors.ts";
import { additionalFieldsOf, type Columns, fieldsFrom, type RecordOf, readAt } from "./column.ts";
import { defineStream } from "./definition.ts";
import { additionalFields, type Misfit, textOrMisfit } from "./fitting.ts";

const COLUMNS = {
  respondent_uuid: {
    type: "string",
    description:
      "Identifier of the respondent that the attribute belongs to. First part of the stream's primary key.",
    from: "list",
    holds: "respondent_identifiers",
  },
  id: {
    type: "integer",
    description: "Identifier of the attribute. Second part of the stream's primary key.",
    from: "attribute.id",
    holds: "attribute id",
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
  collected_at: readAt("attribute"),
  additional_fields: additionalFieldsOf("attribute"),
} as const satisfies Columns;
const KNOWN = new Set(fieldsFrom("attribute", COLUMNS));

/** The attributes, as they are now, of the respondents found in the surveys that are read. */
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
          [{ entity: "attribute", fields: attribute, known: KNOWN }],
          misfits,
          unknown,
        ),
      },
    ];
  },
});

export type RespondentAttribute = RecordOf<typeof COLUMNS>;
