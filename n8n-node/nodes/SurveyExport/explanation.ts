import type { ErrorCode, SurveyExportError } from '@survey-export/core';

/** An error for a person in front of the editor: what happened, and what to do. */
export interface Explanation {
	readonly message: string;
	readonly description: string;
}

const KEY_PAGE = 'In the web panel, keys are under Settings > Organization > Access Keys.';

type Words = readonly [message: string, description: string, more?: 'details' | 'answer'];

/**
 * Every code of the core. `details` adds the core's own facts, where it knows more, and `answer` adds the
 * service's answer.
 */
const WORDS: Readonly<Record<ErrorCode, Words>> = {
	unauthorized: [
		'The service does not accept the API key',
		`Copy the key again and put it into the credential. ${KEY_PAGE}`,
	],
	payment_required: [
		"The account's plan does not include API access",
		'Ask the owner of the account to choose a plan with API access.',
	],
	forbidden: [
		'The service refuses access with this API key',
		`Check that the account's plan includes API access, and that the key belongs to the right workspace. ${KEY_PAGE}`,
	],
	not_found: [
		'The service found nothing at this address',
		"Check the ID, and that the credential's Base URL is the service's address up to and including /v2.",
	],
	rejected: [
		'The service did not accept the request',
		'Check the ID, the times and the attribute names.',
		'answer',
	],
	rate_limited: [
		"The workspace's rate limit is reached",
		'The service allows 1000 requests a minute and 5 at once for the whole workspace. Run the workflow again later, or run fewer workflows with this account at the same time.',
	],
	not_sent: [
		"This n8n's own requests use up the workspace's rate limit",
		'The request was not sent. Try again in a minute.',
	],
	unavailable: [
		'The service is not available',
		'Run the workflow again later. If this happens again, ask the service.',
		'answer',
	],
	no_answer: [
		'Could not connect to the service',
		"Check that the credential's Base URL is right and can be reached from n8n.",
		'details',
	],
	redirected: [
		'The service answered with a redirect',
		"It was not followed, because the API key would be sent along. Set the credential's Base URL to the service's real address, up to and including /v2.",
	],
	broken_answer: [
		"The service's answer cannot be used",
		"Check that the credential's Base URL is the service's address up to and including /v2.",
		'details',
	],
	too_large: [
		"The service's answer is too large",
		'It is longer than 16 MB and was not read. Please report this.',
	],
	refused_link: [
		'The service sent a link that was not followed',
		'Following it could hand the API key to somebody else.',
		'details',
	],
	stuck: ['The list does not go on', 'Please report this to the service.', 'details'],
	unreadable_item: [
		'The service sent something that cannot be read',
		'It is left out. Please report this to the service.',
		'details',
	],
	invalid_configuration: ['A setting cannot be used', '', 'details'],
	invalid_state: ["The trigger's memory cannot be read", '', 'details'],
	defect: [
		'Something unexpected happened in this node',
		'Please report it with these details.',
		'details',
	],
};

/** The error in words of the editor: its settings have names there that the core does not know. */
export function explain(error: SurveyExportError): Explanation {
	const [message, advice, more] = WORDS[error.code];
	const added = more === 'details' ? error.facts : more === 'answer' ? answerOf(error) : '';
	return { message, description: [advice, added].filter(Boolean).join(' ') };
}

function answerOf({ status, bodyExcerpt }: SurveyExportError): string {
	if (status === undefined) return '';
	return `The service answered with status ${status}${bodyExcerpt ? `: ${bodyExcerpt}` : ''}.`;
}
