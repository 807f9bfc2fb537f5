import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import {
	type Client,
	createClient,
	createRedactor,
	type Redactor,
	type RetryPolicy,
} from '@survey-export/core';
import { usableKey } from './api-key.ts';
import { checkedBaseUrl } from './base-url.ts';
import { clock } from './clock.ts';
import { rateLimiterFor } from './rate-limiters.ts';
import { transportOf } from './transport.ts';

export interface Connection {
	readonly client: Client;
	/** Blanks the key in a text, since the service may quote it in any answer. */
	readonly redact: Redactor;
}

/** The service as one execution or poll asks it: one client for all items. */
export async function connectionFor(
	context: IExecuteFunctions | IPollFunctions,
	retryPolicy: RetryPolicy,
): Promise<Connection> {
	const credentials = await context.getCredentials('surveyExportApi');
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = usableKey(credentials.apiKey);
	const redact = createRedactor(apiKey);
	const client = createClient(
		{
			transport: transportOf(context),
			clock,
			log: (level, message) => context.logger[level](redact(message)),
		},
		{ baseUrl, retryPolicy, rateLimiter: rateLimiterFor(baseUrl, apiKey) },
	);
	return { client, redact };
}
