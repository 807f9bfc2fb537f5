import {
	asItIs,
	attributesOf,
	collectOfRespondent,
	type FlatItem,
	type FlatRecord,
	NO_CELLS,
	primitive,
	type RespondentAttribute,
	STREAMS,
	withAllColumns,
} from '@survey-export/core';
import { idFor, type Incoming, limitFor, type Read, type Reading } from './reading.ts';

/** The attributes of the item's person, as an item each or as columns of one item. */
export async function attributesOfPerson(reading: Reading): Promise<Read> {
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

export const finishAttributes = (_: Incoming, items: readonly FlatItem[]): FlatRecord[] =>
	withAllColumns(items);

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
