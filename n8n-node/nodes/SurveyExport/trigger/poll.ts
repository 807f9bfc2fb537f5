import type { INode, INodeExecutionData, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { RETRY_POLICIES } from '@survey-export/core';
import { nodeErrorOf } from '../failure.ts';
import { type Connection, connectionFor } from '../host/connect.ts';
import { exampleResponse } from './example.ts';
import { newResponses } from './new-responses.ts';
import { unlessRunning } from './overlap.ts';
import { triggerSettings } from './settings.ts';

/** The time that n8n gives a poll where it does not say. */
const USUAL_BUDGET_MS = 300_000;
/** The share of that time to read in: the responses must still be handed over. */
const BUDGET_SHARE = 0.8;

/** One poll: the oldest responses that have not started the workflow yet, oldest first, or null. */
export async function pollForResponses(
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const budgetMs = context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
	const signal = AbortSignal.timeout(Math.max(1_000, budgetMs * BUDGET_SHARE));
	let connection: Connection | undefined;
	const connect = () =>
		connectionFor(
			context,
			RETRY_POLICIES.poll,
			context.getNodeParameter('options', {}) as Record<string, unknown>,
		);
	try {
		const settings = triggerSettings(context);
		if (context.getMode() === 'manual') {
			connection = await connect();
			return await exampleResponse(context, connection, settings, signal);
		}
		const node = `${context.getWorkflow().id} ${context.getNode().id}`;
		return await unlessRunning(node, signal, async () => {
			connection = await connect();
			return await newResponses(context, connection, settings, signal);
		});
	} catch (thrown) {
		const node = context.getNode();
		throw signal.aborted
			? outOfTime(node)
			: nodeErrorOf(node, thrown, { redact: connection?.redact });
	}
}

function outOfTime(node: INode): NodeApiError {
	const message = 'The new responses could not be read in the time that n8n gives a poll';
	return new NodeApiError(node, { message } as JsonObject, {
		message,
		description:
			'The next poll begins where this one began. If this happens again, the service is slow: a smaller "Max Responses per Poll" needs less time.',
		failure: { cause: 'temporarily-unavailable' },
	});
}
