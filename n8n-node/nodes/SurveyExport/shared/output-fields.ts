import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import {
	FIELDS,
	fixed,
	type Form,
	formOf,
	listed,
	type OutputName,
	OUTPUTS,
	outsideValue,
	say,
	SELECTABLE_FIELDS,
} from '@survey-export/core';
import { namesIn, SettingError } from './values.ts';

/** The parameters that choose the form of responses. */
export function outputFields(show: NonNullable<IDisplayOptions['show']> = {}): INodeProperties[] {
	return [
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'Simplified',
					value: 'simplified',
					description:
						'One flat item for each response, with columns for each question, such as answer_1001 and answer_1001_score',
				},
				{
					name: 'One Item per Answer',
					value: 'answers',
					description:
						'One flat item for each answer, with its question, text, number and comment in columns of their own. A limit counts responses.',
				},
				{
					name: 'Raw',
					value: 'raw',
					description: 'One nested item for each response, with all fields of the service',
				},
				{
					name: 'Selected Fields',
					value: 'selected',
					description: 'The simplified item with only the fields you choose',
				},
			],
			default: 'simplified',
			description: 'The form in which responses are returned',
			displayOptions: { show },
		},
		{
			displayName: 'Fields',
			name: 'fields',
			type: 'multiOptions',
			options: [
				{
					name: 'Answers',
					value: 'answers',
					description: 'All columns of all questions',
				},
				{
					name: 'Attributes',
					value: 'attributes',
					description: 'All columns of the attributes that the options ask for',
				},
				{ name: 'Collected At', value: 'collected_at' },
				{ name: 'Device Type', value: 'device_type' },
				{ name: 'Language', value: 'language' },
				{ name: 'Operating System', value: 'operating_system' },
				{ name: 'Platform', value: 'platform' },
				{ name: 'Respondent UUID', value: 'respondent_uuid' },
				{ name: 'Response UUID', value: 'response_uuid' },
				{ name: 'Survey ID', value: 'survey_id' },
				{ name: 'Survey Name', value: 'survey_name' },
				{ name: 'Survey Type', value: 'survey_type' },
				{ name: 'URL', value: 'url' },
			],
			default: ['response_uuid', 'collected_at', 'answers'],
			description: 'The fields to return',
			displayOptions: { show: { ...show, output: ['selected'] } },
		},
	];
}

/** Reads a parameter, with a value for where it is not set. */
type Get = (name: string, otherwise: unknown) => unknown;

/**
 * The form that the parameters of a node ask for.
 *
 * @throws SettingError for an output or a field that does not exist
 */
export function formFrom(get: Get, warn: (message: string) => void): Form {
	const output = get('output', 'simplified');
	if (!OUTPUTS.includes(output as OutputName)) {
		throw new SettingError(
			say`"Output" is not a form of responses`,
			say`It is ${outsideValue(output)}. Choose one of these: ${listed(OUTPUTS.map(fixed))}.`,
		);
	}
	const selected = output === 'selected' ? selectedFields(get('fields', FIELDS)) : [];
	return formOf(output as OutputName, new Set(selected), warn);
}

function selectedFields(value: unknown): string[] {
	const fields = namesIn(value);
	const unknown = fields.filter((field) => !SELECTABLE_FIELDS.includes(field));
	if (fields.length > 0 && unknown.length === 0) return fields;
	throw new SettingError(
		fields.length === 0 ? say`"Fields" is empty` : say`"Fields" holds ${outsideValue(unknown[0])}`,
		say`Choose one or more of these: ${listed(SELECTABLE_FIELDS.map(fixed), SELECTABLE_FIELDS.length)}.`,
	);
}

export const ATTRIBUTE_NAMES = {
	displayName: 'Attribute Names',
	name: 'attributeNames',
	type: 'string',
	default: '',
	placeholder: 'e.g. plan, company',
	description:
		'Names of the attributes to return with each response, exactly as they were set, separated by commas. For a name with a comma in it, use an expression that gives an array.',
} as const satisfies INodeProperties;

export const INCLUDE_RESPONDENT_ATTRIBUTES = {
	displayName: 'Include Respondent Attributes',
	name: 'respondentAttributes',
	type: 'boolean',
	default: false,
	description:
		'Whether to add all attributes of the person who answered. Costs one request for each person.',
} as const satisfies INodeProperties;
