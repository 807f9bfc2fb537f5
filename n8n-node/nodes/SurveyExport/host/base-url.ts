import { type BaseUrlProblem, fixed, parseBaseUrl, say } from '@survey-export/core';
import { SettingError } from '../setting-error.ts';

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
