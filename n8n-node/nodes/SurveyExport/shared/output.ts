import type {
	IDisplayOptions,
	ILoadOptionsFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import {
	collectNewestFirst,
	FIELDS,
	fixed,
	type Form,
	formOf,
	given,
	isSelectable,
	KEEP_ALL,
	listed,
	type OutputName,
	OUTPUTS,
	PERSONAL_DATA_KINDS,
	type Response,
	respondentAttributes,
	RETRY_POLICIES,
	say,
	SELECTABLE_FIELDS,
	type StreamDefinition,
	STREAMS,
	withRespondentAttributes,
} from '@survey-export/core';
import { type Connection, connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
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

export const outputNamed = (value: unknown): OutputName | undefined =>
	OUTPUTS.find((each) => each === value);

/**
 * The form that the parameters of a node ask for. `get` reads one, with a default if it is not set.
 *
 * @throws SettingError for an output or a field that does not exist
 */
export function formFrom(get: (name: string, otherwise: unknown) => unknown): Form {
	const output = outputNamed(get('output', 'simplified'));
	if (output === undefined) {
		throw new SettingError(
			say`"Output" is not a form of responses`,
			say`Choose one of these: ${listed(OUTPUTS.map(fixed))}.`,
		);
	}
	return formOf(output, output === 'selected' ? selectedFields(get('fields', FIELDS)) : []);
}

function selectedFields(value: unknown): string[] {
	const columns = namesIn(value);
	const unknown = columns.findIndex((column) => !isSelectable(column));
	if (columns.length > 0 && unknown < 0) return columns;
	throw new SettingError(
		columns.length === 0
			? say`"Column Names or IDs" is empty`
			: say`Entry ${unknown + 1} of "Column Names or IDs" is not a column`,
		say`Choose one or more of these: ${listed(SELECTABLE_FIELDS.map(fixed), SELECTABLE_FIELDS.length)}, or columns such as answer_1001, answer_1001_score and attribute_plan.`,
	);
}

/** How much is read to learn the columns. */
const MOST = { surveys: 5, responses: 100, people: 20 };

const NAMES: Readonly<Record<string, string>> = {
	answers: 'All Answers',
	attributes: 'All Attributes',
};

/**
 * What can be selected: the fields of every response, and the columns that the newest responses of the node's surveys,
 * or of its person, have. A parameter that an expression gives counts as empty: it has no value before the workflow runs.
 */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const listIn = (name: string): string[] => {
		const value = this.getCurrentNodeParameter(name);
		return String(value ?? '').startsWith('=') ? [] : namesIn(value);
	};
	const surveys = [...listIn('surveyId'), ...listIn('surveyIds')].slice(0, MOST.surveys);
	const people = listIn('respondentId');
	const attributes = listIn('options.attributeNames');
	let connection: Connection | undefined;
	const signal = AbortSignal.timeout(30_000);
	const ignore = () => {};
	try {
		// People who may use the credential see the messages, whatever the node does with personal data.
		const options = { omitPersonalData: PERSONAL_DATA_KINDS };
		connection = await connectionFor(this, RETRY_POLICIES.check, options);
		const { client } = connection;
		const newestOf = (stream: StreamDefinition, surveyIds: string[], respondentUuids: string[]) =>
			collectNewestFirst<Response, Response>(
				client,
				stream,
				{ surveyIds, respondentUuids, attributes, signal, onUnreadable: ignore },
				MOST.responses,
				(response) => response,
			);
		const newest = await Promise.all([
			...surveys
				.map((id) => checkedId('surveyId', say`"Survey ID"`, id))
				.map((id) => newestOf(STREAMS.survey_responses, [id], [])),
			...people
				.map((id) => checkedId('respondentId', say`"Respondent ID"`, id))
				.map((id) => newestOf(STREAMS.respondent_responses, [], [id])),
		]);
		const responses = newest.flat();
		if (this.getCurrentNodeParameter('options.respondentAttributes') === true) {
			const some = responses.slice(0, MOST.people);
			const attributesOf = respondentAttributes(client, ignore);
			responses.push(...(await withRespondentAttributes(some, attributesOf, signal)));
		}
		const form = formOf('simplified', []);
		const leaving = { treatment: KEEP_ALL, warn: ignore };
		const items = responses.flatMap((response) => form.itemsOf(response, leaving));
		const columns = new Set([...SELECTABLE_FIELDS, ...Object.keys(form.finish(items)[0] ?? {})]);
		return [...columns].map((value) => ({ value, name: NAMES[value] ?? value }));
	} catch (thrown) {
		const ids = [...surveys, ...people].join(', ');
		throw nodeErrorOf(this.getNode(), thrown, connection?.render, {
			subject: () => ({ named: say`${given(ids)}`, parameter: say`the ID` }),
		});
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
	description:
		'Whether to add all attributes of the person who answered. Costs one request for each person.',
} as const satisfies INodeProperties;
