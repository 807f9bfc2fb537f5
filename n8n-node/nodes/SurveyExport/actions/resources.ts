import {
	asItIs,
	attributesOf,
	collectNewestFirst,
	collectOfRespondent,
	finisherOf,
	type FlatItem,
	type FlatRecord,
	given,
	missingIn,
	missingInAny,
	NO_CELLS,
	primitive,
	type RespondentAttribute,
	respondentId,
	type Response,
	say,
	STREAMS,
	type Wanted,
	withAllColumns,
	withRespondentAttributes,
} from '@survey-export/core';
import type { Subject } from '../shared/failure.ts';
import { formFrom, outputNamed } from '../shared/output.ts';
import { isOn, namesIn } from '../shared/values.ts';
import {
	idFor,
	type Incoming,
	limitFor,
	optionsFor,
	periodFor,
	type Read,
	type Reading,
} from './reading.ts';

/** Get Many of one resource. */
interface GetMany {
	/** The survey or respondent that the item asks for, for messages. */
	subject(incoming: Incoming): Subject;
	/**
	 * The records for one item, newest first.
	 *
	 * @throws SettingError for a parameter, SurveyExportError for a failure of the service
	 */
	read(reading: Reading): Promise<Read>;
	/** All records of the run, in the form that later nodes get. */
	finish(incoming: Incoming, items: readonly FlatItem[]): FlatRecord[];
}

const aSurvey = (incoming: Incoming): Subject => ({
	named: say`Survey ${given(idFor(incoming, 'surveyId'))}`,
	parameter: say`"Survey ID"`,
});
const aPerson = (incoming: Incoming): Subject => ({
	named: say`Respondent ${respondentId(idFor(incoming, 'respondentId'))}`,
	parameter: say`"Respondent ID"`,
});

/** By the value of the node's "Resource" field. */
export const GET_MANY = {
	surveyResponse: {
		subject: aSurvey,
		read: (reading) =>
			responsesAsItems(reading, (wanted, limit, output) => {
				const surveyIds = [idFor(reading, 'surveyId')];
				const attributes = namesIn(optionsFor(reading).attributeNames);
				const list = { ...wanted, surveyIds, respondentUuids: [], attributes };
				return collectNewestFirst(
					reading.run.client,
					STREAMS.survey_responses,
					list,
					limit,
					output,
				);
			}),
		finish: finishResponses,
	},
	respondentResponse: {
		subject: aPerson,
		read: (reading) =>
			responsesAsItems(reading, (wanted, limit, output) => {
				const person = idFor(reading, 'respondentId');
				const stream = STREAMS.respondent_responses;
				return collectOfRespondent(reading.run.client, stream, person, wanted, limit, output);
			}),
		finish: (incoming, items) => finishResponses(incoming, items, missingInAny),
	},
	respondentAttribute: {
		subject: aPerson,
		read: attributesOfPerson,
		finish: (_, items) => withAllColumns(items),
	},
} satisfies Record<string, GetMany>;

export type Resource = keyof typeof GET_MANY;

/**
 * Responses in the form that the item asks for. `collect` reads them and turns each into an output: at once if the
 * response alone is enough, so that no more than the output is kept, and after all are read otherwise.
 */
async function responsesAsItems(
	reading: Reading,
	collect: <Output>(
		wanted: Omit<Wanted, 'surveyIds' | 'respondentUuids'>,
		limit: number | undefined,
		output: (response: Response) => Output,
	) => Promise<Output[]>,
): Promise<Read> {
	const { context, itemIndex, run, signal } = reading;
	const form = formFrom((name, otherwise) => context.getNodeParameter(name, itemIndex, otherwise));
	const wanted = { ...periodFor(reading), signal, onUnreadable: run.onUnreadable };
	const limit = limitFor(reading);
	const itemsOf = (response: Response) => form.itemsOf(response, run);
	const { respondentAttributes } = optionsFor(reading);
	if (!isOn('Include Respondent Attributes', respondentAttributes)) {
		const collected = await collect(wanted, limit, itemsOf);
		return { items: collected.flat(), records: collected.length };
	}
	const responses = await collect(wanted, limit, (response) => response);
	const enriched = await withRespondentAttributes(responses, run.attributesOf, signal);
	return { items: enriched.flatMap(itemsOf), records: responses.length };
}

/** All responses of a run. "Output" takes no expression, so that it is the same for all items. */
function finishResponses(
	{ context }: Incoming,
	items: readonly FlatItem[],
	missing = missingIn,
): FlatRecord[] {
	const output = outputNamed(context.getNodeParameter('output', 0, '')) ?? 'simplified';
	return finisherOf(output, missing)(items);
}

/** The attributes of the item's person, as an item each or as columns of one item. */
async function attributesOfPerson(reading: Reading): Promise<Read> {
	const { context, run, signal } = reading;
	const isOneItem = context.getNodeParameter('output', 0, 'attribute') === 'person';
	const person = idFor(reading, 'respondentId');
	const stream = STREAMS.respondent_attributes;
	const attributes = await collectOfRespondent<RespondentAttribute, RespondentAttribute>(
		run.client,
		stream,
		person,
		{ signal, onUnreadable: run.onUnreadable },
		isOneItem ? undefined : limitFor(reading),
		(attribute) => run.treatment.record(attribute, stream.columns),
	);
	const { messages } = run.treatment;
	const respondent_uuid = messages === undefined ? person : (messages.respondentId(person) ?? null);
	const items = isOneItem ? [asOneItem(respondent_uuid, attributes)] : attributes.map(asAnItem);
	return { items, records: items.length };
}

const asAnItem = ({ respondent_uuid, id, name, value }: RespondentAttribute): FlatItem =>
	asItIs({
		respondent_uuid,
		attribute_id: id,
		name: primitive(name),
		// Like a column of an attribute: the text may be a number.
		value: primitive(value) ?? undefined,
	});

const asOneItem = (
	respondent_uuid: string | null,
	attributes: readonly RespondentAttribute[],
): FlatItem => ({
	fixed: { respondent_uuid },
	answers: NO_CELLS,
	attributes: attributesOf({ attributes: [], respondent_attributes: [...attributes] }),
});
