import type { RespondentResponse, SurveyResponse } from '@survey-export/core';
import { type FlatRecord, type Primitive, primitive } from './flat-item.ts';

/** A response, from the list of a survey or of a respondent. */
export type Response = SurveyResponse | RespondentResponse;

const FIELDS = [
	'collected_at',
	'survey_id',
	'survey_name',
	'respondent_uuid',
	'url',
	'device_type',
	'language',
];

/** What identifies a response, and how it was given, as plain values. */
export function flatFields(response: Response): FlatRecord {
	const fields: FlatRecord = { ...response };
	const flat = Object.fromEntries(FIELDS.map((name) => [name, primitive(fields[name])]));
	return { ...flat, response_uuid: response.uuid };
}

const NONE: ReadonlyMap<string, Primitive> = new Map();

/** By name. An attribute that was recorded with the response wins over one of the respondent. */
export function attributesOf(
	response: Pick<Response, 'attributes' | 'respondent_attributes'>,
): ReadonlyMap<string, Primitive> {
	const byName = new Map<string, Primitive>();
	for (const list of [response.respondent_attributes, response.attributes]) {
		for (const pair of Array.isArray(list) ? list : []) {
			if (pair?.name != null) byName.set(String(pair.name), primitive(pair.value));
		}
	}
	return byName.size === 0 ? NONE : byName;
}
