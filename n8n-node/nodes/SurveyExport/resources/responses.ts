import type { IExecuteFunctions } from 'n8n-workflow';

import { STREAMS } from '@survey-export/core';
import { type FlatItem } from '../output/columns.ts';
import type { Form, Response } from '../output/form.ts';
import { withRespondentAttributes } from '../output/respondent-attributes.ts';
import { formFrom } from '../parameters/output.ts';
import type { Run } from './get-many.ts';

/** The form that the node's parameters ask for. It is the same for all items. */
export const formOfRun = (context: IExecuteFunctions): Form =>
	formFrom(
		context.getNode().typeVersion,
		(name, otherwise) => context.getNodeParameter(name, 0, otherwise as object),
		(message) => context.logger.warn(message),
	);

/**
 * Responses in their form. `collect` reads them and turns each into an output: at once where the response
 * alone is enough, so that no more than the output is kept, and after all are read otherwise.
 */
export async function responsesAsItems<Kind extends Response>(
	context: IExecuteFunctions,
	itemIndex: number,
	run: Run,
	signal: AbortSignal,
	collect: <Output>(output: (response: Kind) => Output) => Promise<Output[]>,
): Promise<FlatItem[]> {
	const form = formOfRun(context);
	const itemsOf = (response: Response) =>
		form.itemsOf(run.treatment.record(response, STREAMS.survey_responses.columns));
	const options = context.getNodeParameter('options', itemIndex, {}) as Record<string, unknown>;
	if (options.respondentAttributes !== true) {
		return (await collect(itemsOf)).flat();
	}
	const responses = await collect((response) => response);
	const enriched = await withRespondentAttributes(responses, run.attributesOf, signal);
	return enriched.flatMap(itemsOf);
}
