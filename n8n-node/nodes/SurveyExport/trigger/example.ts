import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { collectNewestFirst, STREAMS, type SurveyResponse } from '@survey-export/core';
import type { Connection } from '../shared/connect.ts';
import { nodeErrorOf } from '../shared/failure.ts';
import { enrichmentOf, type PollTime } from './poll-time.ts';
import { surveySubject } from './reports.ts';
import { outputOf, type TriggerSettings } from './settings.ts';

/** Responses of a survey that are looked at, in one request: some give no item for the chosen output. */
const NEWEST = 25;

/** The newest response that gives an item, of the first survey that has one, for "Fetch Test Event". */
export async function exampleResponse(
	context: IPollFunctions,
	connection: Connection,
	settings: TriggerSettings,
	time: PollTime,
): Promise<INodeExecutionData[][]> {
	const { surveyIds, attributeNames, form, withRespondentAttributes } = settings;
	const { client, render, treatment } = connection;
	for (const surveyId of surveyIds) {
		const wanted = {
			surveyIds: [surveyId],
			respondentUuids: [],
			attributes: attributeNames,
			signal: time.over,
			onUnreadable: () => {},
		};
		try {
			const responses = await collectNewestFirst<SurveyResponse, SurveyResponse>(
				client,
				STREAMS.survey_responses,
				wanted,
				NEWEST,
				(response) => response,
			);
			const newest = responses.find((one) => form.itemsOf(one, treatment).length > 0);
			if (newest === undefined) continue;
			const enriched = withRespondentAttributes
				? await enrichmentOf(context, connection, time).enrich([newest])
				: new Map<SurveyResponse, SurveyResponse>();
			return [outputOf([enriched.get(newest) ?? newest], settings, treatment)];
		} catch (thrown) {
			throw nodeErrorOf(context.getNode(), thrown, {
				subject: () => surveySubject(surveyId),
				render,
			});
		}
	}
	throw new NodeOperationError(
		context.getNode(),
		'There is no response yet to show as an example',
		{
			description: `None of the newest ${NEWEST} responses of these surveys gives an item. Answer a survey, or activate the workflow: it starts with the first response.`,
		},
	);
}
