import type { INodeProperties } from 'n8n-workflow';

import { respondentAttributeGetMany } from './getMany.ts';

export const respondentAttributeFields: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['respondentAttribute'] } },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'Get what is known about one person, such as their plan or company',
				action: 'Get many respondent attributes',
			},
		],
		default: 'getAll',
	},
	...respondentAttributeGetMany.fields,
];
