import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { executeGetMany } from './execute.ts';
import { testCredential } from './host/credential-test.ts';
import { respondentAttributeFields } from './resources/respondentAttribute/index.ts';
import { respondentResponseFields } from './resources/respondentResponse/index.ts';
import { surveyResponseFields } from './resources/surveyResponse/index.ts';

export class SurveyExport implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Survey Export',
		name: 'surveyExport',
		icon: {
			light: 'file:../../icons/survey-export.svg',
			dark: 'file:../../icons/survey-export.dark.svg',
		},
		group: ['input'],
		version: [1, 2],
		defaultVersion: 2,
		subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
		description: 'Get survey responses and what is known about the people who gave them',
		defaults: { name: 'Survey Export' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'surveyExportApi', required: true, testedBy: 'testCredential' }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Respondent Attribute', value: 'respondentAttribute' },
					{ name: 'Respondent Response', value: 'respondentResponse' },
					{ name: 'Survey Response', value: 'surveyResponse' },
				],
				default: 'surveyResponse',
			},
			...surveyResponseFields,
			...respondentResponseFields,
			...respondentAttributeFields,
		],
	};

	methods = { credentialTest: { testCredential } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await executeGetMany(this)];
	}
}
