import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import {
	type Client,
	createClient,
	createRedactor,
	type RecordTreatment,
	type Redactor,
	type RetryPolicy,
} from '@survey-export/core';
import { LABELS, treatmentFrom } from '../parameters/personal-data.ts';
import { usableKey } from './api-key.ts';
import { checkedBaseUrl } from './base-url.ts';
import { clock } from './clock.ts';
import { createHash } from './hash.ts';
import { rateLimiterFor } from './rate-limiters.ts';
import { transportOf } from './transport.ts';

export interface Connection {
	/** A fingerprint of the Base URL. */
	readonly service: string;
	readonly client: Client;
	/** Takes out of a text the key, which the service may quote in any answer, and personal data. */
	readonly redact: Redactor;
	/** What happens to personal data in the output. */
	readonly treatment: RecordTreatment;
}

/** The service as one execution or poll asks it: one client for all items. */
export async function connectionFor(
	context: IExecuteFunctions | IPollFunctions,
	retryPolicy: RetryPolicy,
	options: Record<string, unknown>,
): Promise<Connection> {
	const credentials = await context.getCredentials('surveyExportApi');
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = usableKey(credentials.apiKey);
	const treatment = treatmentFrom(options, credentials.hashSecret);
	const withoutKey = createRedactor(apiKey);
	const redact = (text: string): string => treatment.message(withoutKey(text), LABELS);
	const client = createClient(
		{
			transport: transportOf(context),
			clock,
			log: (level, message) => context.logger[level](redact(message)),
		},
		{ baseUrl, retryPolicy, rateLimiter: rateLimiterFor(baseUrl, apiKey) },
	);
	const service = createHash('Base URL')(baseUrl).slice(0, 16);
	return { service, client, redact, treatment };
}
