import { fixed, listed, say } from '@survey-export/core';
import type { IDataObject, IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { type Form, formOf, OUTPUTS, type OutputName } from '../output/form.ts';
import { type Choice, optionsFrom } from './choices.ts';
import type { Parameters } from './parameters.ts';
import { namesIn, settingError } from './values.ts';

/** n8n shows two lines of each description, about 100 characters. */
const FORMS: Readonly<Record<OutputName, Choice>> = {
	simplified: [
		'Simplified',
		'The same fields for every survey: nps_score, rating, comment, answers. For alerts.',
	],
	columns: [
		'One Column per Question',
		'Flat, with columns by question ID: answer_1001. For a sheet of one survey.',
	],
	answers: [
		'One Item per Answer',
		'Flat, the same columns for every survey. For tables and reports of all answers.',
	],
	raw: ['Raw', 'Nested, with all fields as the service sends them. For code.'],
};

const OUTPUT: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	noDataExpression: true,
	options: optionsFrom(FORMS),
	default: 'simplified',
	description: 'The form in which responses are returned. The limit counts responses in each form.',
	hint: 'Sheets and tables take the flat outputs. Before a number condition, add the condition "exists".',
};

/** Stands where somebody chooses columns for surveys that do not share them. */
const COLUMNS_NOTICE: INodeProperties = {
	displayName:
		'Each survey has columns of its own. The column "questions" says what they ask. For several surveys, choose Simplified or One Item per Answer.',
	name: 'columnsNotice',
	type: 'notice',
	default: '',
};

/** The parameter that chooses the form of responses, for nodes whose other parameters are as `show` says. */
export const outputFields = (show: NonNullable<IDisplayOptions['show']> = {}): INodeProperties[] => [
	{ ...OUTPUT, displayOptions: { show } },
	{ ...COLUMNS_NOTICE, displayOptions: { show: { ...show, output: ['columns'] } } },
];

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
	return formOf(output, { attributeNames: attributeNamesIn(parameters), areOfAnySurvey });
}

/** The attributes that the parameters of a node ask for. */
export const attributeNamesIn = (parameters: Parameters): readonly string[] =>
	namesIn(parameters.get<IDataObject>('options', {}).attributeNames);

export const ATTRIBUTE_NAMES: INodeProperties = {
	displayName: 'Attribute Names',
	name: 'attributeNames',
	type: 'string',
	default: '',
	placeholder: 'e.g. plan, company',
	description:
		'Names of the attributes to return with each response, exactly as they were set, separated by commas. "Get many attributes of a respondent" shows the names. For a name with a comma in it, use an expression that gives an array.',
};
