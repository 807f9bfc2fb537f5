import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** Shows a field for Get Many of one resource. */
export function shownFor(resource: string): IDisplayOptions {
	return { show: { resource: [resource], operation: ['getAll'] } };
}

/** Shows a field for Get Many of one resource when not everything is returned. */
function shownForLimit(resource: string): IDisplayOptions {
	return { show: { ...shownFor(resource).show, returnAll: [false] } };
}

/** The operation of a resource, with the sentence that n8n shows for it. */
export function getManyOperation(
	resource: string,
	description: string,
	action: string,
): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: [{ name: 'Get Many', value: 'getAll', description, action }],
		default: 'getAll',
	};
}

export function returnAllAndLimit(resource: string): INodeProperties[] {
	return [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			displayOptions: shownFor(resource),
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			description: 'Max number of results to return',
			hint: 'A whole number from 1, for each incoming item; the newest results are returned',
			displayOptions: shownForLimit(resource),
		},
	];
}

export function collectedWithin(resource: string): INodeProperties {
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		displayOptions: shownFor(resource),
		options: [
			{
				displayName: 'Collected After',
				name: 'collectedAfter',
				type: 'dateTime',
				default: '',
				description:
					"Only responses given at or after this time, in ISO 8601, such as 2026-01-31 or 2026-01-31T08:30:00Z. A time without a zone is in the workflow's time zone, and a day alone means its midnight.",
			},
			{
				displayName: 'Collected Before',
				name: 'collectedBefore',
				type: 'dateTime',
				default: '',
				description:
					"Only responses given at or before this time, in ISO 8601, such as 2026-01-31 or 2026-01-31T08:30:00Z. A time without a zone is in the workflow's time zone, and a day alone means its midnight.",
			},
		],
	};
}

export function respondentId(resource: string): INodeProperties {
	return {
		displayName: 'Respondent ID',
		name: 'respondentId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77',
		description:
			'ID of the person: a UUID such as 0b7c5f1e-52a0-4a8e-9d55-3f2f9f4c1a77. Every response carries it as respondent_uuid. Not a name or an email address.',
		displayOptions: shownFor(resource),
	};
}

/** A collection of optional settings. */
export function optionsOf(resource: string, options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		displayOptions: shownFor(resource),
		options,
	};
}

export const SURVEY_ID = {
	displayName: 'Survey ID',
	name: 'surveyId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 1042',
	description:
		"ID of the survey, exactly as the service writes it, for example 1042. It stands in the survey's address in the web panel, and in every response as survey_id. Not the survey's name.",
} as const satisfies INodeProperties;
