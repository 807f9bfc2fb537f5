import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	type Message,
	render,
	RETRY_POLICIES,
	say,
	SurveyExportError,
	tellsKeyFromAnother,
} from '@survey-export/core';
import { serviceOf } from './connect.ts';
import { checkedKey, checkedSalt } from './credential.ts';
import { explain } from './failure.ts';
import { transportOfTest } from './transport.ts';
import { SettingError } from './values.ts';

const REQUEST_TIMEOUT_MS = 20_000;

/** Tests the credential without reading anybody's data. See `tellsKeyFromAnother` for what it can show. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const serviceWith = (key: string) =>
		serviceOf(data, RETRY_POLICIES.credentialTest, {
			transport: transportOfTest(this.helpers, key, REQUEST_TIMEOUT_MS),
			logger: this.logger,
		});
	let shown = (message: Message): string => render(message);
	try {
		if (data.hashSecret) checkedSalt(data.hashSecret);
		const service = serviceWith(checkedKey(data.apiKey));
		shown = service.render;
		if (await tellsKeyFromAnother(service.client, serviceWith('made-up').client)) {
			return { status: 'OK', message: 'The service accepts the key' };
		}
	} catch (thrown) {
		const { message, description } =
			thrown instanceof SettingError
				? { message: thrown.facts, description: thrown.advice }
				: explain(SurveyExportError.from(thrown));
		return { status: 'Error', message: shown(say`${message}. ${description}`) };
	}
	return {
		status: 'Error',
		message:
			"The address answers, but not like the service: it accepts any key. Check that Base URL is the service's address up to and including /v2.",
	};
}
