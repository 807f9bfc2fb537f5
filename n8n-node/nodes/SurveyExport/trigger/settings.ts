import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Form, RecordTreatment, SurveyResponse } from '@survey-export/core';
import { checkedId, isOn, namesIn } from '../shared/values.ts';
import { formFrom } from '../shared/output-fields.ts';

export interface TriggerSettings {
	readonly surveyIds: readonly string[];
	readonly form: Form;
	readonly attributeNames: readonly string[];
	readonly lookbackMs: number;
	readonly mostPerPoll: number;
	readonly withRespondentAttributes: boolean;
	/** Whether what an earlier run of n8n handed over last is handed over again. */
	readonly repeatAfterCrash: boolean;
}

/** @throws NodeOperationError that says which field to fill in, and how */
export function triggerSettings(context: IPollFunctions): TriggerSettings {
	const given = namesIn(context.getNodeParameter('surveyIds', ''));
	const surveyIds = [...new Set(given.map((id) => checkedId('Survey IDs', id)))];
	if (surveyIds.length === 0) {
		throw new NodeOperationError(context.getNode(), '"Survey IDs" is empty', {
			description: 'Give the ID of a survey, or several with commas between them.',
		});
	}
	const options = context.getNodeParameter('options', {}) as Record<string, unknown>;
	const whole = (name: string, label: string, otherwise: number, least: number): number => {
		const value = Number(options[name] ?? otherwise);
		if (Number.isInteger(value) && value >= least) return value;
		throw new NodeOperationError(
			context.getNode(),
			`"${label}" is not a whole number of at least ${least}`,
		);
	};
	return {
		surveyIds,
		form: formFrom(
			(name, otherwise) => context.getNodeParameter(name, otherwise),
			(message) => context.logger.warn(message),
		),
		attributeNames: namesIn(options.attributeNames),
		lookbackMs: whole('lookbackMinutes', 'Lookback (Minutes)', 10, 0) * 60_000,
		mostPerPoll: whole('mostPerPoll', 'Max Responses per Poll', 500, 1),
		withRespondentAttributes: isOn('Include Respondent Attributes', options.respondentAttributes),
		repeatAfterCrash: isOn('Repeat After a Crash', options.repeatAfterCrash),
	};
}

/** Responses in the form that the settings ask for, as they may leave. */
export function outputOf(
	responses: readonly SurveyResponse[],
	{ form }: TriggerSettings,
	treatment: RecordTreatment,
): INodeExecutionData[] {
	const items = responses.flatMap((response) => form.itemsOf(response, treatment));
	return form.finish(items).map((json) => ({ json: json as IDataObject }));
}
