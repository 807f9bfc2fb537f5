import schema from "../../../schemas/streams/respondent_attributes.json" with { type: "json" };
import { additionalFields } from "./additional-fields.ts";
import type { RespondentAttributeStream } from "./definition.ts";

const KNOWN = new Set(["id", "name", "value"]);

/** The attributes, as they are now, of the respondents found in the configured surveys. */
export const respondentAttributes = {
  name: "respondent_attributes",
  schema,
  primaryKey: ["respondent_uuid", "id"],
  columns: {
    respondent_uuid: "respondent_identifiers",
    id: "plain",
    name: "plain",
    value: "attribute_values",
    collected_at: "plain",
    additional_fields: "unknown",
  },
  reads: "respondent attributes",
  records: (attribute, { respondentUuid = "", present = null, unknownFields }) => [
    {
      respondent_uuid: respondentUuid,
      id: attribute.id,
      name: (attribute.name ?? null) as string | null,
      value: (attribute.value ?? null) as string | null,
      collected_at: present as string,
      additional_fields: additionalFields([{ fields: attribute, known: KNOWN }], unknownFields),
    },
  ],
} as const satisfies RespondentAttributeStream;
