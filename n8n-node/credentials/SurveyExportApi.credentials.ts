import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { keyIn } from '../nodes/SurveyExport/shared/api-key.ts';

/**
 * The account's address and key. A function of the nodes tests it (`testedBy`), since the service documents no
 * request that only says whether a key is valid: see `nodes/SurveyExport/shared/connect.ts`.
 */
export class SurveyExportApi implements ICredentialType {
	name = 'surveyExportApi';

	displayName = 'Survey Export API';

	icon: Icon = { light: 'file:../icons/survey-export.svg', dark: 'file:../icons/survey-export.dark.svg' };

	documentationUrl = 'https://github.com/survey-export/survey-export/tree/main/n8n-node#the-credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: 'https://data-api.survicate.com/v2',
			hint: "Address of the service's export API, up to and including /v2. An expression works in nodes, but the test of a credential cannot resolve it.",
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			hint: 'In the web panel under Settings > Organization > Access Keys, which organization owners and workspace admins can open',
		},
	];

	/**
	 * The key is sent as it is: not in base64, and without a user name. A function, and no expression: n8n ends the
	 * expressions of a poll when another poll of the workflow ends.
	 */
	authenticate: IAuthenticate = async ({ apiKey }, request) => ({
		...request,
		headers: { ...request.headers, Authorization: `Basic ${keyIn(apiKey)}` },
	});
}
