import type { INodeProperties } from 'n8n-workflow';

import { surveyResponseGetMany } from './getMany.ts';

export const surveyResponseFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['surveyResponse'] } },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'Get the responses given to a survey, newest first',
				action: 'Get many survey responses',
			},
		],
		default: 'getAll',
	},
	...surveyResponseGetMany.fields,
];
