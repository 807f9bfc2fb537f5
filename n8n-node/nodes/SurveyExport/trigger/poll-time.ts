import type { INode, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

/** The time that n8n gives a poll outside its scheduler, and only there. */
const USUAL_MS = 300_000;
/** The shares of the time in which to read, and in which to ask for attributes: what is found must still be handed over. */
const READING_SHARE = 0.8;
const ATTRIBUTES_SHARE = 0.7;
/** The share in which one respondent's attributes must come. */
const RESPONDENT_SHARE = 0.2;

/** Until when a poll does what. */
export interface PollTime {
	/** Aborted when the poll has to end. */
	readonly over: AbortSignal;
	/** Aborted when no more attributes are asked for. */
	readonly enoughAttributes: AbortSignal;
	/** How long the attributes of one respondent may take. */
	readonly perRespondentMs: number;
}

const budgetMs = (context: IPollFunctions) => context.getPollBudgetMs?.() ?? USUAL_MS;

export function pollTime(context: IPollFunctions): PollTime {
	const shareMs = (share: number) => Math.max(1_000, Math.floor(budgetMs(context) * share));
	return {
		over: AbortSignal.timeout(shareMs(READING_SHARE)),
		enoughAttributes: AbortSignal.timeout(shareMs(ATTRIBUTES_SHARE)),
		perRespondentMs: shareMs(RESPONDENT_SHARE),
	};
}

/**
 * Whether n8n's scheduler runs the poll, as it does with durable poll cursors: then an error discards what the poll
 * remembered, and each poll may run in another process. All modes have `getPollBudgetMs`.
 */
export const isScheduled = (context: IPollFunctions): boolean => budgetMs(context) !== USUAL_MS;

export function outOfTime(node: INode): NodeApiError {
	const message = 'The new responses could not be read in the time that n8n gives a poll';
	return new NodeApiError(node, { message } as JsonObject, {
		message,
		description:
			'The next poll begins where this one began. If this happens again, the service is slow: a smaller "Max Responses per Poll" needs less time.',
		failure: { cause: 'temporarily-unavailable' },
	});
}
