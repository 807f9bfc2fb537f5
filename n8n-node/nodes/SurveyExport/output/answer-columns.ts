import type { AnswerRow } from '@survey-export/core';
import type { Cells, Primitive } from './columns.ts';

type Suffix = '' | '_score' | '_tag' | '_comment';

/** The columns that an answer always has, by its kind, so that a question keeps its columns from run to run. */
const SUFFIXES: Readonly<Partial<Record<AnswerRow['answer_type'], readonly Suffix[]>>> = {
	single_choice: ['', '_comment'],
	multiple_choice: ['', '_comment'],
	rating: ['', '_score'],
	nps: ['', '_score', '_tag'],
};

/** The names of the columns of each question, made once for a run. */
export type ColumnNames = Map<number, Readonly<Record<Suffix, string>>>;

/**
 * A response's answers as columns named by the question's id:
 *
 *     answer_1001           text, as a person reads it; several choices with "; " between them
 *     answer_1001_score     number: the rating, or the NPS score
 *     answer_1001_tag       detractor, passive or promoter
 *     answer_1001_comment   the person's own words beside the answer
 */
export function answerColumns(answerRows: readonly AnswerRow[], known: ColumnNames): Cells {
	const byQuestion = new Map<number, AnswerRow[]>();
	for (const row of answerRows) {
		const rows = byQuestion.get(row.question_id);
		if (rows) rows.push(row);
		else byQuestion.set(row.question_id, [row]);
	}
	const names: string[] = [];
	const values: Primitive[] = [];
	for (const [question, rows] of byQuestion) {
		const named = columnNames(question, known);
		const always = SUFFIXES[rows[0]!.answer_type] ?? [''];
		for (const [suffix, value] of Object.entries(valuesOf(rows)) as [Suffix, Primitive][]) {
			if (value === null && !always.includes(suffix)) continue;
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
			'': column,
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
		'': joined([...rows].sort(byRank).map(textOf)),
		_score: scored?.value_number ?? null,
		_tag: scored?.nps_tag ?? null,
		_comment: joined(rows.map(({ comment }) => comment ?? '')),
	};
}

const isScored = ({ answer_type: type }: AnswerRow) => type === 'rating' || type === 'nps';

const byRank = (one: AnswerRow, other: AnswerRow) =>
	one.answer_type === 'ranking' && other.answer_type === 'ranking'
		? (one.value_number ?? 0) - (other.value_number ?? 0)
		: 0;

function textOf(row: AnswerRow): string {
	const { answer_type: type, label, value_text: text, value_number: number } = row;
	switch (type) {
		case 'ranking':
			return number === null ? (label ?? '') : `${number}. ${label ?? ''}`;
		case 'matrix':
		case 'contact_form':
			return text === null || text === '' ? '' : `${label ?? ''}: ${text}`;
		case 'action':
			return row.value_boolean ? 'Yes' : 'No';
		case 'other':
			return row.additional_fields === null ? '' : JSON.stringify(row.additional_fields);
		default:
			return text ?? (number === null ? '' : String(number));
	}
}

/** Null where there is nothing to join. */
function joined(parts: readonly string[]): string | null {
	return parts.filter((part) => part !== '').join('; ') || null;
}
