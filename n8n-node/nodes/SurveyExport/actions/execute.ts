import { fixed, inParallel, listed, RETRY_POLICIES, SurveyExportError, say } from '@survey-export/core';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { connectionFor } from '../shared/connect.ts';
import { explain, inOneLine, nodeErrorOf, renderUnconnected } from '../shared/failure.ts';
import { attributesReader } from '../shared/respondent-attributes.ts';
import { optionsFor, type Read, type Run } from './reading.ts';
import { finish, getMany, subjectOf } from './resources.ts';
import { boundedForTool, isTool, MOST_FOR_TOOL } from './tool-answer.ts';

/** The result of one incoming item. */
type Result = Read | { readonly error: string };

/**
 * Get Many for every incoming item: several at once within one limit, with the results in the items' order. An item
 * that cannot be read stops the node, or becomes an error item if the node is set to go on. That holds too when the
 * connection itself cannot be made. After an error that every request of a run would meet, such as a refused key, the
 * run's other items become the same without a request.
 */
export async function executeGetMany(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const inputs = context.getInputData();
	const runFor = runsOf(context);

	const readItem = async (_: unknown, itemIndex: number, signal: AbortSignal): Promise<Result> => {
		const item = { context, itemIndex };
		let run: Run | undefined;
		try {
			run = await runFor(itemIndex);
			if (run.errorOfAll !== undefined) throw run.errorOfAll;
			return await getMany({ ...item, run, signal });
		} catch (thrown) {
			if (context.getExecutionCancelSignal()?.aborted) {
				throw new NodeOperationError(context.getNode(), 'The execution was cancelled', { itemIndex });
			}
			if (run && thrown instanceof SurveyExportError && thrown.scope === 'run') run.errorOfAll ??= thrown;
			const error = nodeErrorOf(context.getNode(), thrown, run?.render, {
				itemIndex,
				namesItem: inputs.length > 1,
				subject: () => subjectOf(item),
			});
			const withAdvice = inOneLine(error);
			// n8n hands an agent the message only.
			if (isTool(context)) error.message = withAdvice;
			if (!context.continueOnFail() || signal.aborted) throw error;
			return { error: withAdvice };
		}
	};

	const results = await inParallel(inputs, readItem, context.getExecutionCancelSignal());
	const read = results.filter((result) => 'items' in result);
	const { rows, absent } = finish(context, read);
	if (absent.length > 0) {
		const columns = renderUnconnected(listed(absent.map(fixed)));
		hint(context, `No item of this run has these selected columns: ${columns}.`);
	}
	const items = rows.values();
	const outputs = results.flatMap((result, item): INodeExecutionData[] => {
		const pairedItem = { item };
		if ('error' in result) return [{ json: { error: result.error }, pairedItem }];
		return result.items.map(() => ({ json: items.next().value as IDataObject, pairedItem }));
	});
	if (!isTool(context)) return outputs;
	const mayHaveMore = results.some((result) => 'records' in result && result.records >= MOST_FOR_TOOL);
	return boundedForTool(outputs, mayHaveMore);
}

const hint = (context: IExecuteFunctions, message: string): void =>
	context.addExecutionHints?.({ message, type: 'warning', location: 'outputPane' });

/**
 * One run for all items with the same credentials and the same treatment of personal data: what a run logs and quotes
 * is treated too. n8n resolves the credentials' expressions for each item.
 */
function runsOf(context: IExecuteFunctions): (itemIndex: number) => Promise<Run> {
	const runs = new Map<string, Promise<Run>>();
	return async (itemIndex) => {
		const options = optionsFor({ context, itemIndex });
		const credentials = await context.getCredentials('surveyExportApi', itemIndex);
		const key = JSON.stringify([credentials, options.omitPersonalData]);
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
	let told = false;
	const warn: Run['warn'] = (message) => {
		connection.warn(message);
		if (told) return;
		told = true;
		hint(context, connection.render(say`${message} n8n's log has all of these messages.`));
	};
	const onUnreadable = (error: SurveyExportError) => {
		const { message, description } = explain(error);
		warn(say`${message}. ${description}`);
	};
	const withAttributes = attributesReader(connection.client, onUnreadable);
	return { ...connection, warn, withAttributes, onUnreadable };
}
