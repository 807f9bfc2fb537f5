import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	type Client,
	createClient,
	createRedactor,
	type Message,
	probe,
	render,
	RETRY_POLICIES,
	say,
	SurveyExportError,
} from '@survey-export/core';
import { explain } from './explanation.ts';
import { SettingError } from './values.ts';
import { checkedBaseUrl, checkedKey } from './credential.ts';
import { clock } from './clock.ts';
import { transportOfTest } from './transport.ts';
import { rateLimiterFor } from './rate-limiters.ts';

/** Nobody has this id. The service documents the answer to that: 404. */
const NOBODY = '7e57c0de-0000-4000-8000-000000000000';
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * Tests the credential without reading anybody's data. The service documents no request that only says
 * whether a key is valid. So this asks for a respondent who does not exist, twice: with the key, which must
 * give "not found", and with a made-up key, which must be refused. Without the second request any web server
 * would pass, since all of them answer 404.
 *
 * It cannot prove that the key may see a particular survey. A service that answers a wrong key with 404 never
 * passes.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers, logger } = this;
	let blank = createRedactor('');
	const shown = (message: Message): string => render(message, { blank });
	try {
		const apiKey = checkedKey(credential.data?.apiKey);
		blank = createRedactor(apiKey);
		const baseUrl = checkedBaseUrl(credential.data?.baseUrl);
		const clientWith = (key: string): Client =>
			createClient(
				{
					transport: transportOfTest(helpers, key, REQUEST_TIMEOUT_MS),
					clock,
					log: (level, message) => logger[level](shown(message)),
				},
				{
					baseUrl,
					retryPolicy: RETRY_POLICIES.credentialTest,
					rateLimiter: rateLimiterFor(baseUrl, apiKey),
				},
			);
		await probe(clientWith(apiKey), { respondentUuid: NOBODY });
		if (await isRefused(clientWith('made-up'))) {
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

async function isRefused(client: Client): Promise<boolean> {
	try {
		await probe(client, { respondentUuid: NOBODY });
		return false;
	} catch (thrown) {
		const { code } = SurveyExportError.from(thrown);
		return code === 'unauthorized' || code === 'forbidden' || code === 'payment_required';
	}
}
