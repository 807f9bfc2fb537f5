import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { type Client, createClient, type RetryPolicy } from '@survey-export/core';
import { usableKey } from './api-key.ts';
import { checkedBaseUrl } from './base-url.ts';
import { clock } from './clock.ts';
import { withoutQuotedKey } from './quoted-key.ts';
import { rateLimiterFor } from './rate-limiters.ts';
import { transportOf } from './transport.ts';

/** The service as one execution or poll asks it: one client for all items. */
export async function clientFor(
	context: IExecuteFunctions | IPollFunctions,
	retryPolicy: RetryPolicy,
): Promise<Client> {
	const credentials = await context.getCredentials('surveyExportApi');
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = usableKey(credentials.apiKey);
	return createClient(
		{
			transport: withoutQuotedKey(transportOf(context), apiKey),
			clock,
			log: (level, message, fields) => context.logger[level](message, { ...fields }),
		},
		{ baseUrl, retryPolicy, rateLimiter: rateLimiterFor(baseUrl, apiKey) },
	);
}
