import {
  ANSWER_KINDS,
  ANSWER_PARTS,
  type AnswerColumn,
  type AnswerKind,
  type AnswerPart,
  type AnswerType,
  COLUMNS_OF,
  kindOfList,
  kindOfObject,
  type ObjectPart,
} from "../answers/answer-kinds.ts";
import { SurveyExportError } from "../errors.ts";
import { isObject } from "../text/json.ts";
import { fixed, type Message, responseId, say } from "../text/message.ts";
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

/** How often each shape came that the service does not document, by its name in our words: "a number as answer". */
export type OddAnswers = Map<string, number>;

/**
 * The `answers` of a response as rows, in the service's order. Guarantees, for any JSON value:
 *
 * - Every element becomes at least one row. Only null elements are passed over: they hold nothing.
 * - `question_id` with `position` is unique, also if a question comes twice.
 * - No value of an element is lost. A value that has no column, or does not fit its column's type, is in
 *   `additional_fields`: under its own name, and inside `answer`, `answers` or `fields` where it came from there. Fields of
 *   the element itself are in each of its rows.
 * - Nothing is guessed: a shape that the service does not document is a row of type `other`, with its JSON in
 *   `additional_fields`. `odd` counts it (S13).
 * - A field that is null counts as absent, and so does an empty list.
 *
 * @throws SurveyExportError `unreadable_item` if an answer cannot become a row: it has no usable `question_id`, or
 * the answers are no list
 */
export function answerRows(
  { uuid, response }: { readonly uuid: string; readonly response: { readonly answers?: unknown } },
  odd?: OddAnswers,
): readonly AnswerRow[] {
  const { rows, unreadable } = readableAnswerRows(response.answers, odd);
  const [reason] = unreadable;
  if (reason === undefined) return rows;
  throw new SurveyExportError("system", "unreadable_item", say`Response ${responseId(uuid)} ${reason}.`, {
    advice: say`Its answers were left out of survey_answers, and the next sync tries again. Report this to the service.`,
  });
}

export interface ReadableAnswerRows {
  readonly rows: readonly AnswerRow[];
  /** What could not become a row, each as the end of a sentence about the response. Empty nearly always. */
  readonly unreadable: readonly Message[];
}

/** Like `answerRows`, but leaves out what cannot become a row, and names it: for one who has to show the rest. */
export function readableAnswerRows(answers: unknown, odd: OddAnswers = new Map()): ReadableAnswerRows {
  if (answers === undefined || answers === null) return NOTHING;
  if (!Array.isArray(answers)) return { rows: [], unreadable: [say`has answers that are not a list`] };
  const rows: AnswerRow[] = [];
  const unreadable: Message[] = [];
  const counts = new Map<number, number>();
  for (const [index, element] of answers.entries()) {
    if (element === null) continue;
    const questionId = isObject(element) ? wholeNumber(element.question_id) : undefined;
    if (questionId === undefined) {
      unreadable.push(say`has an answer without a usable question_id (answers[${fixed(String(index))}])`);
      continue;
    }
    const questionType = text(element.question_type);
    const more = additionalOf(element, questionType);
    addRows({ rows, counts, element, questionId, questionType: questionType ?? null, more, odd });
  }
  return { rows, unreadable };
}

type Fields = Readonly<Record<string, unknown>>;

/** An answered question, and where its rows go. */
interface Answered {
  readonly rows: AnswerRow[];
  /** Rows of each question so far. */
  readonly counts: Map<number, number>;
  readonly element: Fields;
  readonly questionId: number;
  readonly questionType: string | null;
  /** What belongs to the question and has no column. */
  readonly more: Fields | undefined;
  readonly odd: OddAnswers;
}

const NOTHING: ReadableAnswerRows = { rows: [], unreadable: [] };
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

/** Adds the rows of one element. */
function addRows(answered: Answered): void {
  const { rows, element } = answered;
  const { answer, answers, fields, action_performed: action } = element;
  const first = rows.length;

  if (typeof answer === "string") addRow(answered, "text").value_text = answer;
  else if (isObject(answer)) addObject(answered, answer, kindOfObject("answer", answer), "answer");
  else addOther(answered, answer, "answer", "as");

  addList(answered, answers, "answers");
  addList(answered, fields, "fields");

  if (typeof action === "boolean") addRow(answered, "action").value_boolean = action;
  else addOther(answered, action, "action_performed", "as");

  if (rows.length === first) addRow(answered, "other");
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
function addList(answered: Answered, list: unknown, part: "answers" | "fields"): void {
  if (!Array.isArray(list)) {
    addOther(answered, list, part, "as");
    return;
  }
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
      count(answered, "an object without a known field", part, part === "answer" ? "as" : "in");
    }
  }
  if (ANSWER_KINDS[kind].holds === "score" && row.value_text !== null)
    row.value_number = score(row.value_text);
}

/** A shape that the service does not document. `place`: as the whole part, or in its list. */
function addOther(answered: Answered, value: unknown, part: AnswerPart, place: "as" | "in"): void {
  const isList = Array.isArray(value);
  if (value === undefined || value === null || (isList && value.length === 0)) return;
  keep(addRow(answered, "other"), part, value);
  count(answered, isList ? "a list" : isObject(value) ? "an object" : `a ${typeof value}`, part, place);
}

function count({ odd }: Answered, what: string, part: AnswerPart, place: "as" | "in"): void {
  const shape = `${what} ${place} ${part}`;
  odd.set(shape, (odd.get(shape) ?? 0) + 1);
}

/** False when the value does not fit the column. */
function put(row: AnswerRow, column: AnswerColumn, value: unknown): boolean {
  if (column === "answer_id" || column === "value_number") {
    const fitting = column === "answer_id" ? wholeNumber(value) : decimal(value);
    if (fitting === undefined) return false;
    row[column] = fitting;
  } else {
    const fitting = text(value);
    if (fitting === undefined) return false;
    row[column] = fitting;
  }
  return true;
}

/** A number, or a string that is exactly how one is written. Not the digits of a number that would change. */
function decimal(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && String(Number(value)) === value && Number.isFinite(Number(value))
    ? Number(value)
    : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  const number = decimal(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** The NPS score that a content spells; null for any other text, such as "9/10". */
function score(content: string): number | null {
  return /^\s*-?\d{1,15}(?:\.\d{1,15})?\s*$/.test(content) ? Number(content) : null;
}

function keep(row: AnswerRow, name: string, value: unknown): void {
  row.additional_fields ??= {};
  setField(row.additional_fields, name, value);
}
