import { certain } from "../errors.ts";
import { type Fields, isObject } from "../text/json.ts";
import type { ANSWER_FIELDS } from "./answer-fields.ts";

/** Columns of an answer's row that take the value of one field. */
export type AnswerColumn = "answer_id" | "label" | "value_text" | "value_number" | "comment" | "nps_tag";

/** The parts of an answered question that hold objects. */
export type ObjectPart = keyof typeof ANSWER_FIELDS;
/** Every part of an answered question that holds the answer. */
export type AnswerPart = ObjectPart | "action_performed";

type Bare = "string" | "number" | "boolean" | "list of strings";

export interface Kind {
  /** In words, for documents. */
  readonly about: string;
  readonly in: AnswerPart;
  /** The JSON kind of that part, if it is not an object. */
  readonly is?: Bare;
  /**
   * The field that marks it among the kinds in the same part; null counts as absent. If several are there,
   * the first kind of the table counts. A kind without it takes the other objects.
   */
  readonly markedBy?: string;
  /** Which field of an object goes to which column. One that is not named here is an additional one, except `comment`. */
  readonly fields?: Readonly<Record<string, AnswerColumn>>;
  /** The column that says what was answered; what a question's own column in a wide table holds. */
  readonly value: "value_text" | "value_number" | "value_boolean";
  /**
   * What `label` and `value_text` hold, for personal data. Of `contact_fields`, the label is the type of a form field.
   * The text of a `score` is a recommendation score, and `value_number` is read from it. `unknown`: the service documents
   * no such shape. It is counted, in a warning, and its texts are not emitted once any kind of personal data is treated.
   */
  readonly holds: "answer_labels" | "free_text" | "contact_fields" | "score" | "unknown";
}

/** A kind names only fields that are described. */
type KindIn<Part extends ObjectPart> = Kind & {
  readonly in: Part;
  readonly fields: Partial<Record<keyof (typeof ANSWER_FIELDS)[Part], AnswerColumn>>;
  readonly markedBy?: keyof (typeof ANSWER_FIELDS)[Part];
};
type BareKind = Kind & { readonly is: Bare; readonly fields?: never };

/**
 * The kinds of answers, in the order in which the documents name them. Rows, personal data, the schema of
 * `answers`, the low-code manifest and dbt's accepted values follow from this table. A new kind is an
 * entry here, with its fields in `ANSWER_FIELDS`, and an answer of it in the sandbox.
 */
export const ANSWER_KINDS = {
  single_choice: {
    about: "a choice with a comment",
    in: "answer",
    fields: { id: "answer_id", content: "value_text" },
    value: "value_text",
    holds: "answer_labels",
  },
  multiple_choice: {
    about: "several choices with comments",
    in: "answers",
    fields: { id: "answer_id", content: "value_text" },
    value: "value_text",
    holds: "answer_labels",
  },
  // Before the rating: an answer with both a tag and a rating is an NPS answer.
  nps: {
    about: "an NPS score",
    in: "answer",
    markedBy: "tag",
    fields: { id: "answer_id", content: "value_text", tag: "nps_tag" },
    value: "value_number",
    holds: "score",
  },
  rating: {
    about: "a rating",
    in: "answer",
    markedBy: "rating",
    fields: { id: "answer_id", content: "value_text", rating: "value_number" },
    value: "value_number",
    holds: "answer_labels",
  },
  contact_form: {
    about: "a contact form",
    in: "fields",
    fields: { type: "label", content: "value_text" },
    value: "value_text",
    holds: "contact_fields",
  },
  text: { about: "text", in: "answer", is: "string", value: "value_text", holds: "free_text" },
  matrix: {
    about: "a matrix",
    in: "answers",
    markedBy: "score",
    fields: { id: "answer_id", content: "label", score: "value_text" },
    value: "value_text",
    holds: "answer_labels",
  },
  ranking: {
    about: "a ranking",
    in: "answers",
    markedBy: "rank",
    fields: { id: "answer_id", content: "label", rank: "value_number" },
    value: "value_text",
    holds: "answer_labels",
  },
  action: {
    about: "an action",
    in: "action_performed",
    is: "boolean",
    value: "value_boolean",
    holds: "answer_labels",
  },
  number: { about: "a number", in: "answer", is: "number", value: "value_number", holds: "unknown" },
  boolean: { about: "true or false", in: "answer", is: "boolean", value: "value_boolean", holds: "unknown" },
  strings: {
    about: "a list of strings",
    in: "answer",
    is: "list of strings",
    value: "value_text",
    holds: "unknown",
  },
} as const satisfies Readonly<
  Record<string, BareKind | KindIn<"answer"> | KindIn<"answers"> | KindIn<"fields">>
>;

export type AnswerKind = keyof typeof ANSWER_KINDS;
/** `other`: a shape that fits none of them, or nothing at all. */
export type AnswerType = AnswerKind | "other";

const ENTRIES = Object.entries(ANSWER_KINDS) as readonly (readonly [AnswerKind, Kind])[];

/** Those that the service documents. */
export const DOCUMENTED_KINDS = ENTRIES.flatMap(([name, { holds }]) => (holds === "unknown" ? [] : [name]));

/** Every value of the column `answer_type`. */
export const ANSWER_TYPES: readonly AnswerType[] = [...ENTRIES.map(([name]) => name), "other"];

/** Every part of an answered question that holds the answer. */
export const ANSWER_PARTS = [...new Set(ENTRIES.map(([, kind]) => kind.in))];

const BY_NAME: ReadonlyMap<unknown, Kind> = new Map(ENTRIES);

/** The entry of the table; undefined for `other`. */
export const kindNamed = (type: unknown): Kind | undefined => BY_NAME.get(type);

/** For each kind, which field of its object goes to which column. Empty for a kind that is not an object. */
export const COLUMNS_OF = Object.fromEntries(
  ENTRIES.map(([name, { fields }]) => [
    name,
    new Map<string, AnswerColumn>(fields ? [...Object.entries(fields), ["comment", "comment"]] : []),
  ]),
) as unknown as Readonly<Record<AnswerKind, ReadonlyMap<string, AnswerColumn>>>;

/** The kinds of the objects in one part: those marked by a field, in the order in which they count, and the other. */
export interface PartKinds {
  readonly marked: readonly { readonly by: string; readonly kind: AnswerKind }[];
  readonly otherwise: AnswerKind;
}

function kindsIn(part: ObjectPart): PartKinds {
  const kinds = ENTRIES.filter(([, kind]) => kind.in === part && !kind.is);
  const marked = kinds.flatMap(([kind, { markedBy: by }]) => (by === undefined ? [] : [{ by, kind }]));
  const otherwise = kinds.find(([, { markedBy }]) => markedBy === undefined);
  return { marked, otherwise: certain(otherwise, "a kind that no field marks")[0] };
}

export const KINDS_IN: Readonly<Record<ObjectPart, PartKinds>> = {
  answer: kindsIn("answer"),
  answers: kindsIn("answers"),
  fields: kindsIn("fields"),
};

/** The kind of a whole part that is no object, if there is one. */
export function kindOfBare(part: AnswerPart, value: unknown): AnswerKind | undefined {
  const isStrings = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
  const json = isStrings ? "list of strings" : typeof value;
  return ENTRIES.find(([, kind]) => kind.in === part && kind.is === json)?.[0];
}

/** The kind of an object by its own fields; `otherwise` if none of them marks it. */
export function kindOfObject(
  part: ObjectPart,
  object: Fields,
  otherwise: AnswerKind = KINDS_IN[part].otherwise,
): AnswerKind {
  return KINDS_IN[part].marked.find(({ by }) => object[by] != null)?.kind ?? otherwise;
}

/** What an object of this list is if its own fields do not mark it: a row of a matrix may have no answer. */
export function kindOfList(part: "answers" | "fields", list: readonly unknown[]): AnswerKind {
  const { marked, otherwise } = KINDS_IN[part];
  const has = (field: string) => list.some((entry) => isObject(entry) && entry[field] != null);
  return marked.find(({ by }) => has(by))?.kind ?? otherwise;
}
