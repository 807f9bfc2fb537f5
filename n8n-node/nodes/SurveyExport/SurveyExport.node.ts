import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { executeGetMany } from './actions/execute.ts';
import { ACTION_FIELDS, SUBTITLE } from './actions/fields.ts';
import { testCredential } from './shared/connect.ts';
import { searchSurveys } from './shared/survey-lists.ts';

export class SurveyExport implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Survey Export',
		name: 'surveyExport',
		icon: { light: 'file:../../icons/survey-export.svg', dark: 'file:../../icons/survey-export.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: SUBTITLE,
		description:
			'Gets surveys, their questions and responses, and the responses and attributes of a respondent. IDs are written exactly as the service gives them: a survey ID such as 1042, as Survey > Get Many gives it, and a respondent as a UUID. Times are in ISO 8601, such as 2026-01-31T08:30:00Z.',
		hints: [
			{
				message:
					'This node reads once for each incoming item. To read only once, turn on <b>Execute Once</b> in its settings.',
				displayCondition: '={{ $input.all().length > 1 }}',
				whenToDisplay: 'beforeExecution',
				location: 'outputPane',
			},
		],
		defaults: { name: 'Survey Export' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'surveyExportApi', required: true, testedBy: 'testCredential' }],
		properties: ACTION_FIELDS,
	};

	methods = { credentialTest: { testCredential }, listSearch: { searchSurveys } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await executeGetMany(this)];
	}
}
