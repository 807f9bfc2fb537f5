import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { ATTRIBUTE_NAMES, outputFields } from '../shared/output.ts';
import { OMIT_PERSONAL_DATA } from '../shared/personal-data.ts';
import type { Resource } from './resources.ts';

/** What Get Many gets. `action` names it in the node panel, under the node on the canvas, and for agents. */
const RESOURCES: Readonly<Record<Resource, Record<'name' | 'action' | 'description', string>>> = {
	respondentAttribute: {
		name: 'Attribute of a Respondent',
		action: 'Get many attributes of a respondent',
		description: 'Get what is known about one respondent, such as their plan or company',
	},
	surveyQuestion: {
		name: 'Question',
		action: 'Get many questions of a survey',
		description: 'Get what a survey asks, with the IDs of the questions',
	},
	respondentResponse: {
		name: 'Response of a Respondent',
		action: 'Get many responses of a respondent',
		description: 'Get the responses that one respondent gave to any survey, newest first',
	},
	survey: {
		name: 'Survey',
		action: 'Get many surveys with their IDs',
		description:
			'Get the surveys of the account, newest first, with the IDs that other operations take as the survey (survey_id)',
	},
	surveyResponse: {
		name: 'Survey Response',
		action: 'Get many survey responses',
		description: 'Get the responses given to a survey, newest first',
	},
};

const shownFor = (...resource: Resource[]) => ({ show: { resource } }) satisfies IDisplayOptions;
const RESPONSES = shownFor('surveyResponse', 'respondentResponse');

/** In a collection, the parameters of the node are those below "/". */
const option = (field: INodeProperties, { show }: typeof RESPONSES): INodeProperties => ({
	...field,
	displayOptions: { show: { '/resource': show.resource } },
});

const TIME =
	"in ISO 8601, such as 2026-01-31 or 2026-01-31T08:30:00Z. A time without a zone is in the workflow's time zone, and a day alone means its midnight.";

const bound = (displayName: string, name: string, side: 'after' | 'before'): INodeProperties => {
	const description = `Only responses given at or ${side} this time, ${TIME}`;
	return option({ displayName, name, type: 'dateTime', default: '', description }, RESPONSES);
};

const ACTIONS = Object.fromEntries(Object.entries(RESOURCES).map(([value, { action }]) => [value, action]));

/** The line under the node's name on the canvas. */
export const SUBTITLE = `={{ ${JSON.stringify(ACTIONS)}[$parameter["resource"]] }}`;

/** The form of the action node. */
export const ACTION_FIELDS: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: Object.entries(RESOURCES).map(([value, { name }]) => ({ name, value })),
		default: 'surveyResponse',
	},
	...Object.entries(RESOURCES).map(
		([value, { action, description }]): INodeProperties => ({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: [{ name: 'Get Many', value: 'getAll', action, description }],
			default: 'getAll',
			displayOptions: { show: { resource: [value] } },
		}),
	),
	{
		displayName: 'Survey',
		name: 'surveyId',
		type: 'resourceLocator',
		required: true,
		default: { mode: 'list', value: '' },
		description:
			'The survey to read. Choose it from the list, or give its ID exactly as the service writes it, for example 1042. Every response has it as survey_id. Not the name of the survey.',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchSurveys', searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 1042' },
		],
		displayOptions: shownFor('surveyQuestion', 'surveyResponse'),
	},
	{
		displayName: 'Respondent ID',
		name: 'respondentId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77',
		description:
			'ID of the respondent: a UUID such as 0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77. Every response carries it as respondent_uuid. Not a name or an email address.',
		displayOptions: shownFor('respondentAttribute', 'respondentResponse'),
	},
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
	...outputFields(RESPONSES.show),
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		displayOptions: shownFor('survey', ...RESPONSES.show.resource),
		options: [
			bound('Collected After', 'collectedAfter', 'after'),
			bound('Collected Before', 'collectedBefore', 'before'),
			option(
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. onboarding',
					description: 'Only surveys that have this text in their name or ID, in capital or small letters',
				},
				shownFor('survey'),
			),
		],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: { hide: { resource: ['survey', 'surveyQuestion'] } },
		options: [option(ATTRIBUTE_NAMES, shownFor('surveyResponse')), OMIT_PERSONAL_DATA],
	},
];
