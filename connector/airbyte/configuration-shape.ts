import { Ajv, type ErrorObject } from "ajv";
import specification from "../../spec/connection.json" with { type: "json" };

/** A field of the configuration, by the name users see. */
export type Field = keyof typeof specification.properties;

/** What the schema of the form has to say of a configuration. */
export interface Shape {
  /** Fields of the wrong kind, with the sentence for the user. Nothing else can be said of them. */
  readonly faults: ReadonlyMap<Field, string>;
  /** Fields whose text does not have its form. A check of its own says why; this sentence is for what is left. */
  readonly unlike: ReadonlyMap<Field, string>;
}

const missing: Readonly<Record<string, string>> = {
  base_url:
    "base_url is missing. Give the address of the service's interface, like https://api.example.com/v2.",
  api_key:
    "api_key is missing. Copy the key from the service's panel under Settings, Organization, Access Keys.",
};

const validate = new Ajv({
  allErrors: true,
  strict: false, // the form's own keywords are none of a validator's
  useDefaults: true,
  formats: { "date-time": true }, // checked with a sentence of its own
}).compile(specification);

/** Holds `given` against `spec/connection.json` and writes the defaults of absent fields into it. */
export function shapeOf(given: Record<string, unknown>): Shape {
  validate(given);
  const faults = new Map<Field, string>();
  const unlike = new Map<Field, string>();
  for (const error of validate.errors ?? []) {
    const field = (error.params.missingProperty ?? error.instancePath.split("/")[1]) as Field;
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
  if (error.keyword === "required") return missing[field] ?? `${field} is missing.`;
  if (wanted.type === "integer") {
    return `${field} is not a whole number from ${wanted.minimum} to ${wanted.maximum}. Write one, without quotes.`;
  }
  if (entry !== undefined) return `${field}, entry ${Number(entry) + 1}, is not a text. Write it in quotes.`;
  if (wanted.type === "array") return `${field} is not a list. Write it like ${form(field)}.`;
  return `${field} is not a text. Write it in quotes.`;
}

function form(field: Field): string {
  const property = specification.properties[field] as { pattern_descriptor?: string; examples?: unknown[] };
  return property.pattern_descriptor ?? JSON.stringify(property.examples?.[0]);
}
