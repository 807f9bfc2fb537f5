import { type AnswerRow, kindNamed } from '@survey-export/core';

/** What a response answers to one question. Null: nothing. */
export interface AnsweredQuestion {
	readonly questionId: number;
	readonly type: AnswerRow['answer_type'];
	/** In words. There is "; " between several choices. */
	readonly answer: string | null;
	/** The rating, the NPS score, or another number. */
	readonly score: number | null;
	/** Of an NPS score: detractor, passive or promoter. */
	readonly tag: string | null;
	/** The respondent's own words that came with the answer. */
	readonly comment: string | null;
}

/** The rows of a response by question, in the order in which the questions were answered. */
export function answeredQuestions(answerRows: readonly AnswerRow[]): readonly AnsweredQuestion[] {
	const byQuestion = Map.groupBy(answerRows, (row) => row.question_id);
	return [...byQuestion].map(([questionId, rows]) => {
		const scored = rows.find(isScored);
		return {
			questionId,
			type: rows[0]?.answer_type ?? 'other',
			answer: joined([...rows].sort(byRank).map(inWords)),
			score: scored?.value_number ?? null,
			tag: scored?.nps_tag ?? null,
			comment: joined(rows.map(({ comment }) => comment ?? '')),
		};
	});
}

const isScored = ({ answer_type: type }: AnswerRow) => kindNamed(type)?.value === 'value_number';

const byRank = (one: AnswerRow, other: AnswerRow) =>
	isRanked(one) && isRanked(other) ? (one.value_number ?? 0) - (other.value_number ?? 0) : 0;

const isRanked = ({ answer_type: type }: AnswerRow) => type === 'ranking';

/** One row in words: the choice, the text or the number. */
function inWords(row: AnswerRow): string {
	const { answer_type: type, label, value_text: text, value_number: number, value_boolean: isDone } = row;
	if (type === 'other') return row.additional_fields === null ? '' : JSON.stringify(row.additional_fields);
	if (isRanked(row) && text === null) {
		return number === null || label === null ? (label ?? '') : `${number}. ${label}`;
	}
	if ((type === 'contact_form' || type === 'matrix') && label !== null)
		return text ? `${label}: ${text}` : '';
	if (isDone !== null) return isDone ? 'Yes' : 'No';
	return text ?? (number === null ? '' : String(number));
}

/** Null if there is nothing to join. */
function joined(parts: readonly string[]): string | null {
	return parts.filter((part) => part !== '').join('; ') || null;
}
