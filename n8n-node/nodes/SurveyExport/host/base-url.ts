import { type BaseUrlProblem, parseBaseUrl, SurveyExportError } from '@survey-export/core';

const REASONS: Readonly<Record<BaseUrlProblem, string>> = {
	not_http: 'it is not an http or https address',
	holds_credentials: 'it holds a user name or a password; the key has its own field',
	holds_query: 'it holds a query or a fragment',
	no_version: 'it does not end in /v2',
	plain_http: 'it uses plain http, which would show the key to everyone on the way; use https',
};

/**
 * The credential's address as the core wants it. Blanks around it and slashes behind it are forgiven.
 *
 * @throws SurveyExportError `invalid_configuration`
 */
export function checkedBaseUrl(text: unknown): string {
	const parsed = parseBaseUrl(
		String(text ?? '')
			.trim()
			.replace(/\/+$/, ''),
	);
	if ('baseUrl' in parsed) return parsed.baseUrl;
	throw new SurveyExportError(
		'config',
		'invalid_configuration',
		`The credential's Base URL cannot be used: ${REASONS[parsed.problem]}. It looks like https://api.example.com/v2.`,
	);
}
