import { SHORTEST_SALT } from "@survey-export/core";
import type { ErrorObject } from "ajv";
import specification from "../../spec/connection.json" with { type: "json" };
import {
  attributeProblem,
  type Checked,
  checkBaseUrl,
  FIELDS,
  type Field,
  lookbackProblem,
  surveyIdProblem,
  timestampProblem,
  uuidProblem,
  withoutEmpty,
} from "./configured-values.ts";
import { VALIDATORS } from "./form-validators.ts";
import type { Connection } from "./generated/connection.ts";

/** What to do about a field that is missing, too long or no object. */
const ADVICE: Readonly<Partial<Record<Field, string>>> = {
  base_url: "Give the address of the service's API, like https://api.example.com/v2.",
  api_key: "Copy the key from the service's panel under Settings, Organization, Access Keys.",
  survey_ids: "Give the identifier alone.",
  attributes: "Give each name as an entry of its own.",
  personal_data: 'Write it like { "free_text": "omit" }.',
};

/** Why a text, or an entry of a list, does not have the form's pattern, if that can be said better than with an example. */
const UNLIKE: Readonly<Partial<Record<Field, (text: string) => string | undefined>>> = {
  base_url: (text) => checkBaseUrl(text).fault,
  api_key: () =>
    "holds a space, a line break or another character that no key has. Copy the key again, without anything before or after it.",
  survey_ids: surveyIdProblem,
  respondent_uuids: uuidProblem,
  start_date: timestampProblem,
  end_date: timestampProblem,
  attributes: attributeProblem,
  lookback_window: lookbackProblem,
  personal_data: () =>
    `is shorter than ${SHORTEST_SALT} characters. It could be guessed, and with a list of addresses everything that was hashed with it. Give 32 random characters, such as openssl rand -hex 16 prints.`,
};

/**
 * Each field as `spec/connection.json` wants it, or the first thing that is wrong with it. Writes the defaults into
 * `given`, which has no empty fields.
 */
export function shapesOf(given: Record<string, unknown>): { readonly [F in Field]: Checked<Connection[F]> } {
  for (const field of FIELDS) {
    if (specification.properties[field].type !== "object") continue;
    const parts = given[field] ?? {}; // the defaults of an object's parts are written into an object only
    given[field] = typeof parts === "object" && !Array.isArray(parts) ? withoutEmpty(parts) : parts;
  }
  const errors = FIELDS.flatMap((field) => {
    const validate = VALIDATORS[field];
    return validate(given) ? [] : (validate.errors ?? []);
  });
  const shapes: Record<string, Checked<unknown>> = {};
  for (const error of errors) {
    const path = [...error.instancePath.split("/"), error.params.missingProperty].slice(1);
    const [field, at] = path.filter((name) => name !== undefined);
    const isEntry = Array.isArray(given[field]) && at !== undefined;
    shapes[field] ??= { fault: faultOf(error, field), at: isEntry ? Number(at) : at };
  }
  for (const field of FIELDS) shapes[field] ??= { value: given[field] };
  return shapes as ReturnType<typeof shapesOf>;
}

function faultOf({ keyword, parentSchema = {}, data }: ErrorObject, field: Field): string {
  const { type, enum: choices, minimum, maximum, examples, pattern_descriptor: form } = parentSchema;
  const { [field]: advice = "Look it up in the documentation." } = ADVICE;
  if (keyword === "required") return `is missing. ${advice}`;
  if (choices !== undefined) return `is not one of ${oneOf(choices)}. Choose one of them.`;
  if (type === "object") return `is not an object. ${advice}`;
  if (type === "array") return `is not a list. Write it like ${JSON.stringify(examples[0])}.`;
  if (type === "integer") {
    return `is not a whole number from ${minimum} to ${maximum}. Write one, without quotes.`;
  }
  if (keyword === "type") return "is not a string. Write it in quotes.";
  if (keyword === "maxLength") return `is longer than ${parentSchema.maxLength} characters. ${advice}`;
  const example = form === undefined ? advice : `Write it like ${form}.`;
  return UNLIKE[field]?.(data as string) ?? `does not have the right format. ${example}`;
}

/** `"keep", "hash" and "omit"`. */
const oneOf = (choices: readonly string[]): string =>
  new Intl.ListFormat("en-GB").format(choices.map((choice) => JSON.stringify(choice)));
