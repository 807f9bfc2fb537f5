import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { RETRY_POLICIES } from '@survey-export/core';
import { nodeErrorOf } from '../shared/failure.ts';
import { type Connection, connectionFor } from '../shared/connect.ts';
import { exampleResponse } from './example.ts';
import { newResponses } from './new-responses.ts';
import { unlessRunning } from './overlap.ts';
import { isScheduled, outOfTime, pollTime } from './poll-time.ts';
import { triggerSettings } from './settings.ts';

/** One poll: the oldest responses that have not started the workflow yet, oldest first, or null. */
export async function pollForResponses(
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const time = pollTime(context);
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
			return await exampleResponse(context, connection, settings, time.over);
		}
		const node = `${context.getWorkflow().id} ${context.getNode().id}`;
		return await unlessRunning(node, time.over, async () => {
			connection = await connect();
			return await newResponses(context, connection, settings, time);
		});
	} catch (thrown) {
		const node = context.getNode();
		if (time.over.aborted) {
			if (isScheduled(context) && connection?.client.counts.requests === 0) {
				context.logger.info(
					'The poll sent no request, because other requests of this n8n came first. The next poll tries again.',
				);
				return null;
			}
			throw outOfTime(node);
		}
		throw nodeErrorOf(node, thrown, { render: connection?.render });
	}
}
