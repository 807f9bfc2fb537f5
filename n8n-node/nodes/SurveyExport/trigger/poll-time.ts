import type { INode, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { Enrichment } from '@survey-export/core';
import type { Connection } from '../shared/connect.ts';

/** The time of a poll if n8n states none. */
const USUAL_MS = 300_000;
/** The share of the time in which to read: what is found must still be handed over. */
const READING_SHARE = 0.8;
/** The share in which one respondent's attributes must come. */
const RESPONDENT_SHARE = 0.2;

export interface PollTime {
	/** Aborted when the poll has to end. */
	readonly over: AbortSignal;
	/** How long the attributes of one respondent may take. */
	readonly perRespondentMs: number;
}

export function pollTime(context: IPollFunctions): PollTime {
	const budgetMs = context.getPollBudgetMs?.() ?? USUAL_MS;
	const shareMs = (share: number) => Math.max(1_000, Math.floor(budgetMs * share));
	return {
		over: AbortSignal.timeout(shareMs(READING_SHARE)),
		perRespondentMs: shareMs(RESPONDENT_SHARE),
	};
}

/** The people of a poll's responses, asked for within its time. */
export const enrichmentOf = (
	context: IPollFunctions,
	{ client, render }: Connection,
	{ over, perRespondentMs }: PollTime,
) =>
	new Enrichment(client, {
		signal: over,
		perRespondentMs,
		onUnreadable: ({ whole }) => context.logger.warn(render(whole)),
	});

/**
 * Whether n8n stores the memory and the execution together. Then it gives a poll a plain copy of the memory, and
 * otherwise an object that watches its changes (n8n-workflow, `ObservableObject`). The time of a poll tells nothing: it
 * is the same at an activation in all modes.
 */
export const hasDurableCursors = (context: IPollFunctions): boolean =>
	!('__dataChanged' in context.getWorkflowStaticData('node'));

export function outOfTime(node: INode): NodeApiError {
	const message = 'The new responses could not be read in the time that n8n gives a poll';
	return new NodeApiError(node, { message } as JsonObject, {
		message,
		description:
			'The next poll begins where this one began. If this happens again, ask the service why it is slow.',
		failure: { cause: 'temporarily-unavailable' },
	});
}
