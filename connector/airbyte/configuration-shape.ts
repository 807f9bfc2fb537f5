import { Ajv, type ErrorObject } from "ajv";
import specification from "../../spec/connection.json" with { type: "json" };

/** A field of the configuration, by the name users see. */
export type Field = keyof typeof specification.properties;

/** Where a configuration does not fit the schema of the form. */
export interface Shape {
  /** Fields of the wrong type, with the message for the user. They are not checked any further. */
  readonly faults: ReadonlyMap<Field, string>;
  /** Strings without the form of their field. A check of its own says why; this message is for the rest. */
  readonly unlike: ReadonlyMap<Field, string>;
}

const MISSING: Readonly<Record<string, string>> = {
  base_url: "base_url is missing. Give the address of the service's API, like https://api.example.com/v2.",
  api_key:
    "api_key is missing. Copy the key from the service's panel under Settings, Organization, Access Keys.",
};

const validate = new Ajv({
  allErrors: true,
  validateSchema: false, // a test of the form does it, and here it would delay every start
  strict: false, // the form has keywords that no validator knows
  useDefaults: true,
  formats: { "date-time": true }, // checked later, with a message of its own
}).compile(specification);

/** Validates `given` by `spec/connection.json`, and writes the defaults of absent fields into it. */
export function shapeOf(given: Record<string, unknown>): Shape {
  validate(given);
  const faults = new Map<Field, string>();
  const unlike = new Map<Field, string>();
  for (const error of validate.errors ?? []) {
    const field = (error.params.missingProperty ?? error.instancePath.split("/")[1]) as Field;
    if (field === "personal_data") {
      faults.set(field, personalDataFault(error));
      continue;
    }
    if (error.keyword === "pattern" || error.keyword === "minLength") {
      unlike.set(field, `${field} does not have its form. Write it like ${form(field)}.`);
    } else if (!faults.has(field)) {
      faults.set(field, sentence(field, error));
    }
  }
  return { faults, unlike };
}

function sentence(field: Field, error: ErrorObject): string {
  const wanted = specification.properties[field] as { type: string; minimum?: number; maximum?: number };
  const entry = error.instancePath.split("/")[2];
  if (error.keyword === "required") return MISSING[field] ?? `${field} is missing.`;
  if (wanted.type === "integer") {
    return `${field} is not a whole number from ${wanted.minimum} to ${wanted.maximum}. Write one, without quotes.`;
  }
  if (entry !== undefined)
    return `${field}, entry ${Number(entry) + 1}, is not a string. Write it in quotes.`;
  if (wanted.type === "array") return `${field} is not a list. Write it like ${form(field)}.`;
  return `${field} is not a string. Write it in quotes.`;
}

function personalDataFault(error: ErrorObject): string {
  const kind = error.instancePath.split("/")[2];
  if (kind === undefined) return 'personal_data is not an object. Write it like { "free_text": "omit" }.';
  if (kind === "hash_salt") return "personal_data.hash_salt is not a string. Write it in quotes.";
  return `personal_data.${kind} is none of "keep", "hash" and "omit". Choose one of them.`;
}

function form(field: Field): string {
  const property = specification.properties[field] as { pattern_descriptor?: string; examples?: unknown[] };
  return property.pattern_descriptor ?? JSON.stringify(property.examples?.[0]);
}
