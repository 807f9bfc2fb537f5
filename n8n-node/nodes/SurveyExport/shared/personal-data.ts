import { createHmac } from 'crypto';

import type { INodeProperties } from 'n8n-workflow';

import {
	createRecordTreatment,
	fixed,
	type Handling,
	type Hash,
	listed,
	PERSONAL_DATA_KINDS,
	type PersonalDataKind,
	parseSalt,
	type RecordTreatment,
	say,
	SHORTEST_SALT,
	type UrlHandling,
} from '@survey-export/core';
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
const URL_HANDLINGS: readonly UrlHandling[] = ['keep', 'host_only', 'omit'];

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
	{
		displayName: 'URL',
		name: 'url',
		type: 'options',
		options: [
			{ name: 'Host Only', value: 'host_only', description: 'Leave out the path and the query' },
			{ name: 'Keep', value: 'keep', description: 'URL Query, if it is chosen, treats the query' },
			{ name: 'Omit', value: 'omit', description: 'Leave out the whole address' },
		],
		default: 'keep',
		description: 'What to do with the address of the page on which the survey was shown',
	},
];

/**
 * What the options ask for.
 *
 * @throws SettingError for a kind that is not known, for an expression that gives nothing, and if the salt is missing
 * or weak
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
		for (const named of namesIn(options[name])) {
			const kind = PERSONAL_DATA_KINDS.find((each) => each === named);
			if (kind === undefined) {
				throw new SettingError(
					say`"${fixed(label)}" holds a kind that is not known`,
					say`Choose from these: ${listed(PERSONAL_DATA_KINDS.map(fixed))}.`,
				);
			}
			setting[kind] = handling;
		}
	};
	set('hashPersonalData', 'Hash Personal Data', 'hash');
	set('omitPersonalData', 'Omit Personal Data', 'omit');
	const key = Object.values(setting).includes('hash') ? checkedSalt(salt) : '';
	return createRecordTreatment({ ...setting, url: urlHandling(options) }, createHash(key));
}

function urlHandling(options: Record<string, unknown>): UrlHandling {
	if (!('url' in options)) return 'keep';
	const handling = URL_HANDLINGS.find((each) => each === options.url);
	if (handling !== undefined) return handling;
	throw new SettingError(
		say`"URL" is not one of its choices`,
		say`Its expression must return one of these: ${listed(URL_HANDLINGS.map(fixed))}.`,
	);
}

/**
 * The salt as every adapter uses it: without the white space around it.
 *
 * @throws SettingError if there is none, or if it could be guessed
 */
export function checkedSalt(text: unknown): string {
	const { salt, isWeak } = parseSalt(typeof text === 'string' ? text : '');
	if (salt === '') {
		throw new SettingError(
			say`"Hash Personal Data" needs a salt`,
			say`Give the credential a Hash Salt of 32 random characters, or leave the data out with "Omit Personal Data".`,
		);
	}
	if (!isWeak) return salt;
	throw new SettingError(
		say`The credential's Hash Salt could be guessed`,
		say`It is shorter than ${SHORTEST_SALT} characters. Whoever guesses it and has a list of addresses finds everything that was hashed. Give it 32 random characters.`,
	);
}

/** HMAC-SHA-256 with the salt as its key, in lower-case hexadecimal: the same as the Airbyte source gives. */
export function createHash(salt: string): Hash {
	return (text) => createHmac('sha256', salt).update(text).digest('hex');
}
