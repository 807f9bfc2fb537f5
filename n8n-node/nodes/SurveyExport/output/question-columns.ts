import type { AnswerRow } from '@survey-export/core';
import { answeredQuestions } from './answered-question.ts';
import { ANSWER_COLUMNS, ATTRIBUTE_COLUMNS, type FlatRecord, type Primitive } from './flat-item.ts';
import type { QuestionTexts, TextsById } from './question-texts.ts';

/** The columns of One Column per Question, in their order. */
export const QUESTION_COLUMNS = [
	...['response_uuid', 'collected_at', ANSWER_COLUMNS, 'questions', 'survey_id', 'survey_name'],
	...['respondent_uuid', 'url', 'device_type', 'language', ATTRIBUTE_COLUMNS],
];

type Suffix = '_score' | '_tag' | '_comment';

/** The columns that a question of these kinds always has, besides that of its answer. */
const ALWAYS: Readonly<Partial<Record<AnswerRow['answer_type'], readonly Suffix[]>>> = {
	single_choice: ['_comment'],
	multiple_choice: ['_comment'],
	nps: ['_score', '_tag'],
	rating: ['_score'],
	number: ['_score'],
};

/**
 * A response's answers as columns that are named by the question's ID, which nobody can edit:
 *
 *     answer_1001           the answer in words
 *     answer_1001_score     a number, such as the rating or the NPS score
 *     answer_1001_tag       detractor, passive or promoter
 *     answer_1001_comment   the respondent's own words, which came with the answer
 */
export function answerColumns(answerRows: readonly AnswerRow[]): FlatRecord {
	const columns: FlatRecord = {};
	for (const { questionId, type, answer, score, tag, comment } of answeredQuestions(answerRows)) {
		columns[`answer_${questionId}`] = answer;
		// A question keeps its columns from run to run.
		const always = ALWAYS[type] ?? [];
		const more: Readonly<Record<Suffix, Primitive>> = { _score: score, _tag: tag, _comment: comment };
		for (const [suffix, value] of Object.entries(more) as [Suffix, Primitive][]) {
			if (value !== null || always.includes(suffix)) columns[`answer_${questionId}${suffix}`] = value;
		}
	}
	return columns;
}

/** Says in each item what the columns of its survey ask, a line each. In place: there may be many. */
export function addLegend(items: readonly FlatRecord[], texts: QuestionTexts): void {
	const legends = new Map([...texts].map(([surveyId, ofSurvey]) => [surveyId, legendOf(ofSurvey)]));
	for (const item of items) item.questions = legends.get(String(item.survey_id)) ?? null;
}

function legendOf(ofSurvey: TextsById): string | null {
	const questions = [...ofSurvey].sort(([one], [other]) => one - other);
	return questions.map(([id, text]) => `answer_${id}: ${text}`).join('\n') || null;
}
