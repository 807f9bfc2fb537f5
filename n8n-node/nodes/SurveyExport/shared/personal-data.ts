import { createRecordTreatment, fixed, listed, type RecordTreatment, say } from '@survey-export/core';
import type { INodeProperties } from 'n8n-workflow';
import { optionsFrom } from './choices.ts';
import { namesIn, settingError } from './values.ts';

const KINDS = {
	answer_labels: ['Answer Labels', 'Labels of chosen answers, matrix rows and ranked items'],
	attribute_values: ['Attribute Values', 'Values of attributes, not their names'],
	contact_fields: ['Contact Form Fields', 'What respondents entered into contact forms'],
	free_text: ['Free Text', 'Plain text answers and comments'],
	respondent_identifiers: ['Respondent Identifiers', "The respondent's UUID and their device's platform"],
	url: ['URL', 'The address of the page on which the survey was shown'],
	url_query: ['URL Query', 'What follows the question mark in this address'],
} as const;

/** The option that keeps personal data out of the output. */
export const OMIT_PERSONAL_DATA: INodeProperties = {
	displayName: 'Omit Personal Data',
	name: 'omitPersonalData',
	type: 'multiOptions',
	options: optionsFrom(KINDS),
	default: [],
	description: 'The kinds of personal data to omit',
};

/** The kinds by the names that an expression gives. */
export const OMITTABLE: readonly string[] = Object.keys(KINDS);

/**
 * What the option asks for.
 * @throws `invalid_configuration` for a kind that is not known, and for an expression that gives nothing
 */
export function treatmentFrom(options: Record<string, unknown>): RecordTreatment {
	const chosen = 'omitPersonalData' in options ? options.omitPersonalData : [];
	const kinds = namesIn(chosen);
	if (chosen == null || kinds.some((kind) => !OMITTABLE.includes(kind))) {
		throw settingError(
			say`"Omit Personal Data" is not a list of kinds`,
			say`Give a list of these, or an empty one to keep all data: ${listed(OMITTABLE.map(fixed))}.`,
		);
	}
	return createRecordTreatment(Object.fromEntries(kinds.map((kind) => [kind, 'omit'])), noHash);
}

/** The node omits personal data or keeps it. */
const noHash = (): never => {
	throw new Error('The node hashes nothing');
};
