import type { IDataObject } from 'n8n-workflow';

import type { RespondentResponse, SurveyResponse } from '@survey-export/core';
import { answerText } from './answer-text.ts';

/**
 * The simplified response of version 1 of the nodes: when, which survey, who, from where, and the answers
 * by question as text. Ten fields at most; `attributes` only where some were asked for or added.
 */
export function simplifyResponse(response: SurveyResponse | RespondentResponse): IDataObject {
	const attributes = attributesByName(response.respondent_attributes, response.attributes);
	return {
		collected_at: response.collected_at,
		survey_name: response.survey_name ?? null,
		answers: answersByQuestion(response.answers),
		...(attributes ? { attributes } : {}),
		respondent_uuid: response.respondent_uuid ?? null,
		survey_id: response.survey_id ?? null,
		response_uuid: response.uuid,
		url: response.url ?? null,
		device_type: response.device_type ?? null,
		language: response.language ?? null,
	};
}

function answersByQuestion(answers: SurveyResponse['answers']): IDataObject {
	const byQuestion = new Map<string, string>();
	for (const answer of Array.isArray(answers) ? answers : []) {
		if (typeof answer !== 'object' || answer === null) continue;
		const question = String(answer.question_id);
		const text = answerText(answer);
		const before = byQuestion.get(question);
		byQuestion.set(question, before === undefined ? text : `${before}; ${text}`);
	}
	return compactObject(byQuestion);
}

/**
 * An object whose names are numbers, made from JSON. Assigned one by one, names around a thousand make the
 * JavaScript engine keep an array with a thousand places: 12 KB for each response instead of 1.
 */
function compactObject(entries: ReadonlyMap<string, string>): IDataObject {
	const fields = [...entries].map(
		([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`,
	);
	return JSON.parse(`{${fields.join(',')}}`) as IDataObject;
}

/** By name. An attribute that was recorded with the response wins over one of the person. */
function attributesByName(
	...lists: readonly (SurveyResponse['attributes'] | undefined)[]
): IDataObject | undefined {
	const byName: IDataObject = {};
	for (const list of lists) {
		if (!Array.isArray(list)) continue;
		for (const pair of list) if (pair?.name != null) byName[pair.name] = pair.value ?? null;
	}
	return Object.keys(byName).length > 0 ? byName : undefined;
}
