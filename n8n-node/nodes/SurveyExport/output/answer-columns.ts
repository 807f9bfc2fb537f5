import { type AnswerKind, type AnswerRow, kindNamed } from '@survey-export/core';
import type { FlatRecord, Primitive } from './flat-item.ts';

type Suffix = '' | '_score' | '_tag' | '_comment';
type OfKinds<Value> = Readonly<Partial<Record<AnswerKind | 'other', Value>>>;

/** The columns that a question of these kinds always has, besides that of its text. */
const ALWAYS: OfKinds<readonly Suffix[]> = {
	single_choice: ['_comment'],
	multiple_choice: ['_comment'],
	nps: ['_score', '_tag'],
	rating: ['_score'],
	number: ['_score'],
};

/** How an answer of these kinds is written, if not by its value alone. */
const WRITTEN: OfKinds<'label: value' | 'number. label'> = {
	contact_form: 'label: value',
	matrix: 'label: value',
	ranking: 'number. label',
};

/**
 * A response's answers as columns named by the question's id:
 *
 *     answer_1001           text in words; several choices with "; " between them
 *     answer_1001_score     number, such as the rating or the NPS score
 *     answer_1001_tag       detractor, passive or promoter
 *     answer_1001_comment   the respondent's own words, which came with the answer
 */
export function answerColumns(answerRows: readonly AnswerRow[]): FlatRecord {
	const columns: FlatRecord = {};
	for (const [question, rows = []] of Map.groupBy(answerRows, (row) => row.question_id)) {
		// A question keeps its columns from run to run.
		const always = ALWAYS[rows[0]?.answer_type ?? 'other'] ?? [];
		for (const [suffix, value] of Object.entries(valuesOf(rows)) as [Suffix, Primitive][]) {
			if (value === null && suffix !== '' && !always.includes(suffix)) continue;
			columns[`answer_${question}${suffix}`] = value;
		}
	}
	return columns;
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

const isScored = ({ answer_type: type }: AnswerRow) => kindNamed(type)?.value === 'value_number';

const isRanked = ({ answer_type: type }: AnswerRow) => WRITTEN[type] === 'number. label';

const byRank = (one: AnswerRow, other: AnswerRow) =>
	isRanked(one) && isRanked(other) ? (one.value_number ?? 0) - (other.value_number ?? 0) : 0;

function textOf(row: AnswerRow): string {
	const { answer_type: type, label, value_text: text, value_number: number, value_boolean: done } = row;
	if (type === 'other') return row.additional_fields === null ? '' : JSON.stringify(row.additional_fields);
	if (WRITTEN[type] === 'number. label' && text === null) {
		return number === null || label === null ? (label ?? '') : `${number}. ${label}`;
	}
	if (WRITTEN[type] === 'label: value' && label !== null) return text ? `${label}: ${text}` : '';
	if (done !== null) return done ? 'Yes' : 'No';
	return text ?? (number === null ? '' : String(number));
}

/** Null if there is nothing to join. */
function joined(parts: readonly string[]): string | null {
	return parts.filter((part) => part !== '').join('; ') || null;
}
