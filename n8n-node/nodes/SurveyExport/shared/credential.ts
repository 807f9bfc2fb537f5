import { createHmac } from 'crypto';

import { type BaseUrlProblem, fixed, type Hash, parseBaseUrl, say } from '@survey-export/core';
import { SettingError } from './values.ts';

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
export function checkedBaseUrl(text: unknown): string {
	const parsed = parseBaseUrl(
		String(text ?? '')
			.trim()
			.replace(/\/+$/, ''),
	);
	if ('baseUrl' in parsed) return parsed.baseUrl;
	throw new SettingError(
		say`The credential's Base URL cannot be used`,
		say`${fixed(PROBLEMS[parsed.problem])} It looks like https://api.example.com/v2.`,
	);
}

/**
 * The key as the service wants it: without spaces around it, and without the "Basic " that people copy along
 * from an example. The credential's `authenticate` does the same to the request.
 */
export const usableKey = (text: unknown): string =>
	String(text ?? '')
		.trim()
		.replace(/^Basic\s+/i, '');

/** HMAC-SHA-256 with the salt as its key, in lower-case hexadecimal: the same as the Airbyte source gives. */
export function createHash(salt: string): Hash {
	return (text) => createHmac('sha256', salt).update(text).digest('hex');
}
