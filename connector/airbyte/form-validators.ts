import { Ajv, type ValidateFunction } from "ajv";
import specification from "../../spec/connection.json" with { type: "json" };

/**
 * A field of the form, by the name that users see. `spec/connection.json` owns the fields, and not TypeScript: it is
 * exactly what Airbyte shows, `spec` prints it without any other code, and the type `Connection`, the documents and the
 * manifest are made from it. What a schema cannot say is in `configuration.ts`.
 */
export type Field = keyof typeof specification.properties;

/** The form of each field. The shipped program has them compiled (scripts/build.ts), since each start would wait for that. */
export const ajv = new Ajv({
  validateSchema: false, // a test of the form does it
  strict: false, // the form has keywords that no validator knows
  useDefaults: true,
  verbose: true, // an error has the text and the part of the form that it is about
  formats: { "date-time": true }, // the pattern says it
  code: { source: true, esm: true },
});

for (const [field, form] of Object.entries(specification.properties)) {
  const required = specification.required.filter((name) => name === field);
  ajv.addSchema({ properties: { [field]: form }, required }, field);
}

/** One for each field, in the order of the form: each stops at the first error, however many entries a list has. */
export const VALIDATORS = Object.fromEntries(
  Object.keys(specification.properties).map((field) => [field, ajv.getSchema(field)]),
) as Record<Field, ValidateFunction>;
