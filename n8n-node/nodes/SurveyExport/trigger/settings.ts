import { type Message, say } from '@survey-export/core';
import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import type { Form } from '../output/form.ts';
import { optionsFrom } from '../shared/choices.ts';
import { ATTRIBUTE_NAMES, attributeNamesIn, formFrom, outputFields } from '../shared/output.ts';
import { Parameters } from '../shared/parameters.ts';
import { OMIT_PERSONAL_DATA } from '../shared/personal-data.ts';
import { checkedId, namesIn, settingError } from '../shared/values.ts';

/** Chooses surveys from the list. */
const SURVEYS = {
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getSurveys' },
	default: [],
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
} satisfies Partial<INodeProperties>;

/** What the canvas shows below the node's name. */
export const SUBTITLE = `={{ ${[
	'$parameter["watch"] === "all" ? "All surveys"',
	'"Selected surveys: " + [$parameter["surveys"] || []].flat().length',
].join(' : ')} }}`;

/** The form of the trigger node. */
export const TRIGGER_FIELDS: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: optionsFrom({
			surveyResponse: ['New Survey Response', 'When somebody has answered one of the surveys'],
		}),
		default: 'surveyResponse',
	},
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		options: optionsFrom({
			all: ['All Surveys', 'Every survey of the account, also those that are created later'],
			selected: ['Selected Surveys', 'Surveys that you choose from a list, or give by an expression'],
		}),
		default: 'selected',
		description: 'The surveys whose new responses start the workflow',
	},
	{
		displayName: 'Survey Names or IDs',
		name: 'surveys',
		required: true,
		...SURVEYS,
		displayOptions: { show: { watch: ['selected'] } },
	},
	{
		displayName: 'Minimum Age (Minutes)',
		name: 'minimumAgeMinutes',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 5,
		description:
			'How old a response is when it starts the workflow, at least. The service shows a response while it is still being given, so a young one may lack answers.',
		hint: 'With 0, a response starts the workflow as soon as it appears. It may still be growing then: it has the answers given so far, and does not start the workflow again.',
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
			{
				displayName: 'Excluded Survey Names or IDs',
				name: 'excludedSurveys',
				...SURVEYS,
				displayOptions: { show: { '/watch': ['all'] } },
			},
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

/** What the form says. */
export interface TriggerSettings {
	/** Undefined: all surveys of the account. */
	readonly surveyIds: readonly string[] | undefined;
	/** Of all surveys, those that are not watched. */
	readonly excludedSurveyIds: ReadonlySet<string>;
	readonly form: Form;
	/** Names of the attributes that come with the responses. */
	readonly attributes: readonly string[];
	readonly lookbackMs: number;
	/** How old a response is when it is handed over, at least; 0: it is handed over as soon as it is seen. */
	readonly minimumAgeMs: number;
	/** The parameters in the collection "Options". */
	readonly options: Readonly<Record<string, unknown>>;
}

/** @throws `invalid_configuration` that says which field to fill in, and how */
export function triggerSettings(context: IPollFunctions): TriggerSettings {
	const get = (name: string, otherwise: unknown) => context.getNodeParameter(name, otherwise);
	const parameters = new Parameters(TRIGGER_FIELDS, get);
	const given: unknown = parameters.get('options', {});
	const options: TriggerSettings['options'] = typeof given === 'object' ? { ...given } : {};
	const surveyIds = watchedSurveys(parameters);
	return {
		surveyIds,
		excludedSurveyIds: new Set(surveyIds ? [] : idsIn(parameters, 'options.excludedSurveys')),
		form: formFrom(parameters, surveyIds === undefined),
		attributes: attributeNamesIn(parameters),
		lookbackMs: msOf(parameters.label('options.lookbackMinutes'), options.lookbackMinutes ?? 30),
		minimumAgeMs: msOf(parameters.label('minimumAgeMinutes'), parameters.get('minimumAgeMinutes', 5)),
		options,
	};
}

function msOf(label: Message, given: unknown): number {
	// Nothing, as an expression may give it, is not 0.
	const minutes = Number(String(given ?? '').trim() || Number.NaN);
	if (Number.isInteger(minutes) && minutes >= 0) return minutes * 60_000;
	throw settingError(
		say`${label} is not a whole number of at least 0`,
		say`If it comes from an expression, check its result.`,
	);
}

/** The IDs of the surveys to watch, or undefined for all of them. */
function watchedSurveys(parameters: Parameters): readonly string[] | undefined {
	if (parameters.choice('watch', 'selected', ['all', 'selected']) === 'all') return undefined;
	const ids = idsIn(parameters, 'surveys');
	if (ids.length > 0) return ids;
	throw settingError(
		say`${parameters.label('surveys')} is empty`,
		say`Choose a survey, or several. If they come from an expression, check its result.`,
	);
}

function idsIn(parameters: Parameters, name: string): readonly string[] {
	const labelOf = (at: number) => say`Entry ${at + 1} of ${parameters.label(name)}`;
	return namesIn(parameters.get(name, '')).map((id, at) => checkedId('surveyId', labelOf(at), id));
}
