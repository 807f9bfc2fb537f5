import {
	type Arriving,
	type Clock,
	ConnectionFault,
	connectionFaultOf,
	platform,
	SurveyExportError,
	say,
	type Transport,
	whenComplete,
} from '@survey-export/core';
import {
	type ICredentialDataDecryptedObject,
	type ICredentialTestFunctions,
	type IExecuteFunctions,
	type ILoadOptionsFunctions,
	type IPollFunctions,
	sleep,
} from 'n8n-workflow';

/** What n8n gives a node that may send requests: in an execution, in the editor or in a poll. */
export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

const SLICE_MS = 100;

/** The core's clock. n8n's scanner allows only n8n's `sleep`, which cannot end early. So a wait is many short ones. */
export const clock: Clock = {
	now: () => Date.now(),
	monotonicMs: () => performance.now(),
	async sleep(ms, signal) {
		const untilMs = performance.now() + ms;
		for (let leftMs = ms; leftMs > 0; leftMs = untilMs - performance.now()) {
			signal?.throwIfAborted();
			await sleep(Math.min(leftMs, SLICE_MS));
		}
		signal?.throwIfAborted();
	},
};

/** How long one request may take from its first byte to its last, unless a poll has less time. */
export const REQUEST_TIMEOUT_MS = 60_000;

/**
 * Sends the core's requests through n8n's own helper. So the credential signs them, and the proxy and network
 * rules of the instance hold. The core judges statuses. Redirects are not followed, so the key goes to the
 * requested address only.
 */
export function transportOf(
	context: RequestContext,
	credentials: ICredentialDataDecryptedObject,
	timeoutMs = REQUEST_TIMEOUT_MS,
): Transport {
	// Else n8n would sign each request with the credentials of the first item.
	const signing = { credentialsDecrypted: { id: '', name: '', type: 'surveyExportApi', data: credentials } };
	return transportBy(timeoutMs, async (url, ended): Promise<Arriving> => {
		// n8n replaces the signal of a request by that of the execution. The core also ends requests that it no longer needs.
		const endedBySignal = Object.create(context, { getExecutionCancelSignal: { value: () => ended } });
		const request = {
			method: 'GET' as const,
			url,
			headers: { Accept: 'application/json' },
			encoding: 'stream' as const,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			sendCredentialsOnCrossOriginRedirect: false,
			timeout: timeoutMs,
			abortSignal: ended,
		};
		const { httpRequestWithAuthentication: send } = context.helpers;
		return await send.call(endedBySignal, 'surveyExportApi', request, signing);
	});
}

/** The same for the credential's test, where n8n offers only an old helper, which signs nothing. */
export function transportOfTest(
	{ request }: ICredentialTestFunctions['helpers'],
	key: string,
	timeoutMs: number,
): Transport {
	const options = {
		method: 'GET',
		headers: { authorization: `Basic ${key}`, accept: 'application/json' },
		useStream: true,
		resolveWithFullResponse: true,
		simple: false,
		followRedirect: false,
		sendCredentialsOnCrossOriginRedirect: false,
		timeout: timeoutMs,
	};
	return transportBy(timeoutMs, (uri, ended): Promise<Arriving> => {
		// The helper takes no signal.
		const end = new Promise<never>((_, reject) => {
			ended.addEventListener('abort', () => reject(ended.reason));
		});
		return Promise.race([request({ ...options, uri }), end]);
	});
}

function transportBy(
	timeoutMs: number,
	send: (url: string, ended: AbortSignal) => Promise<Arriving>,
): Transport {
	return async ({ url }, signal) => {
		const timeout = AbortSignal.timeout(timeoutMs);
		const ended = signal ? AbortSignal.any([signal, timeout]) : timeout;
		try {
			return await whenComplete(await send(url, ended), ended);
		} catch (thrown) {
			signal?.throwIfAborted();
			throw noCompleteResponse(thrown, timeout.aborted ? timeoutMs : undefined);
		}
	};
}

/**
 * Why no complete answer came, in the core's words. The core tries again after any of these, except after a
 * `SurveyExportError`. A message of n8n's HTTP client or of OpenSSL is passed on, for the core to quote.
 */
function noCompleteResponse(thrown: unknown, timeoutMs: number | undefined): unknown {
	if (timeoutMs !== undefined)
		return new ConnectionFault(say`no complete response within ${timeoutMs / 1_000} s`);
	if (!(thrown instanceof Error) || thrown instanceof SurveyExportError) return thrown;
	const error = thrown.cause instanceof Error ? thrown.cause : thrown;
	const code = codeOf(error) ?? codeOf(error.cause);
	if (code !== undefined) return connectionFaultOf([code], error) ?? error;
	if (error.name === 'AxiosError') return error;
	// Nothing was sent: n8n could not find or read the credential, or its rules forbid the address.
	const facts = say`${platform(error.message)}`;
	return new SurveyExportError('config', 'invalid_configuration', facts, { cause: error });
}

const codeOf = (error: unknown): string | undefined =>
	error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
