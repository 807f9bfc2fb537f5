import type { INodeProperties } from 'n8n-workflow';

import {
	createRecordTreatment,
	fixed,
	type Handling,
	listed,
	PERSONAL_DATA_KINDS,
	type PersonalDataKind,
	type RecordTreatment,
	say,
} from '@survey-export/core';
import { createHash } from './credential.ts';
import { namesIn, SettingError } from './values.ts';

const KINDS = [
	{
		name: 'Answer Labels',
		value: 'answer_labels',
		description: 'Labels of chosen answers, matrix rows and ranked items',
	},
	{
		name: 'Attribute Values',
		value: 'attribute_values',
		description: 'Values of attributes, not their names',
	},
	{
		name: 'Contact Form Fields',
		value: 'contact_fields',
		description: 'What respondents entered into contact forms',
	},
	{ name: 'Free Text', value: 'free_text', description: 'Plain text answers and comments' },
	{
		name: 'Respondent Identifiers',
		value: 'respondent_identifiers',
		description: "The respondent's UUID and the platform of their device",
	},
	{
		name: 'URL Query',
		value: 'url_query',
		description: "What follows the question mark in a response's URL",
	},
];

/** The options that keep personal data out of the output. */
export const PERSONAL_DATA: INodeProperties[] = [
	{
		displayName: 'Hash Personal Data',
		name: 'hashPersonalData',
		type: 'multiOptions',
		options: KINDS,
		default: [],
		description:
			"The kinds of personal data to replace with a keyed hash. The same value gives the same hash in every node with the same salt. Needs the credential's Hash Salt.",
	},
	{
		displayName: 'Omit Personal Data',
		name: 'omitPersonalData',
		type: 'multiOptions',
		options: KINDS,
		default: [],
		description:
			'The kinds of personal data to leave out. They are left out even if they are chosen to be hashed too.',
	},
];

/**
 * What the options ask for.
 *
 * @throws SettingError for a kind that is not known, for an expression that gives nothing, and if the salt is missing
 */
export function treatmentFrom(options: Record<string, unknown>, salt: unknown): RecordTreatment {
	const setting: Partial<Record<PersonalDataKind, Handling>> = {};
	const set = (name: string, label: string, handling: Handling): void => {
		if (name in options && options[name] == null) {
			throw new SettingError(
				say`"${fixed(label)}" has no value`,
				say`Its expression has no result. Return a list of kinds, or an empty list to keep all data.`,
			);
		}
		for (const kind of namesIn(options[name])) {
			if (!PERSONAL_DATA_KINDS.includes(kind as PersonalDataKind)) {
				throw new SettingError(
					say`"${fixed(label)}" holds a kind that is not known`,
					say`Choose from these: ${listed(PERSONAL_DATA_KINDS.map(fixed))}.`,
				);
			}
			setting[kind as PersonalDataKind] = handling;
		}
	};
	set('hashPersonalData', 'Hash Personal Data', 'hash');
	set('omitPersonalData', 'Omit Personal Data', 'omit');
	const key = typeof salt === 'string' ? salt : '';
	if (Object.values(setting).includes('hash') && key === '') {
		throw new SettingError(
			say`"Hash Personal Data" needs a salt`,
			say`Give the credential a Hash Salt of 32 random characters, or leave the data out with "Omit Personal Data".`,
		);
	}
	return createRecordTreatment(setting, createHash(key));
}
