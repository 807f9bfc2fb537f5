import {
	fixed,
	given,
	isObject,
	listed,
	listSurveys,
	RETRY_POLICIES,
	STREAMS,
	say,
} from '@survey-export/core';
import type {
	IDisplayOptions,
	ILoadOptionsFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import { cut, isSelectable, SELECTABLE, SIMPLIFIED, textsById } from '../output/column-names.ts';
import { asItIs, FIELDS, type Form, formOf, OUTPUTS, type Response } from '../output/form.ts';
import { type Connection, connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
import { collectNewestFirst } from './newest-first.ts';
import type { Parameters } from './parameters.ts';
import { OMITTABLE } from './personal-data.ts';
import { questionTexts } from './question-texts.ts';
import { checkedId, namesIn, SettingError } from './values.ts';

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
						'One flat item for each answer: the text of the question, and the answer as text and as a number, each in a column. A limit counts responses.',
				},
				{
					name: 'Selected Fields',
					value: 'selected',
					description: 'The simplified item with only the columns you choose, in every run',
				},
				{
					name: 'Raw',
					value: 'raw',
					description:
						'One nested item for each response, with all fields of the service. Data Table and Remove Duplicates refuse nested items.',
				},
			],
			default: 'simplified',
			description: 'The form in which responses are returned',
			hint: 'For a table, choose One Item per Answer: it has the same columns in every run. Before a number filter, add the condition "exists".',
			displayOptions: { show },
		},
		{
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
			displayOptions: { show: { ...show, output: ['selected'] } },
		},
	];
}

/**
 * The form that the parameters of a node ask for.
 * @throws SettingError for an output or a field that does not exist
 */
export function formFrom(parameters: Parameters, areOfAnySurvey: boolean): Form {
	const named = parameters.get<unknown>('output', 'simplified');
	const output = OUTPUTS.find((each) => each === named);
	if (output === undefined) {
		throw new SettingError(
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
	throw new SettingError(
		say`Entry ${unknown + 1} of "Column Names or IDs" is not a column`,
		say`Choose one or more of these: ${listed(SELECTABLE.map(fixed))}, or columns such as answer_1001, answer_1001_score and attribute_plan.`,
	);
}

/** What is read to learn the columns, and what is shown of a value and of a text, in characters. */
const MOST = { surveys: 5, responses: 100, example: 40, text: 60 };
const NAMES: Readonly<Record<string, string>> = { answers: 'All Answers', attributes: 'All Attributes' };

/**
 * What can be selected, each with an example: the answers to the questions of the node's surveys, the fields of every
 * response, and the attributes that the newest responses have. A parameter that an expression gives counts as empty,
 * since it has no value before the workflow runs: then no survey is read, or no personal data shown. An example never
 * has an "@", since that may be somebody's address.
 */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const isExpression = (value: unknown) => String(value ?? '').startsWith('=');
	const listIn = (name: string): string[] => {
		const held = this.getCurrentNodeParameter(name);
		const value = isObject(held) && 'value' in held ? held.value : held;
		return isExpression(value) ? [] : namesIn(value);
	};
	const watch = this.getCurrentNodeParameter('watch');
	let surveys = watch === 'selected' ? listIn('surveys') : [...listIn('surveyId'), ...listIn('surveyIds')];
	const attributes = listIn('options.attributeNames');
	const omitted = this.getCurrentNodeParameter('options.omitPersonalData') ?? [];
	const signal = AbortSignal.timeout(30_000);
	const columns = ['answers', ...FIELDS, 'attributes'];
	const form = formOf('selected', { columns, isNamedByText: true });
	let connection: Connection | undefined;
	try {
		const omitPersonalData = isExpression(omitted) ? OMITTABLE : omitted;
		const made = await connectionFor(this, RETRY_POLICIES.check, { omitPersonalData });
		connection = made;
		if (watch === 'all') {
			const { value: first } = await listSurveys(made.client, signal).next();
			surveys = (first?.surveys ?? []).map(({ id }) => id);
		}
		const itemsOf = (response: Response) => form.itemsOf(response, made);
		const ids = surveys.slice(0, MOST.surveys).map((text) => checkedId('surveyId', say`"Survey"`, text));
		const newest = await Promise.all(
			ids.map((surveyId) => {
				const wanted = { of: { surveyId }, limit: MOST.responses, attributes, signal };
				return collectNewestFirst(made.client, STREAMS.survey_responses, wanted, itemsOf);
			}),
		);
		const texts = textsById(await questionTexts(form, made, ids, [], signal));
		const questions = Object.fromEntries([...texts.keys()].map((id) => [`answer_${id}`, null]));
		const { rows } = form.finish([...newest.flat(2), { ...asItIs({}), answers: questions }]);
		const [ofPeople = [], others = []] = [true, false].map((is) =>
			Object.keys(rows[0] ?? {}).filter((column) => column.startsWith('attribute_') === is),
		);
		return ['answers', ...others, 'attributes', ...ofPeople].map((value) => {
			const [, id, part] = /^answer_(\d+)_?(\w*)$/.exec(value) ?? [];
			const text = cut(texts.get(Number(id)) ?? '', MOST.text);
			const name = text && `${text}${part && ` – ${part}`} (${value})`;
			const values = rows.map((row) => String(row[value] ?? ''));
			const example = values.find((one) => one !== '' && !/@|%40/.test(one)) ?? '';
			const description = example && `e.g. ${cut(example, MOST.example)}`;
			return { value, name: name || NAMES[value] || value, description };
		});
	} catch (thrown) {
		const subject = () => say`${given(surveys.join(', '))}`;
		throw nodeErrorOf(this.getNode(), thrown, connection?.render, { subject });
	}
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
	description: 'Whether to add all attributes of the person who answered. Costs one request for each person.',
} as const satisfies INodeProperties;
