import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	inParallel,
	respondentAttributes,
	RETRY_POLICIES,
	say,
	SurveyExportError,
} from '@survey-export/core';
import { explain, inOneLine, nodeErrorOf } from '../shared/failure.ts';
import { connectionFor } from '../shared/connect.ts';
import { PERSONAL_DATA } from '../shared/personal-data.ts';
import { optionsFor, type Read, type Run } from './reading.ts';
import { GET_MANY, type Resource } from './resources.ts';
import { boundedForTool, isTool, MOST_FOR_TOOL } from './tool-answer.ts';

/** The service answers this many requests at once. */
const WIDTH = 5;

/** The result of one incoming item. */
type Result = Read | { readonly error: string };

/**
 * Get Many for every incoming item: several at once within one limit, with the results in the items' order. An item
 * that cannot be read stops the node, or becomes an error item if the node is set to go on. That holds too when the
 * connection itself cannot be made. After an error that every request of a run would meet, such as a refused key, the
 * run's other items become the same without a request.
 */
export async function executeGetMany(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const getMany = GET_MANY[context.getNodeParameter<{ resource: Resource }>('resource', 0)];
	const inputs = context.getInputData();
	const runFor = runsOf(context);

	const readItem = async (
		_input: INodeExecutionData,
		itemIndex: number,
		signal: AbortSignal,
	): Promise<Result> => {
		const item = { context, itemIndex };
		let run: Run | undefined;
		try {
			run = await runFor(itemIndex);
			if (run.errorOfAll !== undefined) throw run.errorOfAll;
			return await getMany.read({ ...item, run, signal });
		} catch (thrown) {
			if (context.getExecutionCancelSignal()?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was cancelled', {
					itemIndex,
				});
			}
			if (thrown instanceof SurveyExportError && thrown.scope === 'run' && run) {
				run.errorOfAll ??= thrown;
			}
			const error = nodeErrorOf(context.getNode(), thrown, run?.render, {
				itemIndex,
				namesItem: inputs.length > 1,
				subject: () => getMany.subject(item),
			});
			const withAdvice = inOneLine(error);
			// n8n hands an agent the message only.
			if (isTool(context)) error.message = withAdvice;
			if (!context.continueOnFail() || signal.aborted) throw error;
			return { error: withAdvice };
		}
	};

	const results = await inParallel(inputs, WIDTH, readItem, context.getExecutionCancelSignal());
	const found = results.flatMap((result) => ('items' in result ? result.items : []));
	const finished = getMany.finish({ context, itemIndex: 0 }, found);
	let next = 0;
	const outputs = results.flatMap((result, item): INodeExecutionData[] => {
		const pairedItem = { item };
		if ('error' in result) return [{ json: { error: result.error }, pairedItem }];
		return result.items.map(() => ({ json: finished[next++] as IDataObject, pairedItem }));
	});
	if (!isTool(context)) return outputs;
	const mayHaveMore = results.some(
		(result) => 'records' in result && result.records >= MOST_FOR_TOOL,
	);
	return boundedForTool(context, outputs, mayHaveMore);
}

/**
 * One run for all items with the same credentials and the same treatment of personal data: what a run logs and quotes
 * is treated too. n8n resolves the credentials' expressions for each item.
 */
function runsOf(context: IExecuteFunctions): (itemIndex: number) => Promise<Run> {
	const runs = new Map<string, Promise<Run>>();
	return async (itemIndex) => {
		const options = optionsFor({ context, itemIndex });
		const credentials = await context.getCredentials('surveyExportApi', itemIndex);
		const key = JSON.stringify([credentials, ...PERSONAL_DATA.map(({ name }) => options[name])]);
		const run = runs.get(key) ?? startRun(context, options, credentials);
		runs.set(key, run);
		return await run;
	};
}

async function startRun(
	context: IExecuteFunctions,
	options: IDataObject,
	credentials: ICredentialDataDecryptedObject,
): Promise<Run> {
	const connection = await connectionFor(context, RETRY_POLICIES.execution, options, credentials);
	const onUnreadable = (error: SurveyExportError) => {
		const { message, description } = explain(error);
		const hint = connection.render(say`${message}. ${description}`);
		context.logger.warn(hint);
		context.addExecutionHints?.({ message: hint, type: 'warning', location: 'outputPane' });
	};
	const attributesOf = respondentAttributes(connection.client, onUnreadable);
	return { ...connection, attributesOf, onUnreadable };
}
