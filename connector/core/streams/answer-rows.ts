import {
  ANSWER_KINDS,
  type AnswerColumn,
  type AnswerKind,
  type AnswerPart,
  type AnswerType,
  BARE_COLUMNS,
  BARE_KINDS,
  type BareJson,
  COLUMNS_OF,
  KINDS_IN,
  kindOfList,
  kindOfObject,
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

/** What to do about answers that the service does not document. */
export interface Undocumented {
  /** Counts them. */
  readonly answers?: OddAnswers;
  /** Leaves their texts out, since personal data is treated. */
  readonly isLeftOut?: boolean;
}

/**
 * The `answers` of a response as rows, in the service's order. Guarantees, for any JSON value:
 *
 * - Every element becomes at least one row. Only null elements are passed over: they hold nothing.
 * - `question_id` with `position` is unique, also if a question comes twice.
 * - No value of an element is lost. A value that is not an object goes to the column of its JSON kind; a list of such
 *   values becomes one text, with "; " between them. A value that has no column, or does not fit its column's type,
 *   is in `additional_fields`: under its own name, and inside `answer`, `answers` or `fields` where it came from
 *   there. Fields of the element itself are in each of its rows.
 * - A field that is null counts as absent. So does an empty list, if the element holds anything else.
 *
 * What the service does not document is counted (S13). If it is left out, a text or a list in the place of an object
 * is a row without a value.
 *
 * @throws SurveyExportError `unreadable_item` if an answer cannot become a row: it has no usable `question_id`, or
 * the answers are no list
 */
export function answerRows(
  { uuid, response }: { readonly uuid: string; readonly response: { readonly answers?: unknown } },
  undocumented?: Undocumented,
): readonly AnswerRow[] {
  const { rows, unreadable } = readableAnswerRows(response.answers, undocumented);
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
export function readableAnswerRows(answers: unknown, undocumented: Undocumented = {}): ReadableAnswerRows {
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
    const first = rows.length;
    const questionType = text(element.question_type);
    const more = additionalOf(element, questionType);
    addRows({ rows, element, questionId, questionType: questionType ?? null, more, undocumented });
    let position = counts.get(questionId) ?? 0;
    for (const row of rows.slice(first)) row.position = ++position;
    counts.set(questionId, position);
  }
  return { rows, unreadable };
}

type Fields = Readonly<Record<string, unknown>>;

/** An answered question, and where its rows go. */
interface Answered {
  readonly rows: AnswerRow[];
  readonly element: Fields;
  readonly questionId: number;
  readonly questionType: string | null;
  /** What belongs to the question and has no column. */
  readonly more: Fields | undefined;
  readonly undocumented: Undocumented;
}

/** What `addObject` has to know of each kind, found by one look-up. */
const FILLING = Object.fromEntries(
  Object.entries(COLUMNS_OF).map(([kind, columns]) => [
    kind,
    { columns, isScore: ANSWER_KINDS[kind as AnswerKind].holds === "score" },
  ]),
) as Readonly<
  Record<AnswerKind, { readonly columns: ReadonlyMap<string, AnswerColumn>; readonly isScore: boolean }>
>;

const NOTHING: ReadableAnswerRows = { rows: [], unreadable: [] };
const ELEMENT_FIELDS: ReadonlySet<string> = new Set([
  "question_id",
  "question_type",
  ...Object.keys(BARE_KINDS),
]);

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

/** Adds the rows of one element. Their positions are set by the caller. */
function addRows(answered: Answered): void {
  const { rows, element } = answered;
  const { answer, answers, fields, action_performed: action } = element;
  const first = rows.length;

  if (typeof answer === "string") addRow(answered, "text").value_text = answer;
  else if (isObject(answer)) addObject(answered, answer, kindOfObject("answer", answer), "answer");
  else if (holdsAnything(answer)) addOdd(answered, answer, "answer", "as");

  if (answers !== undefined && answers !== null) addList(answered, answers, "answers");
  if (fields !== undefined && fields !== null) addList(answered, fields, "fields");

  if (typeof action === "boolean") addRow(answered, "action").value_boolean = action;
  else if (holdsAnything(action)) addOdd(answered, action, "action_performed", "as");

  if (rows.length > first) return;
  const isChoice = Array.isArray(answer) || Array.isArray(answers);
  addRow(answered, isChoice ? "multiple_choice" : Array.isArray(fields) ? "contact_form" : "other");
}

const holdsAnything = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

function addRow({ rows, questionId, questionType, more }: Answered, type: AnswerType): AnswerRow {
  const row: AnswerRow = {
    question_id: questionId,
    question_type: questionType,
    position: 0,
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

/** A row for each entry. `from`: the part that has the list. */
function addList(
  answered: Answered,
  list: unknown,
  part: "answers" | "fields",
  from: AnswerPart = part,
): void {
  if (isObject(list)) {
    // An entry without its list.
    count(answered, "an object", part, "as");
    addObject(answered, list, kindOfObject(part, list), part);
    return;
  }
  if (!Array.isArray(list)) {
    addOdd(answered, list, part, "as");
    return;
  }
  const listKind = kindOfList(part, list);
  const isMixed = listKind !== KINDS_IN[part].otherwise;
  for (const entry of list) {
    if (isObject(entry)) {
      addObject(answered, entry, isMixed ? kindOfObject(part, entry, listKind) : listKind, from);
    } else if (entry === null) addRow(answered, "other");
    else addOdd(answered, entry, from, "in");
  }
}

/** Puts each field of an object into its column, and what has none into `additional_fields`. */
function addObject(answered: Answered, object: Fields, kind: AnswerKind, from: AnswerPart): void {
  const row = addRow(answered, kind);
  const { columns, isScore } = FILLING[kind];
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
    keep(row, from, rest);
    if (!hasKnown) {
      row.answer_type = "other";
      count(answered, "an object without a known field", from, from === "answer" ? "as" : "in");
    }
  }
  if (isScore && row.value_text !== null) row.value_number = score(row.value_text);
}

/** A value that is not an object, though the service documents one. `place`: as the whole part, or in its list. */
function addOdd(answered: Answered, value: unknown, part: AnswerPart, place: "as" | "in"): void {
  const what = Array.isArray(value) ? "a list" : isObject(value) ? "an object" : `a ${typeof value}`;
  count(answered, what, part, place);
  const entries = Array.isArray(value) ? value.filter((entry) => entry !== null) : [value];
  if (!entries.every(isScalar)) {
    if (part === "answer" && place === "as") addList(answered, value, "answers", part);
    else keep(addRow(answered, "other"), part, value);
    return;
  }
  const json = Array.isArray(value) ? "list" : (typeof value as BareJson);
  const row: Record<(typeof BARE_COLUMNS)[BareJson], unknown> = addRow(answered, BARE_KINDS[part][json]);
  if (answered.undocumented.isLeftOut && (json === "list" || json === "string")) return;
  row[BARE_COLUMNS[json]] = json === "list" ? joined(entries) : value;
}

const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** As n8n joins several answers to one question. */
const joined = (entries: readonly unknown[]): string =>
  entries
    .map(String)
    .filter((entry) => entry !== "")
    .join("; ");

function count(
  { undocumented: { answers: counts } }: Answered,
  what: string,
  part: AnswerPart,
  place: "as" | "in",
): void {
  const shape = `${what} ${place} ${part}`;
  counts?.set(shape, (counts.get(shape) ?? 0) + 1);
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
