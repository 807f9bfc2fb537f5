import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { inOneLine, nodeErrorOf } from './failure.ts';
import { type Connection, connectionFor, EXECUTION_PATIENCE } from './host/connect.ts';
import { inParallel } from './in-parallel.ts';
import { GET_MANY, type Resource } from './resources/index.ts';

/** The service answers this many requests at once. */
const WIDTH = 5;

/**
 * Get Many for every incoming item: several at once through one connection, with the results in the items'
 * order. An item that cannot be read stops the node, or becomes an error item if the node is set to go on.
 * That holds too when the connection itself cannot be made: then every item becomes one.
 */
export async function executeGetMany(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const getMany = GET_MANY[context.getNodeParameter('resource', 0) as Resource];
	const items = context.getInputData();
	let connecting: Promise<Connection> | undefined;

	const readItem = async (
		_item: INodeExecutionData,
		itemIndex: number,
		signal: AbortSignal,
	): Promise<INodeExecutionData[]> => {
		const pairedItem = { item: itemIndex };
		try {
			connecting ??= connectionFor(context, EXECUTION_PATIENCE);
			const { client } = await connecting;
			const records = await getMany.read(context, itemIndex, client, signal);
			return records.map((json) => ({ json, pairedItem }));
		} catch (thrown) {
			if (context.getExecutionCancelSignal()?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was cancelled', {
					itemIndex,
				});
			}
			const error = nodeErrorOf(context.getNode(), thrown, {
				itemIndex,
				namesItem: items.length > 1,
				subject: () => getMany.subject(context, itemIndex),
			});
			if (!context.continueOnFail() || signal.aborted) throw error;
			return [{ json: { error: inOneLine(error) }, pairedItem }];
		}
	};

	const outputs = await inParallel(items, WIDTH, readItem, context.getExecutionCancelSignal());
	return outputs.flat();
}
