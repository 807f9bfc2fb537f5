import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RecordTreatment, SurveyResponse } from '@survey-export/core';
import type { TriggerSettings } from './settings.ts';

/** Responses in the form that the settings ask for, as they may leave. */
export function outputOf(
	responses: readonly SurveyResponse[],
	{ form }: TriggerSettings,
	treatment: RecordTreatment,
): INodeExecutionData[] {
	const items = responses.flatMap((response) => form.itemsOf(response, treatment));
	return form.finish(items).map((json) => ({ json: json as IDataObject }));
}
