import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { testCredential } from './shared/connect.ts';
import { getSurveys } from './shared/survey-lists.ts';
import { pollForResponses } from './trigger/poll.ts';
import { SUBTITLE, TRIGGER_FIELDS } from './trigger/settings.ts';

export class SurveyExportTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Survey Export Trigger',
		name: 'surveyExportTrigger',
		icon: { light: 'file:../../icons/survey-export.svg', dark: 'file:../../icons/survey-export.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: SUBTITLE,
		// In the node panel n8n shows this sentence for the action node too.
		description: 'Gets survey responses, or starts the workflow with new ones, each handed over once',
		hints: [
			{
				message:
					'Responses that come between two polls are items of one execution. Make sure that your workflow can handle several items.',
				whenToDisplay: 'beforeExecution',
				location: 'outputPane',
			},
		],
		defaults: { name: 'Survey Export Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'surveyExportApi', required: true, testedBy: 'testCredential' }],
		properties: TRIGGER_FIELDS,
	};

	methods = { credentialTest: { testCredential }, loadOptions: { getSurveys } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollForResponses(this);
	}
}
