import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	type Client,
	createClient,
	probe,
	RETRY_POLICIES,
	SurveyExportError,
	type Transport,
} from '@survey-export/core';
import { explain } from '../explanation.ts';
import { checkedBaseUrl } from './base-url.ts';
import { clock } from './clock.ts';

/** Nobody has this id; the service documents the answer to that: 404. */
const NOBODY = '7e57c0de-0000-4000-8000-000000000000';
const REQUEST_TIMEOUT_MS = 20_000;

/**
 * Tests the credential without reading anything of anybody. The service documents no request that only
 * says whether a key is good, so this asks for a respondent who does not exist, twice: with the key, which
 * must give "not there", and with a made-up key, which must be refused. Without the second question any
 * web server would pass, since all of them answer 404.
 *
 * What it cannot prove: that the key may see a particular survey. And a service that answered a wrong key
 * with 404 would never pass.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers, logger } = this;
	const { baseUrl, apiKey } = credential.data ?? {};
	const askedWith = (key: string): Client =>
		createClient(
			{
				transport: signedBy(helpers, key),
				clock,
				log: (level, message) => logger[level](message),
			},
			{
				baseUrl: checkedBaseUrl(baseUrl),
				retryPolicy: RETRY_POLICIES.credentialTest,
			},
		);
	try {
		await probe(askedWith(String(apiKey)), { respondentUuid: NOBODY });
		if (await isRefused(askedWith('made-up'))) {
			return { status: 'OK', message: 'The service accepts the key' };
		}
	} catch (thrown) {
		const { message, description } = explain(SurveyExportError.from(thrown));
		return { status: 'Error', message: `${message}. ${description}` };
	}
	return {
		status: 'Error',
		message:
			"The address answers, but not like the service: it takes any key. Check that Base URL is the service's address up to and including /v2.",
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

/**
 * A transport for the test alone: n8n offers it no other helper than this old one, which signs nothing.
 */
function signedBy(helpers: ICredentialTestFunctions['helpers'], key: string): Transport {
	return async ({ url }) => {
		const answer = await helpers.request({
			method: 'GET',
			uri: url,
			headers: { authorization: `Basic ${key}`, accept: 'application/json' },
			resolveWithFullResponse: true,
			simple: false,
			followRedirect: false,
			sendCredentialsOnCrossOriginRedirect: false,
			timeout: REQUEST_TIMEOUT_MS,
		});
		return {
			status: Number(answer.statusCode),
			headers: answer.headers,
			body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? ''),
		};
	};
}
