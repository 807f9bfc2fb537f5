import { isObject } from "../client/page.ts";

export type AnswerType =
  | "single_choice"
  | "multiple_choice"
  | "rating"
  | "contact_form"
  | "text"
  | "nps"
  | "matrix"
  | "ranking"
  | "action"
  | "other";

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

export interface AnswerRows {
  readonly rows: readonly AnswerRow[];
  /** What could not become a row, each as the end of a sentence about the response. Empty nearly always. */
  readonly unreadable: readonly string[];
}

/**
 * The `answers` of a response as rows, in the service's order. Guarantees, for any JSON value:
 *
 * - Every element becomes at least one row, or is named in `unreadable`. Only null elements are passed over:
 *   they hold nothing.
 * - `question_id` with `position` is unique, also where a question comes twice.
 * - No value of an element is lost. A value that has no column, or does not fit its column's type, stands in
 *   `additional_fields`: under its own name, and inside `answer`, `answers` or `fields` where it came from
 *   there. Fields of the element itself stand in each of its rows.
 * - A field that is null counts as absent. So does an empty list, where the element holds anything else.
 */
export function answerRows(answers: unknown): AnswerRows {
  if (answers === undefined || answers === null) return NOTHING;
  if (!Array.isArray(answers)) return { rows: [], unreadable: ["has answers that are not a list"] };
  const rows: AnswerRow[] = [];
  const unreadable: string[] = [];
  const counts = new Map<number, number>();
  for (const [index, element] of answers.entries()) {
    if (element === null) continue;
    const questionId = isObject(element) ? wholeNumber(element.question_id) : undefined;
    if (questionId === undefined) {
      unreadable.push(`has an answer without a usable question_id (answers[${index}])`);
      continue;
    }
    const first = rows.length;
    addRows(rows, element, questionId);
    let position = counts.get(questionId) ?? 0;
    for (let at = first; at < rows.length; at += 1) rows[at]!.position = ++position;
    counts.set(questionId, position);
  }
  return { rows, unreadable };
}

type Fields = Readonly<Record<string, unknown>>;
type Column = "answer_id" | "label" | "value_text" | "value_number" | "comment" | "nps_tag";
type EntryType = Exclude<AnswerType, "text" | "action" | "other">;

const NOTHING: AnswerRows = { rows: [], unreadable: [] };
const ELEMENT_FIELDS = new Set([
  "question_id",
  "question_type",
  "answer",
  "answers",
  "fields",
  "action_performed",
]);

const columns = (map: Readonly<Record<string, Column>>): ReadonlyMap<string, Column> =>
  new Map(Object.entries(map));
const choice = columns({ id: "answer_id", content: "value_text", comment: "comment" });

/** Of each kind of answer: which field goes to which column. Every other field is an additional one. */
const COLUMNS: Readonly<Record<EntryType, ReadonlyMap<string, Column>>> = {
  single_choice: choice,
  multiple_choice: choice,
  rating: columns({ id: "answer_id", content: "value_text", rating: "value_number", comment: "comment" }),
  nps: columns({ id: "answer_id", content: "value_text", tag: "nps_tag", comment: "comment" }),
  matrix: columns({ id: "answer_id", content: "label", score: "value_text", comment: "comment" }),
  ranking: columns({ id: "answer_id", content: "label", rank: "value_number", comment: "comment" }),
  contact_form: columns({ type: "label", content: "value_text", comment: "comment" }),
};

/** Adds the rows of one element. Their positions are set by the caller. */
function addRows(rows: AnswerRow[], element: Fields, questionId: number): void {
  const { answer, answers, fields, action_performed: action } = element;
  const first = rows.length;
  const add = (type: AnswerType): AnswerRow => {
    const row = emptyRow(element, questionId, type);
    rows.push(row);
    return row;
  };

  if (typeof answer === "string") add("text").value_text = answer;
  else if (isObject(answer)) fill(add(answerType(answer)), answer, "answer");
  else if (answer !== undefined && answer !== null) keep(add("other"), "answer", answer);

  if (Array.isArray(answers)) {
    const listType = typeOfList(answers);
    for (const entry of answers) addEntry(add, entry, "answers", entryType(entry, listType));
  } else if (answers !== undefined && answers !== null) keep(add("other"), "answers", answers);

  if (Array.isArray(fields)) {
    for (const entry of fields) addEntry(add, entry, "fields", "contact_form");
  } else if (fields !== undefined && fields !== null) keep(add("other"), "fields", fields);

  if (typeof action === "boolean") add("action").value_boolean = action;
  else if (action !== undefined && action !== null) keep(add("other"), "action_performed", action);

  if (rows.length === first) {
    add(Array.isArray(answers) ? "multiple_choice" : Array.isArray(fields) ? "contact_form" : "other");
  }
}

function emptyRow(element: Fields, questionId: number, type: AnswerType): AnswerRow {
  const questionType = text(element.question_type);
  const row: AnswerRow = {
    question_id: questionId,
    question_type: questionType ?? null,
    position: 0,
    answer_type: type,
    answer_id: null,
    label: null,
    value_text: null,
    value_number: null,
    value_boolean: null,
    comment: null,
    nps_tag: null,
    additional_fields: null,
  };
  if (questionType === undefined && element.question_type !== undefined && element.question_type !== null) {
    keep(row, "question_type", element.question_type);
  }
  for (const name in element) {
    if (!ELEMENT_FIELDS.has(name) && element[name] !== null) keep(row, name, element[name]);
  }
  return row;
}

function addEntry(
  add: (type: AnswerType) => AnswerRow,
  entry: unknown,
  list: "answers" | "fields",
  type: EntryType,
): void {
  if (isObject(entry)) fill(add(type), entry, list);
  else if (entry === null) add("other");
  else keep(add("other"), list, entry);
}

const has = (entry: Fields, name: string): boolean => entry[name] !== undefined && entry[name] !== null;

function answerType(answer: Fields): EntryType {
  return has(answer, "tag") ? "nps" : has(answer, "rating") ? "rating" : "single_choice";
}

/** What an entry without a score or a rank of its own is: a matrix row may be left unanswered. */
function typeOfList(answers: readonly unknown[]): EntryType {
  const some = (name: string) => answers.some((entry) => isObject(entry) && has(entry, name));
  return some("score") ? "matrix" : some("rank") ? "ranking" : "multiple_choice";
}

function entryType(entry: unknown, listType: EntryType): EntryType {
  if (!isObject(entry)) return listType;
  return has(entry, "score") ? "matrix" : has(entry, "rank") ? "ranking" : listType;
}

/** Puts each field of an answer or entry into its column, and what has none into additional_fields. */
function fill(row: AnswerRow, entry: Fields, from: string): void {
  const known = COLUMNS[row.answer_type as EntryType];
  let rest: Record<string, unknown> | undefined;
  for (const name in entry) {
    const value = entry[name];
    if (value === null) continue;
    const column = known.get(name);
    if (column !== undefined && put(row, column, value)) continue;
    rest ??= {};
    set(rest, name, value);
  }
  if (rest !== undefined) keep(row, from, rest);
  if (row.answer_type === "nps" && row.value_text !== null) row.value_number = score(row.value_text);
}

/** False when the value does not fit the column. */
function put(row: AnswerRow, column: Column, value: unknown): boolean {
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

function text(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
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
  set(row.additional_fields, name, value);
}

/** A plain assignment to "__proto__" would set the prototype instead of a field. */
function set(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(fields, name, { value, enumerable: true, writable: true, configurable: true });
  } else fields[name] = value;
}
