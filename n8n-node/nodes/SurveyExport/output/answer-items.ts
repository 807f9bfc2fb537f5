import type { AnswerRow } from '@survey-export/core';
import { ATTRIBUTE_COLUMNS, type FlatItem, type FlatRecord, primitive } from './flat-item.ts';
import { type QuestionTexts, textsOf } from './question-texts.ts';
import type { Response } from './response.ts';

/** The columns of One Item per Answer: what differs from item to item stands first, where an editor shows it. */
export const ANSWER_ITEM_COLUMNS = [
	...['question', 'value_text', 'value_number', 'label', 'comment', 'nps_tag', 'value_boolean'],
	...['answer_type', 'response_uuid', 'collected_at', 'survey_id', 'survey_name', 'respondent_uuid'],
	...['question_id', 'question_type', 'position', 'answer_id', 'additional_fields', ATTRIBUTE_COLUMNS],
];

/**
 * The rows of the stream `survey_answers`, with the response that each belongs to. An object is written as JSON: Data
 * Table refuses a whole insert that holds one. A missing number or boolean is undefined, see `missingIn`.
 */
export function answerItems(response: Response, rows: readonly AnswerRow[]): FlatItem['fixed'][] {
	const { collected_at, survey_id = null, survey_name = null, respondent_uuid = null } = response;
	const own = { response_uuid: response.uuid, collected_at, survey_id, survey_name, respondent_uuid };
	return rows.map((row) => ({
		...own,
		...row,
		comment: row.comment || null,
		answer_id: row.answer_id ?? undefined,
		value_number: row.value_number ?? undefined,
		value_boolean: row.value_boolean ?? undefined,
		additional_fields: primitive(row.additional_fields),
	}));
}

/** Puts the text of its question into each item. In place: there may be many. */
export function addQuestion(items: readonly FlatRecord[], texts: QuestionTexts): void {
	for (const item of items)
		item.question = textsOf(texts, item.survey_id).get(Number(item.question_id)) ?? null;
}
