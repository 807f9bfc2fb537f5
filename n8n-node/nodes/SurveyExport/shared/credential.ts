import { createHmac } from 'crypto';

import {
	type BaseUrlProblem,
	fixed,
	type Hash,
	parseBaseUrl,
	parseSalt,
	say,
	SHORTEST_SALT,
} from '@survey-export/core';
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
export function checkedKey(text: unknown): string {
	const key = String(text ?? '')
		.trim()
		.replace(/^Basic\s+/i, '');
	if (key !== '') return key;
	throw new SettingError(
		say`The credential's API Key is empty`,
		say`Put the key into it. In the web panel, keys are under Settings > Organization > Access Keys.`,
	);
}

/**
 * The salt as every adapter uses it: without the white space around it.
 *
 * @throws SettingError if there is none, or if it could be guessed
 */
export function checkedSalt(text: unknown): string {
	const { salt, isWeak } = parseSalt(typeof text === 'string' ? text : '');
	if (salt === '') {
		throw new SettingError(
			say`"Hash Personal Data" needs a salt`,
			say`Give the credential a Hash Salt of 32 random characters, or leave the data out with "Omit Personal Data".`,
		);
	}
	if (!isWeak) return salt;
	throw new SettingError(
		say`The credential's Hash Salt could be guessed`,
		say`It is shorter than ${SHORTEST_SALT} characters, or repeats a single one. Whoever guesses it and has a list of addresses finds everything that was hashed. Give it 32 random characters.`,
	);
}

/** HMAC-SHA-256 with the salt as its key, in lower-case hexadecimal: the same as the Airbyte source gives. */
export function createHash(salt: string): Hash {
	return (text) => createHmac('sha256', salt).update(text).digest('hex');
}
