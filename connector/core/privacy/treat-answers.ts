import { isScore, type ValueTreatment } from "./value-treatment.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A value of a field that holds nothing personal: an object or a list there is not what we know. */
export const plain = (value: unknown): unknown =>
  typeof value === "object" || value === undefined ? null : value;

/** An id: a number, or its digits. */
const id = (value: unknown): unknown =>
  typeof value === "number" || /^\d+$/.test(String(value)) ? value : null;

/** A rating or a rank. A longer text of digits might be a telephone number. */
const number = (value: unknown): unknown =>
  typeof value === "number" || /^-?\d{1,4}(?:\.\d+)?$/.test(String(value)) ? value : null;

/**
 * A response's `answers`, with known fields only: what the respondent typed and chose by the setting, ids, numbers and
 * types as they are. Elements and entries that are no objects are left out.
 */
export function treatAnswers(answers: unknown, values: ValueTreatment): unknown[] {
  return objectsIn(answers).map((element) =>
    knownFields(element, (name, value) => {
      if (name === "question_id") return id(value);
      if (name === "question_type") return plain(value);
      if (name === "action_performed") return typeof value === "boolean" ? value : null;
      if (name === "answers") return objectsIn(value).map((entry) => treatEntry(entry, values));
      if (name === "fields") return objectsIn(value).map((entry) => treatContactField(entry, values));
      if (name === "answer") return treatAnswer(value, values);
      return undefined;
    }),
  );
}

/** A list of attributes, with their names as they are. */
export function treatAttributes(attributes: unknown, values: ValueTreatment): unknown[] {
  return objectsIn(attributes).map((attribute) =>
    knownFields(attribute, (name, value) => {
      if (name === "name") return plain(value);
      if (name === "id") return id(value);
      return name === "value" ? values.treat("attribute_values", value) : undefined;
    }),
  );
}

function treatAnswer(answer: unknown, values: ValueTreatment): unknown {
  if (Array.isArray(answer)) return null;
  if (typeof answer === "object" && answer !== null) return treatEntry(answer as Fields, values);
  return values.treat("free_text", answer);
}

function treatEntry(entry: Fields, values: ValueTreatment): Fields {
  const isNps = entry.tag !== undefined && entry.tag !== null;
  return knownFields(entry, (name, value) => {
    if (name === "id") return id(value);
    if (name === "rating" || name === "rank") return number(value);
    if (name === "tag") return plain(value);
    if (name === "content") return isNps && isScore(value) ? value : values.treat("answer_labels", value);
    if (name === "score") return values.treat("answer_labels", value);
    return name === "comment" ? values.treat("free_text", value) : undefined;
  });
}

function treatContactField(field: Fields, values: ValueTreatment): Fields {
  return knownFields(field, (name, value) => {
    if (name === "type") return plain(value);
    if (name === "content") return values.treat("contact_fields", value);
    return name === "comment" ? values.treat("free_text", value) : undefined;
  });
}

/** The fields that `treat` knows; it returns undefined for the others. */
function knownFields(fields: Fields, treat: (name: string, value: unknown) => unknown): Fields {
  const known: Record<string, unknown> = {};
  for (const name in fields) {
    const treated = treat(name, fields[name]);
    if (treated !== undefined) known[name] = treated;
  }
  return known;
}

function objectsIn(list: unknown): Fields[] {
  if (!Array.isArray(list)) return [];
  return list.filter((each) => typeof each === "object" && each !== null && !Array.isArray(each));
}
