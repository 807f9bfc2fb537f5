import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	Logger,
} from 'n8n-workflow';

import {
	type Client,
	createClient,
	createRedactor,
	DEFAULT_LIMITS,
	KEEP_ALL,
	type Message,
	RateLimiter,
	type RecordTreatment,
	render,
	type RetryPolicy,
	type Transport,
	withCode,
} from '@survey-export/core';
import { clock } from './clock.ts';
import { checkedBaseUrl, checkedKey, createHash } from './credential.ts';
import { treatmentFrom } from './personal-data.ts';
import { transportOf } from './transport.ts';

/** The service by its credentials. */
interface Service {
	readonly baseUrl: string;
	readonly client: Client;
	/** Makes text of a message, without the key, which the service may quote in any answer, and without personal data. */
	readonly render: (message: Message) => string;
}

export interface Connection extends Service {
	/** A fingerprint of the Base URL. */
	readonly service: string;
	/** What happens to personal data in the output. */
	readonly treatment: RecordTreatment;
}

/**
 * The service as one execution or poll asks it: one client for all items with the same credentials, which can differ
 * from item to item by their expressions.
 */
export async function connectionFor(
	context: IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions,
	retryPolicy: RetryPolicy,
	options: Record<string, unknown>,
	resolved?: ICredentialDataDecryptedObject,
): Promise<Connection> {
	const credentials: ICredentialDataDecryptedObject =
		resolved ?? (await context.getCredentials('surveyExportApi'));
	const treatment = treatmentFrom(options, credentials.hashSecret);
	const transport = transportOf(context, credentials);
	const service = serviceOf(
		credentials,
		retryPolicy,
		{ transport, logger: context.logger },
		treatment,
	);
	const fingerprint = createHash('Base URL')(service.baseUrl).slice(0, 16);
	return { ...service, service: fingerprint, treatment };
}

/** @throws SettingError for an address or a key that cannot be used */
export function serviceOf(
	credentials: ICredentialDataDecryptedObject,
	retryPolicy: RetryPolicy,
	{ transport, logger }: { readonly transport: Transport; readonly logger: Logger },
	treatment: RecordTreatment = KEEP_ALL,
): Service {
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = checkedKey(credentials.apiKey);
	const rendering = { blank: createRedactor(apiKey), treatment: treatment.messages };
	const shown = (message: Message): string => render(message, rendering);
	const client = createClient(
		{
			transport,
			clock,
			log: (level, message, code) => logger[level](shown(withCode(message, code))),
		},
		{ baseUrl, retryPolicy, rateLimiter: rateLimiterFor(baseUrl, apiKey) },
	);
	return { baseUrl, client, render: shown };
}

const limiters = new Map<string, RateLimiter>();

/**
 * The one rate limiter of this process for a workspace: the service's limits hold for all executions and
 * polls together. Base URL and key stand for the workspace. n8n's workers are processes of their own; chance
 * keeps them from asking in step.
 */
function rateLimiterFor(baseUrl: string, apiKey: string): RateLimiter {
	const workspace = JSON.stringify([baseUrl, apiKey]);
	const limiter =
		limiters.get(workspace) ?? new RateLimiter(clock, DEFAULT_LIMITS, { random: Math.random });
	limiters.set(workspace, limiter);
	return limiter;
}
