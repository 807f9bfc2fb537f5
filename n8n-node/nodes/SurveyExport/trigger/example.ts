import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { type SurveyResponse, withRespondentAttributes } from '@survey-export/core';
import { nodeErrorOf } from '../shared/failure.ts';
import type { Connection } from '../shared/connect.ts';
import { attributesOfTrigger } from './attributes.ts';
import { outputOf } from './output.ts';
import type { TriggerSettings } from './settings.ts';
import { sliceReader } from './slice-reader.ts';
import { surveySubject } from './subject.ts';

/** The newest response of the first survey that has one, for "Fetch Test Event". Remembers nothing. */
export async function exampleResponse(
	context: IPollFunctions,
	connection: Connection,
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<INodeExecutionData[][]> {
	for (const surveyId of settings.surveyIds) {
		const readSlice = sliceReader(
			connection.client,
			surveyId,
			settings.attributeNames,
			signal,
			() => {},
		);
		let newest: SurveyResponse | undefined;
		try {
			newest = (await readSlice(undefined, undefined, 1)).responses[0];
		} catch (thrown) {
			throw nodeErrorOf(context.getNode(), thrown, {
				subject: () => surveySubject(surveyId),
				render: connection.render,
			});
		}
		if (newest === undefined) continue;
		const responses = settings.withRespondentAttributes
			? await withRespondentAttributes([newest], attributesOfTrigger(context, connection), signal)
			: [newest];
		return [outputOf(responses, settings, connection.treatment)];
	}
	throw new NodeOperationError(
		context.getNode(),
		'There is no response yet to show as an example',
		{
			description:
				'None of the surveys has one. Answer one of them, or activate the workflow: it starts with the first response.',
		},
	);
}
