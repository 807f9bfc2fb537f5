import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RespondentAttribute, Service as Client, SurveyResponse } from '@survey-export/core';
import { attributeOutput } from '../output/attribute.ts';
import { attributesByRespondent } from '../output/respondent-attributes.ts';
import { simplifyResponse } from '../output/simplify.ts';
import type { TriggerSettings } from './settings.ts';

/** A response that is to start the workflow. */
export interface Due {
	readonly surveyId: string;
	readonly response: SurveyResponse;
}

type Attributes = ReadonlyMap<string, readonly RespondentAttribute[]>;

/** The respondents' attributes where the settings ask for them. */
export async function attributesFor(
	client: Client,
	due: readonly Due[],
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<Attributes | undefined> {
	if (!settings.withRespondentAttributes) return undefined;
	const uuids = due.map(({ response }) => response.respondent_uuid);
	return await attributesByRespondent(client, uuids, signal);
}

/** Responses in the form that the settings ask for. */
export function outputOf(
	due: readonly Due[],
	attributes: Attributes | undefined,
	settings: TriggerSettings,
): INodeExecutionData[] {
	return due.map(({ response }) => {
		const known = attributes?.get(response.respondent_uuid ?? '')?.map(attributeOutput);
		const enriched = known ? { ...response, respondent_attributes: known } : response;
		return {
			json: settings.simplify
				? simplifyResponse(enriched as SurveyResponse)
				: (enriched as IDataObject),
		};
	});
}
