import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import {
	FIELDS,
	fixed,
	type Form,
	formOf,
	isSelectable,
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
					name: 'One Item per Answer',
					value: 'answers',
					description:
						'One flat item for each answer, with its question, text, number and comment in columns of their own. A limit counts responses.',
				},
				{
					name: 'Raw',
					value: 'raw',
					description:
						'One nested item for each response, with all fields of the service. Data Table and Remove Duplicates refuse nested items: choose Raw as JSON Text for them.',
				},
				{
					name: 'Raw as JSON Text',
					value: 'text',
					description:
						'One flat item for each response, with all fields of the service; lists and objects are JSON text',
				},
				{
					name: 'Selected Fields',
					value: 'selected',
					description: 'The simplified item with only the columns you choose, in every run',
				},
				{
					name: 'Simplified',
					value: 'simplified',
					description:
						'One flat item for each response, with columns for each question, such as answer_1001 and answer_1001_score',
				},
			],
			default: 'simplified',
			description: 'The form in which responses are returned',
			hint: 'For a table, choose One Item per Answer: it has the same columns in every run',
			displayOptions: { show },
		},
		{
			displayName: 'Column Names or IDs',
			name: 'fields',
			type: 'multiOptions',
			typeOptions: {
				loadOptionsMethod: 'getColumns',
				loadOptionsDependsOn: [
					'surveyId',
					'surveyIds',
					'respondentId',
					'options.attributeNames',
					'options.respondentAttributes',
				],
			},
			default: ['response_uuid', 'collected_at', 'answers'],
			description:
				'The columns to return, in this order. Without All Answers and All Attributes, every run has these and no others. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
			displayOptions: { show: { ...show, output: ['selected'] } },
		},
	];
}

/** Reads a parameter, with a default if it is not set. */
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
	return formOf(output as OutputName, selected, warn);
}

function selectedFields(value: unknown): string[] {
	const columns = namesIn(value);
	const unknown = columns.filter((column) => !isSelectable(column));
	if (columns.length > 0 && unknown.length === 0) return columns;
	throw new SettingError(
		columns.length === 0
			? say`"Column Names or IDs" is empty`
			: say`"Column Names or IDs" holds ${outsideValue(unknown[0])}`,
		say`Choose one or more of these: ${listed(SELECTABLE_FIELDS.map(fixed), SELECTABLE_FIELDS.length)}, or columns such as answer_1001, answer_1001_score and attribute_plan.`,
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
