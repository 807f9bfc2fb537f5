import { say } from '@survey-export/core';
import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { COLUMN_NAMES } from '../output/column-names.ts';
import type { Form } from '../output/form.ts';
import { ATTRIBUTE_NAMES, formFrom, INCLUDE_RESPONDENT_ATTRIBUTES, outputFields } from '../shared/output.ts';
import { OMIT_PERSONAL_DATA } from '../shared/personal-data.ts';
import { checkedId, isOn, namesIn, SettingError } from '../shared/values.ts';

/** The form of the trigger node. */
export const TRIGGER_FIELDS: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'New Survey Response',
				value: 'surveyResponse',
				description: 'When somebody has answered one of the surveys',
			},
		],
		default: 'surveyResponse',
	},
	{
		displayName: 'Survey IDs',
		name: 'surveyIds',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 1042, 1043',
		description: 'IDs of the surveys to watch, exactly as the service writes them, separated by commas',
	},
	...outputFields(),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [
			ATTRIBUTE_NAMES,
			COLUMN_NAMES,
			INCLUDE_RESPONDENT_ATTRIBUTES,
			OMIT_PERSONAL_DATA,
			{
				displayName: 'Lookback (Minutes)',
				name: 'lookbackMinutes',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 30,
				description:
					'How much later than its time a response may show up in the service and still start the workflow',
			},
		],
	},
];

/** What it says. */
export interface TriggerSettings {
	readonly surveyIds: readonly string[];
	readonly form: Form;
	readonly attributeNames: readonly string[];
	readonly lookbackMs: number;
	readonly withRespondentAttributes: boolean;
}

/** @throws SettingError that says which field to fill in, and how */
export function triggerSettings(context: IPollFunctions): TriggerSettings {
	const given = namesIn(context.getNodeParameter('surveyIds', ''));
	const surveyIds = [
		...new Set(given.map((id, at) => checkedId('surveyId', say`Entry ${at + 1} of "Survey IDs"`, id))),
	];
	if (surveyIds.length === 0) {
		throw new SettingError(
			say`"Survey IDs" is empty`,
			say`Give the ID of a survey, or several with commas between them.`,
		);
	}
	const options = optionsOf(context);
	const lookbackMinutes = Number(options.lookbackMinutes ?? 30);
	if (!Number.isInteger(lookbackMinutes) || lookbackMinutes < 0) {
		throw new SettingError(
			say`"Lookback (Minutes)" is not a whole number of at least 0`,
			say`If it comes from an expression, check its result.`,
		);
	}
	return {
		surveyIds,
		form: formFrom((name, otherwise) => context.getNodeParameter(name, otherwise)),
		attributeNames: namesIn(options.attributeNames),
		lookbackMs: lookbackMinutes * 60_000,
		withRespondentAttributes: isOn('Include Respondent Attributes', options.respondentAttributes),
	};
}

/** The parameters in the collection "Options". */
export function optionsOf(context: IPollFunctions): Readonly<Record<string, unknown>> {
	const options = context.getNodeParameter('options', {});
	return typeof options === 'object' ? { ...options } : {};
}
