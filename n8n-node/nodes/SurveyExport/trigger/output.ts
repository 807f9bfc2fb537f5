import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { type RecordTreatment, STREAMS, type SurveyResponse } from '@survey-export/core';
import type { Connection } from '../host/connect.ts';
import { respondentAttributes, withRespondentAttributes } from '../output/respondent-attributes.ts';
import type { TriggerSettings } from './settings.ts';

/** Responses with their respondents' attributes, where the settings ask for these. */
export async function enriched(
	context: IPollFunctions,
	{ client, redact }: Connection,
	responses: readonly SurveyResponse[],
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<readonly SurveyResponse[]> {
	if (!settings.withRespondentAttributes) return responses;
	const attributesOf = respondentAttributes(client, ({ message }) => {
		context.logger.warn(redact(message));
	});
	return await withRespondentAttributes(responses, attributesOf, signal);
}

/** Responses in the form that the settings ask for, as they may leave. */
export function outputOf(
	responses: readonly SurveyResponse[],
	{ form }: TriggerSettings,
	treatment: RecordTreatment,
): INodeExecutionData[] {
	const items = responses.flatMap((response) =>
		form.itemsOf(treatment.record(response, STREAMS.survey_responses.columns)),
	);
	return form.finish(items).map((json) => ({ json }));
}
