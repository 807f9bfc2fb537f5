import type { Transport } from '@survey-export/core';

/** Shorter keys would blank words, and no service hands out any. */
const SHORTEST_KEY = 8;

/**
 * The same transport, with the key blanked in bodies that are no page of a list: messages quote the start of such a
 * body, and a service may quote the request's headers in it. Pages are the user's data and pass untouched.
 */
export function withoutQuotedKey(transport: Transport, key: string): Transport {
	if (key.length < SHORTEST_KEY) return transport;
	return async (request, signal) => {
		const answer = await transport(request, signal);
		if (answer.status === 200 && answer.body.trimStart().startsWith('{')) return answer;
		return { ...answer, body: answer.body.replaceAll(key, '****') };
	};
}
