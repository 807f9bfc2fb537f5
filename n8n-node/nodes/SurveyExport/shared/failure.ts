import {
	type ErrorCode,
	fixed,
	given,
	joined,
	Message,
	NOTHING_TO_SAY,
	type Part,
	platform,
	render,
	SERVICE_LIMITS,
	SurveyExportError,
	say,
} from '@survey-export/core';
import type { Failure, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { WHERE_IDS_ARE } from './values.ts';

/** An error for its reader: what happened, and what to do. */
type Explanation = Pick<SurveyExportError, 'facts' | 'advice'>;
type Words = readonly [facts: Message, advice?: Message];

const CHECK = say`Check that the credential's Base URL is the service's address up to and including /v2.`;
/** In place of this for a trigger that has worked: an outage is no sign of a wrong address. */
const TRY_AGAIN = say`The next poll tries again. If this happens again, ask the service.`;
const MAY_BE_DELETED = say`The survey may have been deleted: then remove it from this node. If it still exists, check that the API key belongs to its workspace.`;
const REPORT = say`Please report this to the service.`;

/**
 * Every code of the core, except that of our own settings: what happened, and what to do in words of the editor, since
 * the core's advice names settings of the other adapter. Without advice here, the core's own serves. `check`: what to do
 * about an address that may be wrong.
 */
const wordsBy = (check: Message): Readonly<Record<Exclude<ErrorCode, 'invalid_configuration'>, Words>> => ({
	unauthorized: [say`The service does not accept the API key`],
	forbidden: [say`The service refuses access with this API key`],
	not_found: [
		say`The service found nothing at this address`,
		say`Check the ID, and that the API key belongs to the workspace it is in. ${WHERE_IDS_ARE} ${check}`,
	],
	surveys_not_listed: [
		say`The service has no list of surveys at this address`,
		say`${check} If the service does not list its surveys, give them by their IDs.`,
	],
	other_workspace: [
		say`The service lists none of the surveys that were read before`,
		say`Check that the credential's API key is of the workspace that was read before.`,
	],
	rejected: [
		say`The service did not accept the request`,
		say`Check the ID, the times and the attribute names.`,
	],
	rate_limited: [
		say`The workspace's rate limit is reached`,
		say`The service allows ${SERVICE_LIMITS.requestsPerMinute} requests a minute and ${SERVICE_LIMITS.maxConcurrentRequests} at once for the whole workspace. Run the workflow again later, or run fewer workflows with this account at the same time.`,
	],
	unavailable: [
		say`The service is not available`,
		say`Run the workflow again later. If this happens again, ask the service.`,
	],
	no_answer: [say`The service did not answer`, check],
	redirected: [say`The Base URL leads to another address`, check],
	broken_answer: [say`The service's answer cannot be used`, check],
	too_large: [say`The service's answer is too large`, REPORT],
	refused_link: [say`The service sent a link that was not followed`, check],
	unreadable_item: [say`The service sent something that cannot be read`, say`It is omitted. ${REPORT}`],
	invalid_state: [
		say`The trigger's memory cannot be read`,
		say`To start over, delete the node and add it again under another name. Responses that exist by then do not start the workflow.`,
	],
	defect: [say`Something unexpected happened in this node`, say`Please report it with these details.`],
});

/** Anything thrown, in words of the editor. The core itself explains a connection that no waiting helps. */
export function explain(thrown: unknown, hasWorked = false): Explanation {
	const error = SurveyExportError.from(thrown);
	if (error.code === 'invalid_configuration') return error;
	if (error.code === 'no_answer' && error.kind === 'config')
		return { facts: say`Could not connect to the service`, advice: error.whole };
	const [facts, advice = error.advice] = wordsBy(hasWorked ? TRY_AGAIN : CHECK)[error.code];
	return { facts, advice: joined([advice, beyond(facts, error)]) };
}

/** The same in one text. */
export function explained(thrown: unknown): Message {
	const { facts, advice } = explain(thrown);
	return say`${facts}. ${advice}`;
}

/** A survey in a message: by its name, if that is known, and its ID. */
export const surveyPart = (surveyId: string, name?: string | null): Part =>
	given(name ? `${name} (${surveyId})` : surveyId);

/** What the facts say beyond the message. */
function beyond(message: Message, { code, facts }: SurveyExportError): Message {
	if (code === 'not_found' || code === 'surveys_not_listed') return NOTHING_TO_SAY;
	const [first, ...others] = facts.parts;
	const isRepeated = first !== undefined && first.text === message.parts[0]?.text;
	return isRepeated ? say`The service refused the request${new Message(others)}` : facts;
}

interface Place {
	readonly itemIndex?: number;
	/** Whether the message names the item, because there are others. */
	readonly namesItem?: boolean;
	/** The survey or respondent that was asked for. An error that is not of all requests names it. */
	readonly subject?: () => Message;
	/** Whether it is a trigger that has worked. */
	readonly hasWorked?: boolean;
	/** Whether the survey was there once: it was chosen from the list, or read before. */
	readonly wasThere?: () => boolean;
}

/** Makes text of a message, without the key and personal data. */
export type Render = (message: Message) => string;

/** Before there is a connection, which knows the key: quotes nothing from outside, and names nobody. */
export const renderUnconnected: Render = (message) =>
	render(message, { treatment: { respondentId: () => undefined } });

/** An error as n8n shows it. */
export type NodeError = NodeApiError | NodeOperationError;

/**
 * Anything thrown, as an error of n8n: a message that says what happened, a description that says what to do, the item,
 * and the cause. Errors of n8n's own, such as a deleted credential, keep n8n's words.
 */
export function nodeErrorOf(
	node: INode,
	thrown: unknown,
	shown: Render = renderUnconnected,
	{ itemIndex, namesItem = false, subject, hasWorked, wasThere }: Place = {},
): NodeError {
	// Ours already, with the cause that n8n backs off by.
	if (thrown instanceof NodeApiError) return thrown;
	const own = errorOfN8n(thrown);
	const error = SurveyExportError.from(thrown);
	const said = own ? wordsOf(own) : explain(error, hasWorked);
	const isSetting = own !== undefined || error.code === 'invalid_configuration';
	const isNamed = subject !== undefined && !isSetting && isOfOneList(error);
	const end = error.code === 'not_found' ? say` was not found` : say`: ${said.facts}`;
	const happened = isNamed ? say`${subject()}${end}` : said.facts;
	const place = namesItem ? say` [item ${fixed(String(itemIndex))}]` : NOTHING_TO_SAY;
	const message = shown(say`${happened}${place}`);
	const isDeleted = error.code === 'not_found' && wasThere?.() === true;
	const description = shown(isDeleted ? MAY_BE_DELETED : said.advice);
	const item = itemIndex === undefined ? {} : { itemIndex };
	if (isSetting) return new NodeOperationError(node, message, { description, ...item });
	const httpCode = error.status === undefined ? {} : { httpCode: String(error.status) };
	const failure = failureOf(error);
	return new NodeApiError(node, { message }, { message, description, ...item, ...httpCode, failure });
}

/**
 * Whether only the list that was asked for failed, so that an error names it. If no answer came, others may not be
 * answered either, and a setting is wrong for all of them.
 */
export const isOfOneList = ({ scope, code }: SurveyExportError): boolean =>
	scope === 'list' && code !== 'no_answer' && code !== 'invalid_configuration';

/** The cause as n8n asks its nodes to name it. n8n backs off or informs the owner accordingly. */
function failureOf({ code, kind, retryAfterMs }: SurveyExportError): Failure {
	if (code === 'unauthorized') return { cause: 'credential-invalid' };
	if (kind === 'config') return { cause: 'configuration-invalid' };
	if (kind === 'system' && code !== 'broken_answer') return { cause: 'node-defect' };
	const cause = code === 'rate_limited' ? 'rate-limited' : 'temporarily-unavailable';
	return retryAfterMs === undefined ? { cause } : { cause, retryAfterMs };
}

/** An error of n8n's, in its own words. */
export const wordsOf = ({ message, description }: Error & { description?: unknown }): Explanation => ({
	facts: say`${platform(message)}`,
	advice: typeof description === 'string' ? say`${platform(description)}` : NOTHING_TO_SAY,
});

/** The error that n8n itself gave, thrown as it is or as the cause of one of ours. */
function errorOfN8n(thrown: unknown): Error | undefined {
	if (thrown instanceof SurveyExportError) {
		const { code, cause } = thrown;
		if (cause instanceof SurveyExportError) return errorOfN8n(cause);
		return code === 'invalid_configuration' && cause instanceof Error ? cause : undefined;
	}
	return thrown instanceof Error && !isMistakeOfCode(thrown) ? thrown : undefined;
}

/** Errors that JavaScript throws for a mistake in the code: these are for us, not for the user. */
const isMistakeOfCode = (error: Error): boolean =>
	[TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind);

/** An error as one line, for the item that takes its place when the workflow goes on. */
export const inOneLine = ({ message, description }: NodeError): string =>
	description ? `${message}: ${description}` : message;
