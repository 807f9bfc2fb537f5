import {
  ANSWER_KINDS,
  ANSWER_PARTS,
  type AnswerColumn,
  type AnswerKind,
  type AnswerPart,
  type AnswerType,
  COLUMNS_OF,
  type Kind,
  kindOfBare,
  kindOfList,
  kindOfObject,
  type ObjectPart,
} from "../answers/answer-kinds.ts";
import { decimal, type Fields, isObject, wholeNumber } from "../text/json.ts";
import { setField, text } from "./fitting.ts";

/** The part of a `survey_answers` record that comes from the answer itself. */
export interface AnswerRow {
  question_id: number;
  question_type: string | null;
  /** 1, 2, … among the rows of the same question. */
  position: number;
  answer_type: AnswerType;
  answer_id: number | null;
  label: string | null;
  value_text: string | null;
  value_number: number | null;
  value_boolean: boolean | null;
  comment: string | null;
  nps_tag: string | null;
  additional_fields: Record<string, unknown> | null;
}

/** Counts by what it was, in our words. */
export type Counts = Map<string, number>;

/** Answers that the service does not document (S13). */
export interface OddAnswers {
  /** The shapes of those that are rows, such as "a number as answer". */
  readonly shapes: Counts;
  /** Why the others cannot be rows. */
  readonly omitted: Counts;
}

export const noOddAnswers = (): OddAnswers => ({ shapes: new Map(), omitted: new Map() });

/**
 * The `answers` of a response as rows, in the service's order. Guarantees, for any JSON value:
 *
 * - Every element with a usable `question_id` becomes at least one row. Any other is omitted alone, and `odd` counts it.
 *   Null elements are passed over: they hold nothing.
 * - `question_id` with `position` is unique, also if a question comes twice.
 * - No value of a row's element is lost. A value that has no column, or does not fit its column's type, is in
 *   `additional_fields`: under its own name, and inside `answer`, `answers` or `fields` where it came from there. Fields of
 *   the element itself are in each of its rows.
 * - Nothing is guessed: `odd` counts a shape that the service does not document. If no kind of the table fits it, it is
 *   a row of type `other`, with its JSON in `additional_fields`.
 * - A field that is null counts as absent, and so does an empty list.
 */
export function answerRows(answers: unknown, odd: OddAnswers = noOddAnswers()): readonly AnswerRow[] {
  if (answers === undefined || answers === null) return [];
  if (!Array.isArray(answers)) {
    count(odd.omitted, "answers that are not a list");
    return [];
  }
  const rows: AnswerRow[] = [];
  const counts = new Map<number, number>();
  for (const element of answers) {
    if (element === null) continue;
    const questionId = isObject(element) ? wholeNumber(element.question_id) : undefined;
    if (questionId === undefined) {
      count(odd.omitted, "an answer without a usable question_id");
      continue;
    }
    const questionType = text(element.question_type);
    const more = additionalOf(element, questionType);
    const answered: Answered = { rows, counts, questionId, questionType: questionType ?? null, more, odd };
    const rowsBefore = rows.length;
    for (const part of ANSWER_PARTS) addPart(answered, part, element[part]);
    if (rows.length === rowsBefore) addRow(answered, "other");
  }
  return rows;
}

/** An answered question, and where its rows go. */
interface Answered {
  readonly rows: AnswerRow[];
  /** Rows of each question so far. */
  readonly counts: Map<number, number>;
  readonly questionId: number;
  readonly questionType: string | null;
  /** What belongs to the question and has no column. */
  readonly more: Fields | undefined;
  readonly odd: OddAnswers;
}

const ELEMENT_FIELDS: ReadonlySet<string> = new Set(["question_id", "question_type", ...ANSWER_PARTS]);

function additionalOf(element: Fields, questionType: string | undefined): Fields | undefined {
  let more: Record<string, unknown> | undefined;
  for (const name in element) {
    const value = element[name];
    if (value === null) continue;
    if (ELEMENT_FIELDS.has(name) && (name !== "question_type" || questionType !== undefined)) continue;
    more ??= {};
    setField(more, name, value);
  }
  return more;
}

function addPart(answered: Answered, part: AnswerPart, value: unknown): void {
  if (value === undefined || value === null) return;
  if (part === "answer" && isObject(value)) addObject(answered, value, kindOfObject(part, value), part);
  else if ((part === "answers" || part === "fields") && Array.isArray(value)) addList(answered, value, part);
  else {
    const kind = kindOfBare(part, value);
    if (kind === undefined) addOther(answered, value, part, "as");
    else addBare(answered, part, value, kind);
  }
}

/** A row for each string of a list. */
function addBare(answered: Answered, part: AnswerPart, value: unknown, kind: AnswerKind): void {
  const { value: column, holds }: Kind = ANSWER_KINDS[kind];
  for (const one of Array.isArray(value) ? value : [value]) addRow(answered, kind)[column] = one as never;
  if (holds === "unknown") countShape(answered, value, part, "as");
}

function addRow({ rows, counts, questionId, questionType, more }: Answered, type: AnswerType): AnswerRow {
  const position = (counts.get(questionId) ?? 0) + 1;
  counts.set(questionId, position);
  const row: AnswerRow = {
    question_id: questionId,
    question_type: questionType,
    position,
    answer_type: type,
    answer_id: null,
    label: null,
    value_text: null,
    value_number: null,
    value_boolean: null,
    comment: null,
    nps_tag: null,
    additional_fields: more === undefined ? null : { ...more },
  };
  rows.push(row);
  return row;
}

/** A row for each entry. */
function addList(answered: Answered, list: readonly unknown[], part: "answers" | "fields"): void {
  const kind = kindOfList(part, list);
  for (const entry of list) {
    if (isObject(entry)) addObject(answered, entry, kindOfObject(part, entry, kind), part);
    else addOther(answered, entry, part, "in");
  }
}

/** Puts each field of an object into its column, and what has none into `additional_fields`. */
function addObject(answered: Answered, object: Fields, kind: AnswerKind, part: ObjectPart): void {
  const row = addRow(answered, kind);
  const columns = COLUMNS_OF[kind];
  let hasKnown = false;
  let rest: Record<string, unknown> | undefined;
  for (const name in object) {
    const value = object[name];
    if (value === null) continue;
    const column = columns.get(name);
    if (column !== undefined) {
      hasKnown = true;
      if (put(row, column, value)) continue;
    }
    rest ??= {};
    setField(rest, name, value);
  }
  if (rest !== undefined) {
    keep(row, part, rest);
    if (!hasKnown) {
      row.answer_type = "other";
      const place = part === "answer" ? "as" : "in";
      count(answered.odd.shapes, `an object without a known field ${place} ${part}`);
    }
  }
  if (ANSWER_KINDS[kind].holds === "score" && row.value_text !== null)
    row.value_number = score(row.value_text);
}

/** A shape that no kind fits. `place`: as the whole part, or in its list. */
function addOther(answered: Answered, value: unknown, part: AnswerPart, place: "as" | "in"): void {
  if (value === null || (Array.isArray(value) && value.length === 0)) return;
  keep(addRow(answered, "other"), part, value);
  countShape(answered, value, part, place);
}

function countShape({ odd }: Answered, value: unknown, part: AnswerPart, place: "as" | "in"): void {
  const what = Array.isArray(value) ? "a list" : isObject(value) ? "an object" : `a ${typeof value}`;
  count(odd.shapes, `${what} ${place} ${part}`);
}

const count = (counts: Counts, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);

/** False when the value does not fit the column. */
function put(row: AnswerRow, column: AnswerColumn, value: unknown): boolean {
  const fit = column === "answer_id" ? wholeNumber : column === "value_number" ? decimal : text;
  const fitting = fit(value);
  if (fitting !== undefined) row[column] = fitting as never;
  return fitting !== undefined;
}

/** The NPS score that a content spells; null for any other text, such as "9/10". */
function score(content: string): number | null {
  return /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(content) ? Number(content) : null;
}

function keep(row: AnswerRow, name: string, value: unknown): void {
  row.additional_fields ??= {};
  setField(row.additional_fields, name, value);
}
