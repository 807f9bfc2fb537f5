import type { INodeProperties } from 'n8n-workflow';

import {
	ATTRIBUTE_NAMES,
	INCLUDE_RESPONDENT_ATTRIBUTES,
	outputFields,
} from '../shared/output-fields.ts';
import { PERSONAL_DATA } from '../shared/personal-data.ts';

export const triggerFields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'New Survey Response',
				value: 'surveyResponse',
				description: 'When somebody has answered one of the surveys',
			},
		],
		default: 'surveyResponse',
	},
	{
		displayName: 'Survey IDs',
		name: 'surveyIds',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 1042, 1043',
		description:
			'IDs of the surveys to watch, exactly as the service writes them, separated by commas',
	},
	...outputFields(),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			ATTRIBUTE_NAMES,
			INCLUDE_RESPONDENT_ATTRIBUTES,
			...PERSONAL_DATA,
			{
				displayName: 'Lookback (Minutes)',
				name: 'lookbackMinutes',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 10,
				description:
					'How much later than its time a response may show up in the service and still start the workflow',
			},
			{
				displayName: 'Max Responses per Poll',
				name: 'mostPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 500,
				description:
					'How many responses one execution gets at most. The others follow with the next polls, the newest first.',
			},
			{
				displayName: 'Repeat After a Crash',
				name: 'repeatAfterCrash',
				type: 'boolean',
				default: false,
				description:
					"Whether the first poll after a start of n8n hands over the last responses again. n8n may have stopped before it stored their execution. They can start the workflow twice, so make its actions safe to repeat, for example with the node Remove Duplicates. Does nothing with n8n's durable poll cursors, which do not need it.",
			},
		],
	},
];
