import { isObject, type ListedSurvey, listSurveys, type StreamRecord } from '@survey-export/core';
import type { IDataObject } from 'n8n-workflow';
import { type FlatItem, primitive } from '../output/flat-item.ts';
import { hasWords } from '../shared/survey-lists.ts';
import { limitFor } from './incoming-item.ts';
import type { GetManyResult, ItemOfRun } from './run.ts';

/** The surveys of the account, newest first, for one item. */
export async function surveysFor(item: ItemOfRun): Promise<GetManyResult> {
	const limit = limitFor(item);
	const { name = '' } = item.parameters.get<IDataObject>('filters', {});
	const isMeant = hasWords(String(name ?? ''));
	const items: FlatItem[] = [];
	for await (const { surveys } of listSurveys(item.run.client, item.signal)) {
		items.push(...surveys.filter(isMeant).map(asASurvey));
		if (limit !== undefined && items.length >= limit) break;
	}
	const wanted = items.slice(0, limit);
	return { items: wanted, records: wanted.length };
}

/** What is missing of a survey and is no text is omitted, as in other items. */
const asASurvey = ({ fields }: ListedSurvey): FlatItem => ({
	fixed: {
		...picked(fields, ['id', 'name', 'type', 'created_at']),
		enabled: fields.enabled ?? undefined,
		responses: fields.responses ?? undefined,
	},
});

/** A question of a survey. */
export const asAQuestion = (record: StreamRecord): FlatItem => ({
	fixed: {
		...picked(record, ['survey_id', 'id', 'position', 'type', 'question', 'introduction']),
		choices: inOneText(record.answer_choices, 'content'),
		columns: inOneText(record.columns, ''),
		fields: inOneText(record.fields, 'label'),
	},
});

const picked = (record: StreamRecord, names: readonly string[]) =>
	Object.fromEntries(names.map((name) => [name, primitive(record[name])]));

/** A list of texts, or of objects with a text, as one text: items are flat. Null if there is none. */
const inOneText = (list: unknown, name: string): string | null =>
	(Array.isArray(list) ? list : [])
		.flatMap((entry) => (isObject(entry) ? entry[name] : entry) ?? [])
		.join('; ') || null;
