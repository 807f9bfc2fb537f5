import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	INodeCredentialTestResult,
	IPollFunctions,
	Logger,
} from 'n8n-workflow';

import {
	type BaseUrlProblem,
	type Client,
	createClient,
	createRedactor,
	DEFAULT_LIMITS,
	fixed,
	KEEP_ALL,
	type Message,
	parseBaseUrl,
	RateLimiter,
	type RecordTreatment,
	render,
	RETRY_POLICIES,
	type RetryPolicy,
	say,
	tellsKeyFromAnother,
	type Transport,
	withCode,
} from '@survey-export/core';
import { explain, type Render, renderUnconnected } from './failure.ts';
import { clock, transportOf, transportOfTest } from './host.ts';
import { checkedSalt, createHash, treatmentFrom } from './personal-data.ts';
import { SettingError } from './values.ts';

/** The service by its credentials. */
interface Service {
	readonly baseUrl: string;
	readonly client: Client;
	/** Makes text of a message, without the key, which the service may quote in any answer, and without personal data. */
	readonly render: Render;
}

export interface Connection extends Service {
	/** A fingerprint of the Base URL. */
	readonly service: string;
	/** What happens to personal data in the output. */
	readonly treatment: RecordTreatment;
	/** Writes to n8n's log. */
	warn(message: Message): void;
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
	const host = { transport, logger: context.logger };
	const service = serviceOf(credentials, retryPolicy, host, treatment);
	const fingerprint = createHash('Base URL')(service.baseUrl).slice(0, 16);
	const warn = (message: Message) => context.logger.warn(service.render(message));
	return { ...service, service: fingerprint, treatment, warn };
}

/** @throws SettingError for an address or a key that cannot be used */
function serviceOf(
	credentials: ICredentialDataDecryptedObject,
	retryPolicy: RetryPolicy,
	{ transport, logger }: { transport: Transport; logger: Logger },
	treatment: RecordTreatment = KEEP_ALL,
): Service {
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = checkedKey(credentials.apiKey);
	const rendering = { redact: createRedactor(apiKey), treatment: treatment.messages };
	const shown: Render = (message) => render(message, rendering);
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

/** By workspace, the one that was asked for last at the end. */
const limiters = new Map<string, RateLimiter>();
/** A credential that is an expression may name another workspace for each item, for as long as n8n runs. */
const MOST_LIMITERS = 1_000;

/**
 * The one rate limiter of this process for a workspace: the service's limits hold for all executions and
 * polls together. Base URL and key stand for the workspace. n8n's workers are processes of their own; chance
 * keeps them from asking in step.
 */
function rateLimiterFor(baseUrl: string, apiKey: string): RateLimiter {
	const workspace = JSON.stringify([baseUrl, apiKey]);
	const limiter =
		limiters.get(workspace) ?? new RateLimiter(clock, DEFAULT_LIMITS, { random: Math.random });
	limiters.delete(workspace);
	limiters.set(workspace, limiter);
	for (const [oldest] of limiters) if (limiters.size > MOST_LIMITERS) limiters.delete(oldest);
	return limiter;
}

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
	let shown = renderUnconnected;
	try {
		if (data.hashSecret) checkedSalt(data.hashSecret);
		const service = serviceWith(checkedKey(data.apiKey));
		shown = service.render;
		if (await tellsKeyFromAnother(service.client, serviceWith('made-up').client)) {
			return { status: 'OK', message: 'The service accepts the key' };
		}
	} catch (thrown) {
		const { message, description } = explain(thrown);
		return { status: 'Error', message: shown(say`${message}. ${description}`) };
	}
	return {
		status: 'Error',
		message:
			"The address answers, but not like the service: it accepts any key. Check that Base URL is the service's address up to and including /v2.",
	};
}

const PROBLEMS: Readonly<Record<BaseUrlProblem, string>> = {
	not_http: 'It is not an http or https address.',
	holds_credentials: 'It holds a user name or a password. The key has its own field.',
	holds_query: 'It holds a query or a fragment.',
	no_version: 'It does not end in /v2.',
	plain_http: 'It uses plain http, which would show the key to everyone on the way. Use https.',
};

/**
 * The credential's address as the core wants it. Spaces around it and slashes after it are forgiven.
 *
 * @throws SettingError
 */
function checkedBaseUrl(text: unknown): string {
	const parsed = parseBaseUrl(withoutSlashes(String(text ?? '').trim()));
	if ('baseUrl' in parsed) return parsed.baseUrl;
	throw new SettingError(
		say`The credential's Base URL cannot be used`,
		say`${fixed(PROBLEMS[parsed.problem])} It looks like https://api.example.com/v2.`,
	);
}

/** Without those at its end. A regular expression would look at each slash in the middle as often as slashes follow. */
function withoutSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

/**
 * The key as the service wants it: without spaces around it, and without the "Basic " that people copy along
 * from an example. The credential's `authenticate` does the same to the request.
 *
 * @throws SettingError
 */
function checkedKey(text: unknown): string {
	const key = String(text ?? '')
		.trim()
		.replace(/^Basic\s+/i, '');
	if (key !== '') return key;
	throw new SettingError(
		say`The credential's API Key is empty`,
		say`Put the key into it. In the web panel, keys are under Settings > Organization > Access Keys.`,
	);
}
