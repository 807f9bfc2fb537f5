import type { INode, JsonObject } from 'n8n-workflow';
import { ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { type ErrorCode, SurveyExportError } from '@survey-export/core';
import { explain } from './explanation.ts';

type Failure = NonNullable<NonNullable<ConstructorParameters<typeof NodeApiError>[2]>['failure']>;

/** Whose move it is, as n8n asks its nodes to say: it backs off, or tells the owner, accordingly. */
const CAUSES: Readonly<Record<ErrorCode, Failure['cause']>> = {
	unauthorized: 'credential-invalid',
	payment_required: 'configuration-invalid',
	forbidden: 'configuration-invalid',
	not_found: 'configuration-invalid',
	rejected: 'configuration-invalid',
	redirected: 'configuration-invalid',
	invalid_configuration: 'configuration-invalid',
	rate_limited: 'rate-limited',
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

/** The survey or person a read was about, for the sentence that says it is not there. */
export interface Subject {
	/** With its name in the editor, such as `Survey ID "1042"`. */
	readonly named: string;
	readonly parameter: string;
}

/**
 * What was thrown as an error of n8n: a message that says what happened, a description that says what to
 * do, the item, and whose move it is. Errors of n8n's own pass through with the item added.
 */
export function nodeErrorOf(
	node: INode,
	thrown: unknown,
	at: { itemIndex?: number; subject?: () => Subject } = {},
): NodeApiError | NodeOperationError {
	if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) {
		// Wrapping one of these again would return it as it is, without the item.
		if (at.itemIndex !== undefined) thrown.context.itemIndex ??= at.itemIndex;
		return thrown;
	}
	if (thrown instanceof ExpressionError) {
		return new NodeOperationError(node, thrown, {
			...(thrown.description ? { description: thrown.description } : {}),
			...(at.itemIndex === undefined ? {} : { itemIndex: at.itemIndex }),
		});
	}
	const error = SurveyExportError.from(thrown);
	const { message, description } =
		error.code === 'not_found' && at.subject ? notThere(at.subject()) : explain(error);
	const cause = CAUSES[error.code];
	const timed = cause === 'rate-limited' || cause === 'temporarily-unavailable';
	return new NodeApiError(node, { message } as JsonObject, {
		message,
		description,
		...(at.itemIndex === undefined ? {} : { itemIndex: at.itemIndex }),
		...(STATUSES[error.code] === undefined ? {} : { httpCode: STATUSES[error.code]! }),
		failure:
			timed && error.retryAfterMs !== undefined
				? { cause, retryAfterMs: error.retryAfterMs }
				: ({ cause } as Failure),
	});
}

function notThere({ named, parameter }: Subject) {
	return {
		message: `${named} is not there`,
		description: `Check ${parameter}, that the API key belongs to the workspace it is in, and that the credential's Base URL is the service's address up to and including /v2.`,
	};
}

/** An error as one line, for the item that takes its place when the workflow goes on. */
export function inOneLine({ message, description }: NodeApiError | NodeOperationError): string {
	return description ? `${message}: ${description}` : message;
}
