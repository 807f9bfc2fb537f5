import type { INodeExecutionData } from 'n8n-workflow';

import type { Client, SurveyResponse } from '@survey-export/core';
import { respondentAttributes, withRespondentAttributes } from '../output/respondent-attributes.ts';
import type { TriggerSettings } from './settings.ts';

/** Responses with their respondents' attributes, where the settings ask for these. */
export async function enriched(
	client: Client,
	responses: readonly SurveyResponse[],
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<readonly SurveyResponse[]> {
	if (!settings.withRespondentAttributes) return responses;
	return await withRespondentAttributes(responses, respondentAttributes(client), signal);
}

/** Responses in the form that the settings ask for. */
export function outputOf(
	responses: readonly SurveyResponse[],
	{ form }: TriggerSettings,
): INodeExecutionData[] {
	const items = responses.flatMap((response) => form.itemsOf(response));
	return form.finish(items).map((json) => ({ json }));
}
