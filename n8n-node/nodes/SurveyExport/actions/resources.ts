import { type Message, type RespondentAttribute, respondentId, STREAMS, say } from '@survey-export/core';
import {
	type IExecuteFunctions,
	type INodeParameterResourceLocator,
	isResourceLocatorValue,
} from 'n8n-workflow';
import { type FlatItem, type FlatRecord, primitive } from '../output/flat-item.ts';
import { type Form, formOf } from '../output/form.ts';
import type { Response } from '../output/response.ts';
import { surveyPart } from '../shared/failure.ts';
import { collectRequested } from '../shared/newest-first.ts';
import { attributeNamesIn, formFrom } from '../shared/output.ts';
import type { Parameters } from '../shared/parameters.ts';
import { questionTexts } from '../shared/question-texts.ts';
import { type IncomingItem, idFor, incomingItem, limitFor, periodFor } from './incoming-item.ts';
import type { GetManyResult, ItemOfRun, Run } from './run.ts';
import { asAQuestion, surveysFor } from './surveys.ts';

/** What Get Many reads, by the value of the node's "Resource" field: the surveys, or a list of a survey or a respondent. */
const LISTS = {
	surveyQuestion: { id: 'surveyId', stream: STREAMS.survey_questions },
	surveyResponse: { id: 'surveyId', stream: STREAMS.survey_responses },
	respondentResponse: { id: 'respondentId', stream: STREAMS.respondent_responses },
	respondentAttribute: { id: 'respondentId', stream: STREAMS.respondent_attributes },
	survey: { id: undefined, stream: undefined },
} as const;
export type Resource = keyof typeof LISTS;

/** The parameters that are the same for all items of a run: an expression for it counts for the first one. */
const forAll = (context: IExecuteFunctions): Parameters => incomingItem(context, 0).parameters;

const resourceOf = (context: IExecuteFunctions): Resource =>
	forAll(context).choice('resource', 'surveyResponse', Object.keys(LISTS) as Resource[]);

/** What the item asks for, for messages. A survey has the name that the run or the list in the editor has shown. */
export function subjectOf(item: IncomingItem, run: Run | undefined): Message {
	const { id } = LISTS[resourceOf(item.context)];
	if (id === undefined) return say`The list of surveys`;
	const asked = idFor(item, id);
	if (id === 'respondentId') return say`Respondent ${respondentId(asked)}`;
	const shown = fromList(item)?.cachedResultName;
	return say`Survey ${surveyPart(asked, run?.listed.get(asked)?.name ?? (shown as string | undefined))}`;
}

/** The survey as it was chosen from the list, or undefined for another way to name it. */
function fromList({ context, parameters }: IncomingItem): INodeParameterResourceLocator | undefined {
	if (LISTS[resourceOf(context)].id !== 'surveyId') return undefined;
	const locator = parameters.get<unknown>('surveyId', '');
	return isResourceLocatorValue(locator) && locator.mode === 'list' ? locator : undefined;
}

/** Whether the item asks for a survey that was chosen from the list, so that it was there then. */
export const isFromList = (item: IncomingItem): boolean => fromList(item) !== undefined;

/**
 * The records for one item, newest first. Questions are in the order of their survey.
 * @throws `invalid_configuration` for a parameter, SurveyExportError for a failure of the service
 */
export async function getMany(item: ItemOfRun): Promise<GetManyResult> {
	const { context, run, signal } = item;
	const resource = resourceOf(context);
	const { id, stream } = LISTS[resource];
	if (stream === undefined) return await surveysFor(item);
	const asked = idFor(item, id);
	const wanted = {
		of: id === 'surveyId' ? { surveyId: asked } : { respondentUuid: asked },
		...periodFor(item),
		attributes: attributeNamesIn(item.parameters),
		limit: limitFor(item),
		signal,
		listed: run.listed,
		onUnreadable: run.onUnreadable,
	};
	if (resource === 'respondentAttribute') {
		const treated = (record: RespondentAttribute) => run.treatment.record(record, stream.columns);
		const attributes = await collectRequested(run.client, stream, wanted, treated);
		const items = attributes.map(asAnItem);
		return { items, records: items.length };
	}
	if (resource === 'surveyQuestion') {
		const items = await collectRequested(run.client, stream, wanted, asAQuestion);
		return { items, records: items.length };
	}
	const form = responseForm(context);
	const itemsOf = (response: Response) => form.itemsOf(response, run);
	// Each response becomes its items at once, so that no more than these is kept.
	const found = await collectRequested(run.client, stream, wanted, itemsOf);
	const items = found.flat();
	const surveyIds = items.map(({ fixed }) => fixed.survey_id);
	const texts = await questionTexts(form, run, surveyIds, signal);
	return { items, records: found.length, texts };
}

/** All items of the run, in the form that later nodes get. */
export function finish(context: IExecuteFunctions, all: readonly GetManyResult[]): FlatRecord[] {
	const items = all.flatMap((result) => result.items);
	if (items.length === 0) return [];
	if (!resourceOf(context).endsWith('Response')) return formOf('raw').finish(items);
	const texts = new Map(all.flatMap(({ texts }) => [...(texts ?? [])]));
	return responseForm(context).finish(items, texts);
}

const responseForm = (context: IExecuteFunctions): Form =>
	formFrom(forAll(context), resourceOf(context) === 'respondentResponse');

const asAnItem = ({ respondent_uuid, id, name, value }: RespondentAttribute): FlatItem => ({
	// Like a column of an attribute: the text may be a number.
	fixed: { respondent_uuid, attribute_id: id, name: primitive(name), value: primitive(value) ?? undefined },
});
