import type { IExecuteFunctions, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';

import {
	type Client,
	createClient,
	createRedactor,
	type Message,
	type RecordTreatment,
	render,
	type RetryPolicy,
	withCode,
} from '@survey-export/core';
import { treatmentFrom } from './personal-data.ts';
import { checkedBaseUrl, createHash, checkedKey } from './credential.ts';
import { clock } from './clock.ts';
import { rateLimiterFor } from './rate-limiters.ts';
import { transportOf } from './transport.ts';

export interface Connection {
	/** A fingerprint of the Base URL. */
	readonly service: string;
	readonly client: Client;
	/** Makes text of a message, without the key, which the service may quote in any answer, and without personal data. */
	readonly render: (message: Message) => string;
	/** What happens to personal data in the output. */
	readonly treatment: RecordTreatment;
}

/** The service as one execution or poll asks it: one client for all items. */
export async function connectionFor(
	context: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions,
	retryPolicy: RetryPolicy,
	options: Record<string, unknown>,
): Promise<Connection> {
	const credentials = await context.getCredentials('surveyExportApi');
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = checkedKey(credentials.apiKey);
	const treatment = treatmentFrom(options, credentials.hashSecret);
	const rendering = { blank: createRedactor(apiKey), treatment: treatment.messages };
	const shown = (message: Message): string => render(message, rendering);
	const client = createClient(
		{
			transport: transportOf(context),
			clock,
			log: (level, message, code) => context.logger[level](shown(withCode(message, code))),
		},
		{ baseUrl, retryPolicy, rateLimiter: rateLimiterFor(baseUrl, apiKey) },
	);
	const service = createHash('Base URL')(baseUrl).slice(0, 16);
	return { service, client, render: shown, treatment };
}
