import { isObject } from "../client/page.ts";
import { isScore, type ValueTreatment } from "./value-treatment.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A value of a field that holds nothing personal: an object or a list there is not what we know. */
export const plain = (value: unknown): unknown =>
  typeof value === "object" || value === undefined ? null : value;

/** An id: a number, or its digits. */
const id = (value: unknown): unknown =>
  typeof value === "number" || /^\d+$/.test(String(value)) ? value : null;

/** A rating or a rank. More digits might be a telephone number, written as a number or as a text. */
export const number = (value: unknown): unknown =>
  /^-?\d{1,4}(?:\.\d+)?$/.test(String(value)) ? plain(value) : null;

/** What happens to the value of a field. `fields`: all fields of the same object. */
type Treat = (value: unknown, values: ValueTreatment, fields: Fields) => unknown;

/** The known fields of an object; all others are left out. */
const fieldsOf = (treatments: Readonly<Record<string, Treat>>): ReadonlyMap<string, Treat> =>
  new Map(Object.entries(treatments));

const freeText: Treat = (value, values) => values.treat("free_text", value);

const ENTRY = fieldsOf({
  id,
  rating: number,
  rank: number,
  tag: plain,
  content: (value, values, { tag }) =>
    tag !== undefined && tag !== null && isScore(value) ? value : values.treat("answer_labels", value),
  score: (value, values) => values.treat("answer_labels", value),
  comment: freeText,
});

const CONTACT_FIELD = fieldsOf({
  type: plain,
  content: (value, values) => values.treat("contact_fields", value),
  comment: freeText,
});

const ELEMENT = fieldsOf({
  question_id: id,
  question_type: plain,
  action_performed: (value) => (typeof value === "boolean" ? value : null),
  answers: (value, values) => treatObjects(value, ENTRY, values),
  fields: (value, values) => treatObjects(value, CONTACT_FIELD, values),
  answer: (value, values) => {
    if (Array.isArray(value)) return null;
    return isObject(value) ? treatFields(value, ENTRY, values) : values.treat("free_text", value);
  },
});

const ATTRIBUTE = fieldsOf({
  id,
  name: plain,
  value: (value, values) => values.treat("attribute_values", value),
});

/**
 * A response's `answers`, with known fields only: what the respondent typed and chose by the setting, ids, numbers and
 * types as they are. Elements and entries that are no objects are left out.
 */
export const treatAnswers = (answers: unknown, values: ValueTreatment): unknown[] =>
  treatObjects(answers, ELEMENT, values);

/** A list of attributes, with their names as they are. */
export const treatAttributes = (attributes: unknown, values: ValueTreatment): unknown[] =>
  treatObjects(attributes, ATTRIBUTE, values);

function treatObjects(list: unknown, known: ReadonlyMap<string, Treat>, values: ValueTreatment): Fields[] {
  if (!Array.isArray(list)) return [];
  const treated: Fields[] = [];
  for (const each of list) if (isObject(each)) treated.push(treatFields(each, known, values));
  return treated;
}

function treatFields(fields: Fields, known: ReadonlyMap<string, Treat>, values: ValueTreatment): Fields {
  const treated: Record<string, unknown> = {};
  for (const name in fields) {
    const treat = known.get(name);
    if (treat !== undefined) treated[name] = treat(fields[name], values, fields);
  }
  return treated;
}
