import {
	finisherOf,
	type FlatItem,
	type FlatRecord,
	missingIn,
	type OutputName,
	type Response,
	type Wanted,
	withRespondentAttributes,
} from '@survey-export/core';
import { formFrom } from '../shared/output-fields.ts';
import { isOn } from '../shared/values.ts';
import {
	type Incoming,
	limitFor,
	optionsFor,
	periodFor,
	type Read,
	type Reading,
} from './reading.ts';

/**
 * Responses in the form that the item asks for. `collect` reads them and turns each into an output: at once if the
 * response alone is enough, so that no more than the output is kept, and after all are read otherwise.
 */
export async function responsesAsItems(
	reading: Reading,
	collect: <Output>(
		wanted: Omit<Wanted, 'surveyIds' | 'respondentUuids'>,
		limit: number | undefined,
		output: (response: Response) => Output,
	) => Promise<Output[]>,
): Promise<Read> {
	const { context, itemIndex, run, signal } = reading;
	const form = formFrom(
		(name, otherwise) => context.getNodeParameter(name, itemIndex, otherwise as object),
		(message) => context.logger.warn(message),
	);
	const wanted = { ...periodFor(reading), signal, onUnreadable: run.onUnreadable };
	const limit = limitFor(reading);
	const itemsOf = (response: Response) => form.itemsOf(response, run.treatment);
	const { respondentAttributes } = optionsFor(reading);
	if (!isOn('Include Respondent Attributes', respondentAttributes)) {
		const collected = await collect(wanted, limit, itemsOf);
		return { items: collected.flat(), records: collected.length };
	}
	const responses = await collect(wanted, limit, (response) => response);
	const enriched = await withRespondentAttributes(responses, run.attributesOf, signal);
	return { items: enriched.flatMap(itemsOf), records: responses.length };
}

/** All responses of a run. "Output" takes no expression, so that it is the same for all items. */
export function finishResponses(
	{ context }: Incoming,
	items: readonly FlatItem[],
	missing = missingIn,
): FlatRecord[] {
	const output = context.getNodeParameter('output', 0, '') as OutputName;
	return finisherOf(output, missing)(items);
}
