import type { AnswerRow } from '@survey-export/core';
import type { Primitive } from './columns.ts';

type Suffix = '' | '_score' | '_tag' | '_comment';

/** The columns that an answer always has, by its kind, so that a question keeps its columns from run to run. */
const SUFFIXES: Readonly<Partial<Record<AnswerRow['answer_type'], readonly Suffix[]>>> = {
	single_choice: ['', '_comment'],
	multiple_choice: ['', '_comment'],
	rating: ['', '_score'],
	nps: ['', '_score', '_tag'],
};

/**
 * A response's answers as columns named by the question's id:
 *
 *     answer_1001           text, as a person reads it; several choices with "; " between them
 *     answer_1001_score     number: the rating, or the NPS score
 *     answer_1001_tag       detractor, passive or promoter
 *     answer_1001_comment   the person's own words beside the answer
 */
export function answerColumns(
	answerRows: readonly AnswerRow[],
): [column: string, value: Primitive][] {
	const byQuestion = new Map<number, AnswerRow[]>();
	for (const row of answerRows) {
		const rows = byQuestion.get(row.question_id);
		if (rows) rows.push(row);
		else byQuestion.set(row.question_id, [row]);
	}
	return [...byQuestion].flatMap(([question, rows]) => columnsOf(question, rows));
}

function columnsOf(question: number, rows: readonly AnswerRow[]): [string, Primitive][] {
	const [first] = rows;
	const scored = rows.find(isScored);
	const values: Record<Suffix, Primitive> = {
		'': joined([...rows].sort(byRank).map(textOf)),
		_score: scored?.value_number ?? null,
		_tag: scored?.nps_tag ?? null,
		_comment: joined(rows.map(({ comment }) => comment ?? '')),
	};
	const always = SUFFIXES[first!.answer_type] ?? [''];
	const suffixes = (Object.keys(values) as Suffix[]).filter(
		(suffix) => always.includes(suffix) || values[suffix] !== null,
	);
	return suffixes.map((suffix) => [`answer_${question}${suffix}`, values[suffix]]);
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
