import type { IExecuteFunctions } from 'n8n-workflow';

import {
	finisherOf,
	type FlatItem,
	type FlatRecord,
	type OutputName,
	type Response,
	withRespondentAttributes,
} from '@survey-export/core';
import { formFrom } from '../shared/output-fields.ts';
import { isOn } from '../shared/values.ts';
import type { Read, Run } from './get-many.ts';

/**
 * Responses in the form that the item asks for. `collect` reads them and turns each into an output: at once where the
 * response alone is enough, so that no more than the output is kept, and after all are read otherwise.
 */
export async function responsesAsItems<Kind extends Response>(
	context: IExecuteFunctions,
	itemIndex: number,
	run: Run,
	signal: AbortSignal,
	collect: <Output>(output: (response: Kind) => Output) => Promise<Output[]>,
): Promise<Read> {
	const form = formFrom(
		(name, otherwise) => context.getNodeParameter(name, itemIndex, otherwise as object),
		(message) => context.logger.warn(message),
	);
	const itemsOf = (response: Response) => form.itemsOf(response, run.treatment);
	const options = context.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>;
	if (!isOn('Include Respondent Attributes', options.respondentAttributes)) {
		const collected = await collect(itemsOf);
		return { items: collected.flat(), records: collected.length };
	}
	const responses = await collect((response) => response);
	const enriched = await withRespondentAttributes(responses, run.attributesOf, signal);
	return { items: enriched.flatMap(itemsOf), records: responses.length };
}

/** All responses of a run. "Output" takes no expression, so that it is the same for all items. */
export function finishResponses(
	context: IExecuteFunctions,
	items: readonly FlatItem[],
): FlatRecord[] {
	const output = context.getNodeParameter('output', 0, '') as OutputName;
	return finisherOf(output)(items);
}
