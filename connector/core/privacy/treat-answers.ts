import {
  ANSWER_KINDS,
  type AnswerColumn,
  COLUMNS_OF,
  type Kind,
  kindNamed,
  kindOfBare,
  kindOfObject,
  type ObjectPart,
} from "../answers/answer-kinds.ts";
import { type Fields, isObject } from "../text/json.ts";
import type { PersonalDataKind } from "./personal-data.ts";
import { isScore, type ValueTreatment } from "./value-treatment.ts";

type KnownText = Exclude<Kind["holds"], "unknown">;

/** A value of a field that holds nothing personal: an object or a list there is not what we know. */
export const plain = (value: unknown): unknown =>
  typeof value === "object" || value === undefined ? null : value;

/** The same for an object with these fields, or a list of such objects or of plain values. */
export function plainParts(value: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => plainParts(each, fields));
  if (!isObject(value)) return plain(value);
  return withFields(value, (name, each) => (fields.includes(name) ? plain(each) : undefined));
}

/** An id: a number, or its digits. */
const id = (value: unknown): unknown =>
  typeof value === "number" || (typeof value === "string" && /^\d+$/.test(value)) ? value : null;

/** A longer one might be a telephone number. */
const LONGEST_ID = 10;
const isShortId = (value: unknown): boolean => id(value) !== null && String(value).length <= LONGEST_ID;

/** A score, a rating or a rank. More digits might be a telephone number, in whatever way they are divided. */
const SHORT_NUMBER = /^-?\d{1,4}(?:\.\d)?$/;

/**
 * The value of an answer of this kind and with this id as it may be emitted, by the column that it goes to. An id or a number that might be a telephone number
 * is emitted only if all text of answers is: its column takes no hash.
 */
export function answerValue(
  column: AnswerColumn,
  value: unknown,
  values: ValueTreatment,
  kind: unknown,
  answerId: unknown,
): unknown {
  const holds = kindNamed(kind)?.holds;
  const keepsAllText = () =>
    holds !== "unknown" &&
    values.handlingOf(values.strictest("answer_labels", "free_text", "contact_fields")) === "keep";
  switch (column) {
    case "answer_id":
      return isShortId(value) || keepsAllText() ? id(value) : null;
    case "value_number":
      return SHORT_NUMBER.test(String(value)) || keepsAllText() ? plain(value) : null;
    case "comment":
      return values.treat("free_text", value);
    case "nps_tag":
      return plain(value);
    case "label":
    case "value_text":
      // An answer of an unknown kind has no text of its own.
      if (holds === undefined || holds === "unknown") return null;
      if (holds === "contact_fields" && column === "label") return plain(value);
      if (holds === "score" && isScore(value)) return value;
      return values.treat(textKind(holds, answerId, values), value);
  }
}

function textKind(holds: KnownText, answerId: unknown, values: ValueTreatment): PersonalDataKind {
  if (holds === "free_text" || holds === "contact_fields") return holds;
  // Without an id next to it, a text may be the respondent's own words.
  return isShortId(answerId) ? "answer_labels" : values.strictest("answer_labels", "free_text");
}

/**
 * A response's `answers`, with known fields only: what the respondent typed and chose by the setting, ids, numbers and
 * types as they are. What the service does not document is omitted.
 */
export const treatAnswers = (answers: unknown, values: ValueTreatment): Fields[] =>
  objectsIn(answers).map((element) =>
    withFields(element, (name, value) => {
      switch (name) {
        case "question_id":
          return id(value);
        case "question_type":
          return plain(value);
        case "action_performed":
          return typeof value === "boolean" ? value : null;
        case "answers":
        case "fields":
          return objectsIn(value).map((entry) => treatObject(name, entry, values));
        case "answer":
          return isObject(value) ? treatObject(name, value, values) : treatBare(name, value, values);
        default:
          return undefined;
      }
    }),
  );

function treatBare(part: ObjectPart, value: unknown, values: ValueTreatment): unknown {
  const kind = kindOfBare(part, value);
  if (kind === undefined) return null;
  const column = ANSWER_KINDS[kind].value;
  const treat = (one: unknown) =>
    column === "value_boolean" ? one : answerValue(column, one, values, kind, undefined);
  return Array.isArray(value) ? value.map(treat) : treat(value);
}

function treatObject(part: ObjectPart, object: Fields, values: ValueTreatment): Fields {
  const kind = kindOfObject(part, object);
  const columns = COLUMNS_OF[kind];
  return withFields(object, (name, value) => {
    const column = columns.get(name);
    return column && answerValue(column, value, values, kind, object.id);
  });
}

/** The id of an attribute, or null for one that might be a telephone number. */
const attributeId = (value: unknown, values: ValueTreatment): unknown =>
  isShortId(value) || values.handlingOf("attribute_values") === "keep" ? id(value) : null;

/** The same for a key: a negative number, the same for all attributes of this name, takes the place of null. */
export const attributeKey = (value: unknown, name: unknown, values: ValueTreatment): unknown =>
  attributeId(value, values) ?? -checksum(String(name));

/** FNV-1a: 32 bits. */
function checksum(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A list of attributes, with their names as they are. */
export const treatAttributes = (attributes: unknown, values: ValueTreatment): Fields[] =>
  objectsIn(attributes).map((attribute) =>
    withFields(attribute, (name, value) => {
      if (name === "id") return attributeId(value, values);
      if (name === "name") return plain(value);
      return name === "value" ? values.treat("attribute_values", value) : undefined;
    }),
  );

/** A list of what can be chosen, with ids and texts as an answer has them. */
export const treatChoices = (choices: unknown, values: ValueTreatment): Fields[] =>
  objectsIn(choices).map((choice) =>
    withFields(choice, (name, value) => {
      if (name === "id") return answerValue("answer_id", value, values, "single_choice", value);
      return name === "content" ? values.treat("answer_labels", value) : undefined;
    }),
  );

const objectsIn = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** The fields of an object as they may be emitted, without those of which `treat` gives undefined. */
function withFields(fields: Fields, treat: (name: string, value: unknown) => unknown): Fields {
  const treated: Record<string, unknown> = {};
  for (const name in fields) {
    const value = treat(name, fields[name]);
    if (value !== undefined) treated[name] = value;
  }
  return treated;
}
