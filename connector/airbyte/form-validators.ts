import { Ajv, type ValidateFunction } from "ajv";
import specification from "../../spec/connection.json" with { type: "json" };
import type { Field } from "./configured-values.ts";

/** The form of each field. The shipped program has them compiled (scripts/build.ts), since each start would wait for that. */
export const ajv = new Ajv({
  validateSchema: false, // a test of the form does it
  strict: false, // the form has keywords that no validator knows
  useDefaults: true,
  verbose: true, // an error has the text and the part of the form that it is about
  formats: { "date-time": true }, // the pattern says it, with a message of its own
  code: { source: true, esm: true },
});

for (const [field, form] of Object.entries(specification.properties)) {
  const required = specification.required.filter((name) => name === field);
  ajv.addSchema({ properties: { [field]: form }, required }, field);
}

/** One for each field: each stops at the first error of its field, however many entries a list has. */
export const VALIDATORS = Object.fromEntries(
  Object.keys(specification.properties).map((field) => [field, ajv.getSchema(field)]),
) as Record<Field, ValidateFunction>;
