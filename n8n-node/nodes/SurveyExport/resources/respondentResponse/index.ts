import type { INodeProperties } from 'n8n-workflow';

import { respondentResponseGetMany } from './getMany.ts';

export const respondentResponseFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['respondentResponse'] } },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'Get the responses that one person gave to any survey, newest first',
				action: 'Get many respondent responses',
			},
		],
		default: 'getAll',
	},
	...respondentResponseGetMany.fields,
];
