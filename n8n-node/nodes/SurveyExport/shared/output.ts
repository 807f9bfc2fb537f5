import { fixed, listed, say } from '@survey-export/core';
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { isSelectable, SELECTABLE, SIMPLIFIED } from '../output/column-names.ts';
import { type Form, formOf, OUTPUTS, type OutputName } from '../output/form.ts';
import { type Choice, optionsFrom } from './choices.ts';
import type { Parameters } from './parameters.ts';
import { namesIn, settingError } from './values.ts';

const FORMS: Readonly<Record<OutputName, Choice>> = {
	simplified: [
		'Simplified',
		'One flat item for each response, with columns for each question, such as answer_1001 and answer_1001_score',
	],
	answers: [
		'One Item per Answer',
		'One flat item for each answer: the text of the question, and the answer as text and as a number, each in a column. A limit counts responses.',
	],
	selected: ['Selected Fields', 'The simplified item with only the columns you choose, in every run'],
	raw: [
		'Raw',
		'One nested item for each response, with all fields of the service. Data Table and Remove Duplicates refuse nested items.',
	],
};

const OUTPUT: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: optionsFrom(FORMS),
	default: 'simplified',
	description: 'The form in which responses are returned',
	hint: 'For a table, choose One Item per Answer: it has the same columns in every run. Before a number filter, add the condition "exists".',
};

const COLUMNS: INodeProperties = {
	displayName: 'Column Names or IDs',
	name: 'fields',
	type: 'multiOptions',
	typeOptions: {
		loadOptionsMethod: 'getColumns',
		loadOptionsDependsOn: ['surveyId', 'watch', 'surveys', 'surveyIds', 'options'],
	},
	default: ['response_uuid', 'collected_at', 'answers'],
	description:
		'The columns to return, in this order. Without All Answers and All Attributes, every run has these and no others. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** The parameters that choose the form of responses, for nodes whose other parameters are as `show` says. */
export const outputFields = (show: NonNullable<IDisplayOptions['show']> = {}): INodeProperties[] => [
	{ ...OUTPUT, displayOptions: { show } },
	{ ...COLUMNS, displayOptions: { show: { ...show, output: ['selected'] } } },
];

/**
 * The form that the parameters of a node ask for.
 * @throws `invalid_configuration` for an output or a field that does not exist
 */
export function formFrom(parameters: Parameters, areOfAnySurvey: boolean): Form {
	const named = parameters.get<unknown>('output', 'simplified');
	const output = OUTPUTS.find((each) => each === named);
	if (output === undefined) {
		throw settingError(
			say`"Output" is not a form of responses`,
			say`Choose one of these: ${listed(OUTPUTS.map(fixed))}.`,
		);
	}
	const columns = output === 'selected' ? selectedFields(parameters.get('fields', SIMPLIFIED)) : [];
	const isNamedByText = parameters.get<string>('options.columnNames', 'ids') === 'texts';
	return formOf(output, { columns, isNamedByText, areOfAnySurvey });
}

function selectedFields(value: unknown): string[] {
	const columns = namesIn(value);
	const unknown = columns.length === 0 ? 0 : columns.findIndex((column) => !isSelectable(column));
	if (unknown < 0) return columns;
	throw settingError(
		say`Entry ${unknown + 1} of "Column Names or IDs" is not a column`,
		say`Choose one or more of these: ${listed(SELECTABLE.map(fixed))}, or columns such as answer_1001, answer_1001_score and attribute_plan.`,
	);
}

export const ATTRIBUTE_NAMES: INodeProperties = {
	displayName: 'Attribute Names',
	name: 'attributeNames',
	type: 'string',
	default: '',
	placeholder: 'e.g. plan, company',
	description:
		'Names of the attributes to return with each response, exactly as they were set, separated by commas. For a name with a comma in it, use an expression that gives an array.',
};

export const INCLUDE_RESPONDENT_ATTRIBUTES: INodeProperties = {
	displayName: 'Include Respondent Attributes',
	name: 'respondentAttributes',
	type: 'boolean',
	default: false,
	description: 'Whether to add all attributes of the respondent. Costs one request for each respondent.',
};
