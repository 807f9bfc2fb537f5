import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Service } from '@survey-export/core';
import { inOneLine, nodeErrorOf } from './failure.ts';
import { EXECUTION_PATIENCE, serviceFor } from './host/connect.ts';
import { inParallel } from './in-parallel.ts';
import { GET_MANY, type Resource } from './resources/index.ts';

/** As many items as the service answers requests at once. */
const WIDTH = 5;

/**
 * Get Many for every incoming item: several at once, all through one service, and the results in the
 * items' order. An item that cannot be read stops the rest, or becomes an error item if the node is set
 * to go on.
 */
export async function executeGetMany(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const getMany = GET_MANY[context.getNodeParameter('resource', 0) as Resource];
	const service = await connected(context);
	const items = context.getInputData();

	const readItem = async (
		_item: INodeExecutionData,
		itemIndex: number,
		signal: AbortSignal,
	): Promise<INodeExecutionData[]> => {
		const pairedItem = { item: itemIndex };
		try {
			const records = await getMany.read(context, itemIndex, service, signal);
			return records.map((json) => ({ json, pairedItem }));
		} catch (thrown) {
			if (context.getExecutionCancelSignal()?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was cancelled', {
					itemIndex,
				});
			}
			const error = nodeErrorOf(context.getNode(), thrown, {
				itemIndex,
				subject: () => getMany.subject(context, itemIndex),
			});
			if (items.length > 1) error.message += ` [item ${itemIndex}]`;
			if (!context.continueOnFail() || signal.aborted) throw error;
			return [{ json: { error: inOneLine(error) }, pairedItem }];
		}
	};

	const outputs = await inParallel(items, WIDTH, readItem, context.getExecutionCancelSignal());
	return outputs.flat();
}

async function connected(context: IExecuteFunctions): Promise<Service> {
	try {
		return await serviceFor(context, EXECUTION_PATIENCE);
	} catch (thrown) {
		throw nodeErrorOf(context.getNode(), thrown);
	}
}
