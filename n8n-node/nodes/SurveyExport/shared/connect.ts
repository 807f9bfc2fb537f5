import {
	type BaseUrlProblem,
	type Client,
	createClient,
	createRedactor,
	DEFAULT_LIMITS,
	type ListedSurvey,
	type Log,
	listSurveys,
	type Message,
	parseBaseUrl,
	RateLimiter,
	RETRY_POLICIES,
	type RecordTreatment,
	type RetryPolicy,
	render,
	say,
	type Transport,
	withCode,
} from '@survey-export/core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
	Logger,
} from 'n8n-workflow';
import type { TextsById } from '../output/question-texts.ts';
import { keyIn } from './api-key.ts';
import { explained, type Render, renderUnconnected } from './failure.ts';
import { clock, type RequestContext, transportOf, transportOfTest } from './host.ts';
import { treatmentFrom } from './personal-data.ts';
import { settingError } from './values.ts';

/** The service by its credentials. */
export interface Connection {
	readonly client: Client;
	/** Makes text of a message, without the key, which the service may quote in any answer, and without personal data. */
	readonly render: Render;
	/** What happens to personal data in the output. */
	readonly treatment: RecordTreatment;
	/** What the service's list of surveys has shown so far. */
	readonly listed: Map<string, ListedSurvey>;
	/** The texts of questions that were asked for, by survey; and whether no more surveys are asked. */
	readonly questions: { readonly texts: Map<string, Promise<TextsById>>; areSilent: boolean };
	/** Writes to n8n's log. */
	warn(message: Message): void;
}

/** What a connection depends on, besides the node's credentials. */
interface ConnectionOptions {
	readonly retryPolicy: RetryPolicy;
	/** The parameters in the collection "Options". */
	readonly options?: Record<string, unknown>;
	/** The credentials of an item, if they can differ by item. */
	readonly credentials?: ICredentialDataDecryptedObject;
	/** How long a request may be under way. */
	readonly timeoutMs?: number;
}

/** The service as one execution or poll asks it. */
export async function connectionFor(
	context: RequestContext,
	{ retryPolicy, options = {}, credentials: own, timeoutMs }: ConnectionOptions,
): Promise<Connection> {
	const credentials =
		own ?? (await context.getCredentials<ICredentialDataDecryptedObject>('surveyExportApi'));
	const transport = transportOf(context, credentials, timeoutMs);
	return connect(credentials, retryPolicy, transport, context.logger, options);
}

/** @throws `invalid_configuration` for an address, a key or an option that cannot be used */
function connect(
	credentials: ICredentialDataDecryptedObject,
	retryPolicy: RetryPolicy,
	transport: Transport,
	logger: Logger,
	options: Record<string, unknown>,
): Connection {
	const treatment = treatmentFrom(options);
	const baseUrl = checkedBaseUrl(credentials.baseUrl);
	const apiKey = checkedKey(credentials.apiKey);
	const rendering = { redact: createRedactor(apiKey), treatment: treatment.messages };
	const shown: Render = (message) => render(message, rendering);
	const log: Log = (level, message, code) => logger[level](shown(withCode(message, code)));
	const rateLimiter = rateLimiterFor(baseUrl, apiKey);
	return {
		client: createClient({ transport, clock, log }, { baseUrl, retryPolicy, rateLimiter }),
		render: shown,
		treatment,
		listed: new Map(),
		questions: { texts: new Map(), areSilent: false },
		warn: (message) => log('warn', message),
	};
}

const limiters = new Map<string, RateLimiter>();

/**
 * The rate limiter of this process for a workspace, which base URL and key stand for: the service's limits hold for all
 * executions and polls together. n8n's workers are processes of their own; chance keeps them from asking in step.
 */
function rateLimiterFor(baseUrl: string, apiKey: string): RateLimiter {
	const workspace = JSON.stringify([baseUrl, apiKey]);
	const limiter = limiters.get(workspace) ?? new RateLimiter(clock, DEFAULT_LIMITS, Math.random);
	limiters.set(workspace, limiter);
	return limiter;
}

/**
 * Tests the credential within ten seconds, by the first page of the list of surveys. Whoever answers it as the service
 * does has read the key, and the page holds nobody's answers.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const policy = RETRY_POLICIES.credentialTest;
	let shown = renderUnconnected;
	try {
		const transport = transportOfTest(this.helpers, checkedKey(data.apiKey), policy.deadlineMs);
		const { client, render } = connect(data, policy, transport, this.logger, {});
		shown = render;
		await listSurveys(client).next();
		return { status: 'OK', message: 'The service accepts the key' };
	} catch (thrown) {
		return { status: 'Error', message: shown(explained(thrown)) };
	}
}

/**
 * The credential's address as the core wants it. Spaces around it and slashes after it are forgiven.
 * @throws `invalid_configuration`
 */
function checkedBaseUrl(text: unknown): string {
	const address = String(text ?? '').trim();
	if (address === '') throw settingError(say`The credential's Base URL is empty`, LIKE_THIS);
	const parsed = parseBaseUrl(address.replace(/\/{1,9}$/, ''));
	if ('baseUrl' in parsed) return parsed.baseUrl;
	const [facts, advice] = BASE_URL_PROBLEMS[parsed.problem];
	throw settingError(say`The credential's Base URL ${facts}`, advice);
}

const LIKE_THIS = say`Give the service's address up to and including /v2, such as https://data-api.survicate.com/v2.`;

const BASE_URL_PROBLEMS: Readonly<Record<BaseUrlProblem, readonly [facts: Message, advice: Message]>> = {
	not_http: [say`is not an https address`, LIKE_THIS],
	holds_credentials: [
		say`holds a user name or a password`,
		say`Remove what stands before the @. The key belongs in API Key.`,
	],
	holds_query: [say`holds a query or a fragment`, say`Remove the ? or # and what follows it.`],
	no_version: [say`does not end in /v2`, LIKE_THIS],
	plain_http: [
		say`begins with http, which would show the key to everyone on the way`,
		say`Write https. Plain http is accepted only for this machine and for private networks.`,
	],
};

/** @throws `invalid_configuration` without a key */
function checkedKey(field: unknown): string {
	const key = keyIn(field);
	if (key !== '') return key;
	throw settingError(
		say`The credential's API Key is empty`,
		say`Put the key into it. In the web panel, keys are under Settings > Organization > Access Keys.`,
	);
}
