import { kindNamed } from "../answers/answer-kinds.ts";
import type { AnswerRow } from "../streams/answer-rows.ts";
import type { Cells, Primitive } from "./flat-item.ts";

type Suffix = "" | "_score" | "_tag" | "_comment";

/** The names of the columns of each question, made once for a run. */
export type ColumnNames = Map<number, Readonly<Record<Suffix, string>>>;

/**
 * A response's answers as columns named by the question's id:
 *
 *     answer_1001           text, as a person reads it; several choices with "; " between them
 *     answer_1001_score     number, such as the rating or the NPS score
 *     answer_1001_tag       detractor, passive or promoter
 *     answer_1001_comment   the person's own words beside the answer
 */
export function answerColumns(answerRows: readonly AnswerRow[], known: ColumnNames): Cells {
  const byQuestion = new Map<number, [AnswerRow, ...AnswerRow[]]>();
  for (const row of answerRows) {
    const rows = byQuestion.get(row.question_id);
    if (rows) rows.push(row);
    else byQuestion.set(row.question_id, [row]);
  }
  const names: string[] = [];
  const values: Primitive[] = [];
  for (const [question, rows] of byQuestion) {
    const named = columnNames(question, known);
    // A question keeps its columns from run to run.
    const always = kindNamed(rows[0].answer_type)?.besideText ?? [];
    for (const [suffix, value] of Object.entries(valuesOf(rows)) as [Suffix, Primitive][]) {
      if (value === null && suffix !== "" && !always.includes(suffix)) continue;
      names.push(named[suffix]);
      values.push(value);
    }
  }
  return { names, values };
}

function columnNames(question: number, known: ColumnNames): Readonly<Record<Suffix, string>> {
  let names = known.get(question);
  if (names === undefined) {
    const column = `answer_${question}`;
    names = {
      "": column,
      _score: `${column}_score`,
      _tag: `${column}_tag`,
      _comment: `${column}_comment`,
    };
    known.set(question, names);
  }
  return names;
}

function valuesOf(rows: readonly AnswerRow[]): Record<Suffix, Primitive> {
  const scored = rows.find(isScored);
  return {
    "": joined([...rows].sort(byRank).map(textOf)),
    _score: scored?.value_number ?? null,
    _tag: scored?.nps_tag ?? null,
    _comment: joined(rows.map(({ comment }) => comment ?? "")),
  };
}

const isScored = ({ answer_type: type }: AnswerRow) => kindNamed(type)?.value === "value_number";

const isRanked = ({ answer_type: type }: AnswerRow) => kindNamed(type)?.reads === "number. label";

const byRank = (one: AnswerRow, other: AnswerRow) =>
  isRanked(one) && isRanked(other) ? (one.value_number ?? 0) - (other.value_number ?? 0) : 0;

function textOf(row: AnswerRow): string {
  const { answer_type: type, label, value_text: text, value_number: number } = row;
  const reads = kindNamed(type)?.reads;
  if (reads === "number. label" && text === null) {
    return number === null || label === null ? (label ?? "") : `${number}. ${label}`;
  }
  if (reads === "label: value" && label !== null) {
    return text === null || text === "" ? "" : `${label}: ${text}`;
  }
  if (reads === undefined) {
    return row.additional_fields === null ? "" : JSON.stringify(row.additional_fields);
  }
  if (row.value_boolean !== null) return row.value_boolean ? "Yes" : "No";
  return text ?? (number === null ? "" : String(number));
}

/** Null if there is nothing to join. */
function joined(parts: readonly string[]): string | null {
  return parts.filter((part) => part !== "").join("; ") || null;
}
