import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/**
 * The account's address and key. Its test is a function of the nodes (`testedBy`), since the service
 * documents no request that only says whether a key is good: see `nodes/SurveyExport/host/credential-test.ts`.
 */
export class SurveyExportApi implements ICredentialType {
	name = 'surveyExportApi';

	displayName = 'Survey Export API';

	icon: Icon = {
		light: 'file:../icons/survey-export.svg',
		dark: 'file:../icons/survey-export.dark.svg',
	};

	documentationUrl =
		'https://github.com/survey-export/survey-export/tree/main/n8n-node#the-credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com/v2',
			hint: "Address of the service's export interface, up to and including /v2",
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

	// The key goes as it is: not base64, and no user name before it.
	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Basic {{$credentials.apiKey}}' } },
	};
}
