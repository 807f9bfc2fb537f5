import type {
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IN8nHttpFullResponse,
	INode,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	ConnectionFault,
	connectionFaultOf,
	platform,
	say,
	SurveyExportError,
	type Transport,
} from '@survey-export/core';

/** How long one request may take from its first byte to its last. */
export const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Sends the core's requests through n8n's own helper. So the credential signs them, and the proxy and network
 * rules of the instance hold. The core judges statuses. Redirects are not followed, so the key goes to the
 * requested address only.
 */
export function transportOf(
	context: IExecuteFunctions | IPollFunctions | ILoadOptionsFunctions,
	timeoutMs = REQUEST_TIMEOUT_MS,
): Transport {
	return async ({ url }, signal) => {
		const timeout = AbortSignal.timeout(timeoutMs);
		const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
		try {
			const answer = (await context.helpers.httpRequestWithAuthentication.call(
				endedBy(context, ended),
				'surveyExportApi',
				{
					method: 'GET',
					url,
					headers: { Accept: 'application/json' },
					encoding: 'stream',
					returnFullResponse: true,
					ignoreHttpStatusErrors: true,
					disableFollowRedirect: true,
					sendCredentialsOnCrossOriginRedirect: false,
					timeout: timeoutMs,
					abortSignal: ended,
				},
			)) as IN8nHttpFullResponse;
			return {
				status: answer.statusCode,
				headers: inLowerCase(answer.headers),
				body: await wholeBody(answer.body as Arriving, ended),
			};
		} catch (thrown) {
			signal?.throwIfAborted();
			throw noCompleteResponse(context.getNode(), thrown, timeout.aborted ? timeoutMs : undefined);
		}
	};
}

/**
 * The same context, whose requests end with `signal`. n8n replaces the signal of a request by that of the
 * execution, but the core also ends requests that it no longer needs, for example after "Limit" items.
 */
function endedBy<Context extends object>(context: Context, signal: AbortSignal): Context {
	return Object.create(context, { getExecutionCancelSignal: { value: () => signal } }) as Context;
}

function inLowerCase(headers: object): Record<string, string | undefined> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [
			name.toLowerCase(),
			Array.isArray(value) ? value.join(', ') : value === undefined ? undefined : String(value),
		]),
	);
}

/**
 * Why no complete answer came. The core tries again after any of these, except after a `SurveyExportError`.
 */
function noCompleteResponse(node: INode, thrown: unknown, timeoutMs: number | undefined): Error {
	if (thrown instanceof BodyTooLong) {
		return new SurveyExportError('system', 'too_large', say`The answer is longer than 16 MB.`);
	}
	if (timeoutMs !== undefined)
		return new ConnectionFault(say`no complete response within ${timeoutMs / 1_000} s`);
	const error = asError(thrown);
	const cause = error.cause instanceof Error ? error.cause : error;
	const fault = networkFault(cause);
	if (fault !== undefined) return fault;
	// Nothing was sent: n8n could not find or read the credential, or its rules forbid the address.
	const own =
		error instanceof NodeOperationError ? error : new NodeOperationError(node, cause.message);
	return new SurveyExportError('config', 'invalid_configuration', say`${platform(own.message)}`, {
		cause: own,
	});
}

const asError = (thrown: unknown): Error =>
	thrown instanceof Error ? thrown : new Error(String(thrown));

/**
 * Why no complete answer came, in the core's words. Undefined for an error that is not one of the network. A message of
 * n8n's HTTP client or of OpenSSL is passed on, for the core to quote.
 */
export function networkFault(error: Error): Error | undefined {
	const code = [error, error.cause]
		.map((one) => (one as { code?: unknown } | undefined)?.code)
		.find((one) => typeof one === 'string');
	if (code === undefined) return error.name === 'AxiosError' ? error : undefined;
	return connectionFaultOf([code], error) ?? error;
}

/** Unpacked. A page of a hundred responses is far smaller, and an n8n has other work to do beside ours. */
const LONGEST_BODY_BYTES = 16 * 1024 * 1024;

/** A response's body as it arrives: n8n's helper hands out a stream of Node, of which this is enough. */
export interface Arriving extends AsyncIterable<Uint8Array> {
	destroy(reason?: Error): void;
}

/**
 * The whole body as text. Rejects when it ends too early, is longer than 16 MB, or `signal` is aborted
 * meanwhile: the time limit of n8n's helper ends with the headers, and a body may never end.
 */
export async function wholeBody(body: Arriving, signal: AbortSignal): Promise<string> {
	const stop = () => body.destroy(new Error('The answer was not awaited any longer'));
	if (signal.aborted) stop();
	signal.addEventListener('abort', stop, { once: true });
	try {
		const decoder = new TextDecoder();
		let text = '';
		let bytes = 0;
		for await (const chunk of body) {
			bytes += chunk.byteLength;
			if (bytes > LONGEST_BODY_BYTES) throw new BodyTooLong();
			text += decoder.decode(chunk, { stream: true });
		}
		signal.throwIfAborted();
		return text + decoder.decode();
	} finally {
		signal.removeEventListener('abort', stop);
		body.destroy();
	}
}

/** The body was refused for its length. */
export class BodyTooLong extends Error {
	constructor() {
		super('The answer is longer than 16 MB');
	}
}
