import type { AnswerRow } from '@survey-export/core';
import { type AnsweredQuestion, answeredQuestions } from './answered-question.ts';
import { ATTRIBUTE_COLUMNS, type FlatItem, type FlatRecord } from './flat-item.ts';
import { type QuestionTexts, type TextsById, textsOf } from './question-texts.ts';
import { flatFields, type Response } from './response.ts';

/** The fields of the simplified output, which are the same for every survey. Attributes follow. */
export const SIMPLIFIED = [
	...['collected_at', 'survey_name', 'nps_score', 'nps_tag', 'rating', 'comment', 'answers_text', 'answers'],
	...['response_uuid', 'survey_id', 'respondent_uuid', 'url', 'device_type', 'language'],
	ATTRIBUTE_COLUMNS,
];

/**
 * A response with the answers that most workflows ask for in fields of their own. A missing score is undefined, see
 * `missingIn`.
 */
export function simplifiedFields(response: Response, rows: readonly AnswerRow[]): FlatItem['fixed'] {
	const answered = answeredQuestions(rows);
	const firstScore = (kind: AnsweredQuestion['type']) =>
		answered.find(({ type, score }) => type === kind && score !== null)?.score ?? undefined;
	return {
		...flatFields(response),
		nps_score: firstScore('nps'),
		nps_tag: answered.find(({ tag }) => tag !== null)?.tag ?? null,
		rating: firstScore('rating'),
		comment: ownWords(answered),
		answers: answered,
	};
}

/** The first comment on an answer, or else the first answer to an open question. */
function ownWords(answered: readonly AnsweredQuestion[]): string | null {
	const commented = answered.find(({ comment }) => comment !== null);
	const open = answered.find(({ type, answer }) => type === 'text' && answer !== null);
	return commented?.comment ?? open?.answer ?? null;
}

/** Puts the texts of the questions into items that `simplifiedFields` has made. In place: there may be many. */
export function addQuestions(items: readonly FlatRecord[], texts: QuestionTexts): void {
	for (const item of items) {
		const answered = item.answers as readonly AnsweredQuestion[];
		const questions = textsOf(texts, item.survey_id);
		item.answers_text = answered.flatMap((each) => inOneLine(each, questions)).join('\n') || null;
		item.answers = answered.map(({ questionId, answer, score, tag, comment }) => ({
			question_id: questionId,
			question: questions.get(questionId) ?? null,
			...{ answer, score: score ?? undefined, tag, comment },
		}));
	}
}

/** "Why?: Price (It went up.)", or nothing for a question without an answer. */
function inOneLine({ questionId, answer, comment }: AnsweredQuestion, questions: TextsById): string[] {
	const question = questions.get(questionId) ?? `Question ${questionId}`;
	const said = answer !== null && comment !== null ? `${answer} (${comment})` : (answer ?? comment);
	return said === null ? [] : [`${question}: ${said}`.replace(/\s+/g, ' ')];
}
