import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	type ErrorCode,
	fixed,
	type Message,
	platform,
	render as renderWhole,
	say,
	SurveyExportError,
} from '@survey-export/core';
import { explain, type Explanation } from './explanation.ts';
import { SettingError } from './values.ts';

type Failure = NonNullable<NonNullable<ConstructorParameters<typeof NodeApiError>[2]>['failure']>;

/** The cause as n8n asks its nodes to name it. n8n backs off or tells the owner accordingly. */
const CAUSES: Readonly<Record<ErrorCode, Failure['cause']>> = {
	unauthorized: 'credential-invalid',
	payment_required: 'configuration-invalid',
	forbidden: 'configuration-invalid',
	not_found: 'configuration-invalid',
	rejected: 'configuration-invalid',
	redirected: 'configuration-invalid',
	invalid_configuration: 'configuration-invalid',
	rate_limited: 'rate-limited',
	not_sent: 'rate-limited',
	unavailable: 'temporarily-unavailable',
	no_answer: 'temporarily-unavailable',
	broken_answer: 'temporarily-unavailable',
	too_large: 'node-defect',
	refused_link: 'node-defect',
	stuck: 'node-defect',
	unreadable_item: 'node-defect',
	invalid_state: 'node-defect',
	defect: 'node-defect',
};

const STATUSES: Partial<Record<ErrorCode, string>> = {
	unauthorized: '401',
	payment_required: '402',
	forbidden: '403',
	not_found: '404',
	rate_limited: '429',
	unavailable: '503',
};

/** The survey or respondent that was asked for, for the sentence that says it was not found. */
export interface Subject {
	/** With its name in the editor, such as `Survey ID "1042"`. */
	readonly named: Message;
	readonly parameter: Message;
}

interface Place {
	readonly itemIndex?: number;
	/** Whether the message names the item, because there are others. */
	readonly namesItem?: boolean;
	readonly subject?: () => Subject;
	/** Makes text of a message, without the key and personal data; left out if no request was made. */
	readonly render?: ((message: Message) => string) | undefined;
}

/**
 * Anything thrown, as an error of n8n: a message that says what happened, a description that says what to
 * do, the item, and the cause. Errors of n8n's own, such as a deleted credential or an expression
 * that cannot be evaluated, keep n8n's words.
 */
export function nodeErrorOf(
	node: INode,
	thrown: unknown,
	{ itemIndex, namesItem = false, subject, render = renderWhole }: Place = {},
): NodeApiError | NodeOperationError {
	// Ours already, with the cause that n8n backs off by.
	if (thrown instanceof NodeApiError) return thrown;
	const item = itemIndex === undefined ? {} : { itemIndex };
	const named = (message: Message) =>
		render(namesItem ? say`${message} [item ${fixed(String(itemIndex))}]` : message);
	const own = errorOfN8n(thrown);
	if (own) {
		const { description } = own as { description?: unknown };
		return new NodeOperationError(node, named(say`${platform(own.message)}`), {
			...(typeof description === 'string'
				? { description: render(say`${platform(description)}`) }
				: {}),
			...item,
		});
	}
	if (thrown instanceof SettingError) {
		return new NodeOperationError(node, named(thrown.facts), {
			description: render(thrown.advice),
			...item,
		});
	}
	const error = SurveyExportError.from(thrown);
	const { message, description } =
		error.code === 'not_found' && subject ? notFound(subject()) : explain(error);
	const cause = CAUSES[error.code];
	const timed = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return new NodeApiError(node, { message: named(message) } as JsonObject, {
		message: named(message),
		description: render(description),
		...item,
		...(STATUSES[error.code] === undefined ? {} : { httpCode: STATUSES[error.code]! }),
		failure:
			timed && error.retryAfterMs !== undefined
				? { cause, retryAfterMs: error.retryAfterMs }
				: ({ cause } as Failure),
	});
}

/** The error that n8n itself gave, thrown as it is or as the cause of one of ours. */
function errorOfN8n(thrown: unknown): Error | undefined {
	if (thrown instanceof SurveyExportError) {
		const { code, cause } = thrown;
		if (cause instanceof SurveyExportError) return errorOfN8n(cause);
		return code === 'invalid_configuration' && cause instanceof Error ? cause : undefined;
	}
	const isOurs = thrown instanceof SettingError || !(thrown instanceof Error);
	return isOurs || isMistakeOfCode(thrown) ? undefined : thrown;
}

/** Errors that JavaScript throws for a mistake in the code: these are for us, not for the user. */
const isMistakeOfCode = (error: Error): boolean =>
	error instanceof TypeError ||
	error instanceof RangeError ||
	error instanceof ReferenceError ||
	error instanceof SyntaxError;

function notFound({ named, parameter }: Subject): Explanation {
	return {
		message: say`${named} was not found`,
		description: say`Check ${parameter}, that the API key belongs to the workspace it is in, and that the credential's Base URL is the service's address up to and including /v2.`,
	};
}

/** An error as one line, for the item that takes its place when the workflow goes on. */
export function inOneLine({ message, description }: NodeApiError | NodeOperationError): string {
	return description ? `${message}: ${description}` : message;
}
