import {
	type ErrorCode,
	fixed,
	joined,
	type Message,
	NOTHING_TO_SAY,
	say,
	type SurveyExportError,
} from '@survey-export/core';

/** An error for a person in front of the editor: what happened, and what to do. */
export interface Explanation {
	readonly message: Message;
	readonly description: Message;
}

export const KEY_PAGE = say`In the web panel, keys are under Settings > Organization > Access Keys.`;

type Words = readonly [message: Message, description: Message, more?: 'details' | 'answer'];

/**
 * Every code of the core. `details` adds the core's own facts, where it knows more, and `answer` adds the
 * service's answer.
 */
const WORDS: Readonly<Record<ErrorCode, Words>> = {
	unauthorized: [
		say`The service does not accept the API key`,
		say`Copy the key again and put it into the credential. ${KEY_PAGE}`,
	],
	payment_required: [
		say`The account's plan does not include API access`,
		say`Ask the owner of the account to choose a plan with API access.`,
	],
	forbidden: [
		say`The service refuses access with this API key`,
		say`Check that the account's plan includes API access, and that the key belongs to the right workspace. ${KEY_PAGE}`,
	],
	not_found: [
		say`The service found nothing at this address`,
		say`Check the ID, and that the credential's Base URL is the service's address up to and including /v2.`,
	],
	rejected: [
		say`The service did not accept the request`,
		say`Check the ID, the times and the attribute names.`,
		'answer',
	],
	rate_limited: [
		say`The workspace's rate limit is reached`,
		say`The service allows 1000 requests a minute and 5 at once for the whole workspace. Run the workflow again later, or run fewer workflows with this account at the same time.`,
	],
	not_sent: [
		say`This n8n's own requests use up the workspace's rate limit`,
		say`The request was not sent. Try again in a minute.`,
	],
	unavailable: [
		say`The service is not available`,
		say`Run the workflow again later. If this happens again, ask the service.`,
		'answer',
	],
	no_answer: [
		say`Could not connect to the service`,
		say`Check that the credential's Base URL is right and can be reached from n8n.`,
		'details',
	],
	redirected: [
		say`The service answered with a redirect`,
		say`It was not followed, because the API key would be sent along. Set the credential's Base URL to the service's real address, up to and including /v2.`,
	],
	broken_answer: [
		say`The service's answer cannot be used`,
		say`Check that the credential's Base URL is the service's address up to and including /v2.`,
		'details',
	],
	too_large: [
		say`The service's answer is too large`,
		say`It is longer than 16 MB and was not read. Please report this.`,
	],
	refused_link: [
		say`The service sent a link that was not followed`,
		say`Following it could hand the API key to somebody else.`,
		'details',
	],
	stuck: [say`The list does not go on`, say`Please report this to the service.`, 'details'],
	unreadable_item: [
		say`The service sent something that cannot be read`,
		say`It is left out. Please report this to the service.`,
		'details',
	],
	invalid_configuration: [say`A setting cannot be used`, NOTHING_TO_SAY, 'details'],
	invalid_state: [say`The trigger's memory cannot be read`, NOTHING_TO_SAY, 'details'],
	defect: [
		say`Something unexpected happened in this node`,
		say`Please report it with these details.`,
		'details',
	],
};

/**
 * The error in words of the editor: its settings have names there that the core does not know. A connection that no
 * waiting mends is explained by the core, which knows what is wrong with it.
 */
export function explain(error: SurveyExportError): Explanation {
	const [message, advice, more] = WORDS[error.code];
	if (error.code === 'no_answer' && error.kind === 'config')
		return { message, description: error.whole };
	const added =
		more === 'details' ? error.facts : more === 'answer' ? answerOf(error) : NOTHING_TO_SAY;
	return { message, description: joined([advice, added]) };
}

function answerOf({ status, answer }: SurveyExportError): Message {
	if (status === undefined) return NOTHING_TO_SAY;
	const said = answer === undefined ? NOTHING_TO_SAY : say`: ${answer}`;
	return say`The service answered with status ${fixed(String(status))}${said}.`;
}
