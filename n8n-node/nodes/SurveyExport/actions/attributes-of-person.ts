import type { IExecuteFunctions } from 'n8n-workflow';

import {
	asItIs,
	cellsOf,
	type FlatItem,
	NO_CELLS,
	type Primitive,
	primitive,
	type RespondentAttribute,
	STREAMS,
	withAllColumns,
} from '@survey-export/core';
import {
	getManyOperation,
	optionsOf,
	respondentId,
	returnAllAndLimit,
	shownFor,
} from './fields.ts';
import { PERSONAL_DATA } from '../shared/personal-data.ts';
import { idFor, limitFor } from './read.ts';
import type { GetMany, Read, Run } from './get-many.ts';
import { collectOfRespondent, respondentSubject } from './of-respondent.ts';

const RESOURCE = 'respondentAttribute';

export const respondentAttributeGetMany: GetMany = {
	fields: [
		getManyOperation(
			RESOURCE,
			'Get what is known about one person, such as their plan or company',
			'Get many respondent attributes',
		),
		respondentId(RESOURCE),
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			noDataExpression: true,
			options: [
				{
					name: 'One Item per Attribute',
					value: 'attribute',
					description: 'Items with respondent_uuid, attribute_id, name and value',
				},
				{
					name: 'One Item per Person',
					value: 'person',
					description: 'One item with a column for each attribute, such as attribute_plan',
				},
			],
			default: 'attribute',
			description: 'The form in which attributes are returned',
			displayOptions: shownFor(RESOURCE),
		},
		...returnAllAndLimit(RESOURCE).map((field) => ({
			...field,
			displayOptions: { ...field.displayOptions, hide: { output: ['person'] } },
		})),
		optionsOf(RESOURCE, PERSONAL_DATA),
	],
	subject: respondentSubject,
	async read(context, itemIndex, run, signal) {
		if (!isForPerson(context)) {
			const attributes = await attributesOf(context, itemIndex, run, signal, false);
			return oneByOne(
				attributes.map(({ respondent_uuid, id, name, value }) =>
					asItIs({
						respondent_uuid,
						attribute_id: id,
						name: primitive(name),
						// Like a column of an attribute: the text may be a number.
						value: primitive(value) ?? undefined,
					}),
				),
			);
		}
		const byName = new Map<string, Primitive>();
		for (const { name, value } of await attributesOf(context, itemIndex, run, signal, true)) {
			if (name != null) byName.set(String(name), primitive(value));
		}
		const id = idFor(context, itemIndex, 'respondentId');
		const { messages } = run.treatment;
		const respondent_uuid = messages === undefined ? id : (messages.respondentId(id) ?? null);
		return oneByOne([
			{ fixed: { respondent_uuid }, answers: NO_CELLS, attributes: cellsOf(byName) },
		]);
	},
	finish: (_context, items) => withAllColumns(items),
};

const isForPerson = (context: IExecuteFunctions): boolean =>
	context.getNodeParameter('output', 0, 'attribute') === 'person';

const oneByOne = (items: readonly FlatItem[]): Read => ({ items, records: items.length });

async function attributesOf(
	context: IExecuteFunctions,
	itemIndex: number,
	run: Run,
	signal: AbortSignal,
	all: boolean,
): Promise<RespondentAttribute[]> {
	return await collectOfRespondent<RespondentAttribute, RespondentAttribute>(
		run,
		STREAMS.respondent_attributes,
		idFor(context, itemIndex, 'respondentId'),
		{},
		all ? undefined : limitFor(context, itemIndex),
		(attribute) => run.treatment.record(attribute, STREAMS.respondent_attributes.columns),
		signal,
	);
}
