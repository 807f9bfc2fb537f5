import type { INodeProperties, IPollFunctions } from 'n8n-workflow';

import { fixed, type Form, say } from '@survey-export/core';
import {
	ATTRIBUTE_NAMES,
	formFrom,
	INCLUDE_RESPONDENT_ATTRIBUTES,
	outputFields,
} from '../shared/output.ts';
import { PERSONAL_DATA } from '../shared/personal-data.ts';
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
		description:
			'IDs of the surveys to watch, exactly as the service writes them, separated by commas',
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
			INCLUDE_RESPONDENT_ATTRIBUTES,
			...PERSONAL_DATA,
			{
				displayName: 'Lookback (Minutes)',
				name: 'lookbackMinutes',
				type: 'number',
				typeOptions: { minValue: 0 },
				default: 10,
				description:
					'How much later than its time a response may show up in the service and still start the workflow',
			},
			{
				displayName: 'Max Responses per Poll',
				name: 'mostPerPoll',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 500,
				description:
					'How many responses one execution gets at most. The others follow with the next polls, the newest first.',
			},
			{
				displayName: 'Repeat After a Crash',
				name: 'repeatAfterCrash',
				type: 'boolean',
				default: false,
				description:
					"Whether the first poll after a start of n8n hands over the last responses again. n8n may have stopped before it stored their execution. They can start the workflow twice, so make its actions safe to repeat, for example with the node Remove Duplicates. Does nothing with n8n's durable poll cursors, which do not need it.",
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
	readonly mostPerPoll: number;
	readonly withRespondentAttributes: boolean;
	/** Whether what an earlier run of n8n handed over last is handed over again. */
	readonly repeatAfterCrash: boolean;
}

/** @throws SettingError that says which field to fill in, and how */
export function triggerSettings(context: IPollFunctions): TriggerSettings {
	const given = namesIn(context.getNodeParameter('surveyIds', ''));
	const surveyIds = [
		...new Set(
			given.map((id, at) => checkedId('surveyId', say`Entry ${at + 1} of "Survey IDs"`, id)),
		),
	];
	if (surveyIds.length === 0) {
		throw new SettingError(
			say`"Survey IDs" is empty`,
			say`Give the ID of a survey, or several with commas between them.`,
		);
	}
	const options = optionsOf(context);
	const whole = (name: string, label: string, otherwise: number, least: number): number => {
		const value = Number(options[name] ?? otherwise);
		if (Number.isInteger(value) && value >= least) return value;
		throw new SettingError(
			say`"${fixed(label)}" is not a whole number of at least ${least}`,
			say`If it comes from an expression, check its result.`,
		);
	};
	return {
		surveyIds,
		form: formFrom((name, otherwise) => context.getNodeParameter(name, otherwise)),
		attributeNames: namesIn(options.attributeNames),
		lookbackMs: whole('lookbackMinutes', 'Lookback (Minutes)', 10, 0) * 60_000,
		mostPerPoll: whole('mostPerPoll', 'Max Responses per Poll', 500, 1),
		withRespondentAttributes: isOn('Include Respondent Attributes', options.respondentAttributes),
		repeatAfterCrash: isOn('Repeat After a Crash', options.repeatAfterCrash),
	};
}

/** The parameters in the collection "Options". */
export function optionsOf(context: IPollFunctions): Readonly<Record<string, unknown>> {
	const options = context.getNodeParameter('options', {});
	return typeof options === 'object' ? { ...options } : {};
}
