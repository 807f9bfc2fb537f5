import { inParallel, SurveyExportError } from '@survey-export/core';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { inOneLine, nodeErrorOf } from '../shared/failure.ts';
import { type IncomingItem, incomingItem } from './incoming-item.ts';
import { finish, getMany, isFromList, subjectOf } from './resources.ts';
import { type GetManyResult, type Run, runsOf } from './run.ts';
import { boundedForTool, isTool, MOST_FOR_TOOL } from './tool-answer.ts';

/** The result of one incoming item. */
type Result = GetManyResult | { readonly error: string };

/**
 * Get Many for every incoming item: several at once within one limit, with the results in the items' order. An item
 * that fails stops the node, also if the connection itself cannot be made. If the node is set to go on, the item gets the
 * error next to its own fields. After an error that every request of a run would meet, its other items fail without a
 * request.
 */
export async function executeGetMany(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const runFor = runsOf(context);
	const resultOf = (_: unknown, index: number, signal: AbortSignal) =>
		resultFor(incomingItem(context, index), runFor(index), signal);
	const results = await inParallel(context.getInputData(), resultOf, context.getExecutionCancelSignal());
	const found = results.filter((result) => 'items' in result);
	const items = finish(context, found).values();
	// n8n itself adds the input to an item of the error output, and knows it by having nothing but its error.
	const hasErrorOutput = context.getNode().onError === 'continueErrorOutput';
	const input = hasErrorOutput ? [] : context.getInputData();
	const outputs = results.flatMap((result, item): INodeExecutionData[] => {
		const pairedItem = { item };
		if ('error' in result) return [{ json: { ...input[item]?.json, error: result.error }, pairedItem }];
		return result.items.map(() => ({ json: items.next().value as IDataObject, pairedItem }));
	});
	if (!isTool(context)) return outputs;
	const mayHaveMore = results.some((result) => 'records' in result && result.records >= MOST_FOR_TOOL);
	return boundedForTool(outputs, mayHaveMore);
}

/** The records for an item, or the message of its error item. @throws the error that stops the node */
async function resultFor(item: IncomingItem, started: Promise<Run>, signal: AbortSignal): Promise<Result> {
	const { context, itemIndex } = item;
	let run: Run | undefined;
	try {
		run = await started;
		if (run.errorOfAll !== undefined) throw run.errorOfAll;
		return await getMany({ ...item, run, signal });
	} catch (thrown) {
		if (context.getExecutionCancelSignal()?.aborted) {
			throw new NodeOperationError(context.getNode(), 'The execution was cancelled', { itemIndex });
		}
		if (run && thrown instanceof SurveyExportError && thrown.scope === 'run') run.errorOfAll ??= thrown;
		const error = nodeErrorOf(context.getNode(), thrown, run?.render, {
			itemIndex,
			namesItem: context.getInputData().length > 1,
			subject: () => subjectOf(item, run),
			wasThere: () => isFromList(item),
		});
		const withAdvice = inOneLine(error);
		// n8n hands an agent the message only.
		if (isTool(context)) error.message = withAdvice;
		if (!context.continueOnFail()) throw error;
		return { error: withAdvice };
	}
}
