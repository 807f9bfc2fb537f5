import { fixed, listed, say } from '@survey-export/core';
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { type Form, formOf, OUTPUTS, type OutputName } from '../output/form.ts';
import { type Choice, optionsFrom } from './choices.ts';
import type { Parameters } from './parameters.ts';
import { settingError } from './values.ts';

const FORMS: Readonly<Record<OutputName, Choice>> = {
	simplified: [
		'Simplified',
		'One flat item for each response, with columns for each question, such as "Why?" and "Why? (score)"',
	],
	answers: [
		'One Item per Answer',
		'One flat item for each answer: the text of the question, and the answer as text and as a number, each in a column. A limit counts responses.',
	],
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

/** The parameter that chooses the form of responses, for nodes whose other parameters are as `show` says. */
export const outputField = (show: NonNullable<IDisplayOptions['show']> = {}): INodeProperties => ({
	...OUTPUT,
	displayOptions: { show },
});

/**
 * The form that the parameters of a node ask for.
 * @throws `invalid_configuration` for an output that does not exist
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
	const isNamedByText = parameters.get<string>('options.columnNames', 'texts') !== 'ids';
	return formOf(output, { isNamedByText, areOfAnySurvey });
}

/** The option that names columns by questions. */
export const COLUMN_NAMES: INodeProperties = {
	displayName: 'Column Names',
	name: 'columnNames',
	type: 'options',
	noDataExpression: true,
	options: optionsFrom({
		texts: [
			'Question Texts',
			'Such as "Why? (score)", for people. They change when somebody edits a question.',
		],
		ids: [
			'Question IDs',
			'Such as answer_1001_score. They never change: for a workflow whose later nodes name columns.',
		],
	}),
	default: 'texts',
	description: 'The names of the columns of answers. Texts cost one request for each survey.',
	displayOptions: { show: { '/output': ['simplified'] } },
};

export const ATTRIBUTE_NAMES: INodeProperties = {
	displayName: 'Attribute Names',
	name: 'attributeNames',
	type: 'string',
	default: '',
	placeholder: 'e.g. plan, company',
	description:
		'Names of the attributes to return with each response, exactly as they were set, separated by commas. "Get many attributes of a respondent" shows the names. For a name with a comma in it, use an expression that gives an array.',
};
