import {
  type ANSWER_KINDS,
  type AnswerColumn,
  type AnswerKind,
  COLUMNS_OF,
  KINDS_IN,
  kindNamed,
  kindOfObject,
  type ObjectPart,
} from "../answers/answer-kinds.ts";
import { isObject } from "../text/json.ts";
import { isScore, type ValueTreatment } from "./value-treatment.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A value of a field that holds nothing personal: an object or a list there is not what we know. */
export const plain = (value: unknown): unknown =>
  typeof value === "object" || value === undefined ? null : value;

/** An id: a number, or its digits. */
const id = (value: unknown): unknown =>
  typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value)) ? value : null;

/** A longer one might be a telephone number. */
const LONGEST_ID = 10;
const isShortId = (value: unknown): boolean => id(value) !== null && String(value).length <= LONGEST_ID;

/** A score, a rating or a rank. More digits might be a telephone number, in whatever way they are divided. */
const SHORT_NUMBER = /^-?\d{1,4}(?:\.\d)?$/;

const keepsAllText = (values: ValueTreatment): boolean =>
  values.handlingOf(values.strictest(...ANY_TEXT)) === "keep";

/** The id of an answer. A longer one leaves only if all text of answers does: its column holds numbers, so no hash. */
export const answerId = (value: unknown, values: ValueTreatment): unknown =>
  isShortId(value) || keepsAllText(values) ? id(value) : null;

/** The number of an answer, as a number or as its digits. A longer one leaves only if all text of answers does. */
export const answerNumber = (value: unknown, values: ValueTreatment): unknown =>
  SHORT_NUMBER.test(String(value)) || keepsAllText(values) ? plain(value) : null;

/** What happens to the value of a field. `fields`: all fields of the same object. */
type Treat = (value: unknown, values: ValueTreatment, fields: Fields) => unknown;

/** The known fields of an object; all others are left out. */
const fieldsOf = (treatments: Readonly<Record<string, Treat>>): ReadonlyMap<string, Treat> =>
  new Map(Object.entries(treatments));

/** The kinds that a text of an answer can be of. */
const ANY_TEXT = ["answer_labels", "free_text", "contact_fields"] as const;

const freeText: Treat = (value, values) => values.treat("free_text", value);

/** Without an id beside it, a text may be the respondent's own words. */
const chosen: Treat = (value, values, { id: ofAnswer }) =>
  values.treat(isShortId(ofAnswer) ? "answer_labels" : values.strictest("answer_labels", "free_text"), value);

const ofUnknownKind: Treat = (value, values) => values.treat(values.strictest(...ANY_TEXT), value);

const TEXTS: Readonly<Record<(typeof ANSWER_KINDS)[AnswerKind]["holds"], Treat>> = {
  free_text: freeText,
  contact_fields: (value, values) => values.treat("contact_fields", value),
  answer_labels: chosen,
  score: (value, values, fields) => (isScore(value) ? value : chosen(value, values, fields)),
};

/** How the label of an answer of this kind may leave. */
export function labelTreatment(kind: unknown): Treat {
  const holds = kindNamed(kind)?.holds;
  return holds === undefined ? ofUnknownKind : holds === "contact_fields" ? plain : chosen;
}

/** How the text of an answer of this kind may leave. */
export function textTreatment(kind: unknown): Treat {
  const holds = kindNamed(kind)?.holds;
  return holds === undefined ? ofUnknownKind : TEXTS[holds];
}

/** What happens to a field of an answer of this kind, by the column that it goes to. */
function treatmentOf(kind: AnswerKind, column: AnswerColumn): Treat {
  if (column === "label") return labelTreatment(kind);
  if (column === "value_text") return textTreatment(kind);
  return { answer_id: answerId, comment: freeText, nps_tag: plain, value_number: answerNumber }[column];
}

/** The fields of every kind that this part can have. If its kinds differ about a field, the object's own counts. */
function treatmentsIn(part: ObjectPart): ReadonlyMap<string, Treat> {
  const { told, otherwise } = KINDS_IN[part];
  const byField = new Map<string, Map<AnswerKind, Treat>>();
  for (const kind of [otherwise, ...told.map((each) => each.kind)]) {
    for (const [field, column] of COLUMNS_OF[kind]) {
      byField.set(field, (byField.get(field) ?? new Map()).set(kind, treatmentOf(kind, column)));
    }
  }
  const treatments = [...byField].map(([field, byKind]): [string, Treat] => {
    const [treat, ...others] = new Set(byKind.values());
    if (treat !== undefined && others.length === 0) return [field, treat];
    return [
      field,
      (value, values, fields) => byKind.get(kindOfObject(part, fields))?.(value, values, fields),
    ];
  });
  return new Map(treatments);
}

const ANSWER = treatmentsIn("answer");
const ANSWERS = treatmentsIn("answers");
const CONTACT_FIELDS = treatmentsIn("fields");

const ELEMENT = fieldsOf({
  question_id: id,
  question_type: plain,
  action_performed: (value) => (typeof value === "boolean" ? value : null),
  answers: (value, values) => treatObjects(value, ANSWERS, values),
  fields: (value, values) => treatObjects(value, CONTACT_FIELDS, values),
  answer: (value, values) => {
    if (isObject(value)) return treatFields(value, ANSWER, values);
    return typeof value === "string" ? values.treat("free_text", value) : null;
  },
});

const ATTRIBUTE = fieldsOf({
  id: (value, values) =>
    isShortId(value) || values.handlingOf("attribute_values") === "keep" ? id(value) : null,
  name: plain,
  value: (value, values) => values.treat("attribute_values", value),
});

/**
 * A response's `answers`, with known fields only: what the respondent typed and chose by the setting, ids, numbers and
 * types as they are. Elements and entries that are not objects are left out.
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
