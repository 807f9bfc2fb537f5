import { type Client, given, isObject, listSurveys, RETRY_POLICIES, STREAMS, say } from '@survey-export/core';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { cut, type TextsById, textsById } from '../output/column-names.ts';
import type { FlatRecord } from '../output/flat-item.ts';
import { asItIs, FIELDS, formOf, type Response } from '../output/form.ts';
import { type Connection, connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
import { collectNewestFirst } from './newest-first.ts';
import { OMITTABLE } from './personal-data.ts';
import { questionTexts } from './question-texts.ts';
import { checkedId, namesIn } from './values.ts';

/** What is read to learn the columns, and what is shown of a value and of a text, in characters. */
const MOST = { surveys: 5, responses: 100, example: 40, text: 60 };
const NAMES: Readonly<Record<string, string>> = { answers: 'All Answers', attributes: 'All Attributes' };

/**
 * What can be selected, each with an example: the answers to the questions of the node's surveys, the fields of every
 * response, and the attributes that the newest responses have. A parameter that an expression gives has no value before
 * the workflow runs: then no survey is read, or no personal data shown. No example has an "@": it may be an address.
 */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const signal = AbortSignal.timeout(30_000);
	const omitted = this.getCurrentNodeParameter('options.omitPersonalData') ?? [];
	const omitPersonalData = isExpression(omitted) ? OMITTABLE : omitted;
	let connection: Connection | undefined;
	let surveys: readonly string[] = [];
	try {
		connection = await connectionFor(this, RETRY_POLICIES.check, { omitPersonalData });
		surveys = await surveysOf(this, connection.client, signal);
		const ids = surveys.slice(0, MOST.surveys).map((id) => checkedId('surveyId', say`"Survey"`, id));
		return await columnsOf(connection, ids, listIn(this, 'options.attributeNames'), signal);
	} catch (thrown) {
		const subject = () => say`${given(surveys.join(', '))}`;
		throw nodeErrorOf(this.getNode(), thrown, connection?.render, { subject });
	}
}

const isExpression = (value: unknown): boolean => String(value ?? '').startsWith('=');

/** The names in a parameter or in a locator, as the editor holds it. */
function listIn(context: ILoadOptionsFunctions, name: string): string[] {
	const held = context.getCurrentNodeParameter(name);
	const value = isObject(held) && 'value' in held ? held.value : held;
	return isExpression(value) ? [] : namesIn(value);
}

/** The surveys of the node; if it watches all, the first page of them. */
async function surveysOf(context: ILoadOptionsFunctions, client: Client, signal: AbortSignal) {
	const watch = context.getCurrentNodeParameter('watch');
	if (watch === 'selected') return listIn(context, 'surveys');
	if (watch !== 'all') return [...listIn(context, 'surveyId'), ...listIn(context, 'surveyIds')];
	const { value: first } = await listSurveys(client, signal).next();
	return (first?.surveys ?? []).map(({ id }) => id);
}

/** By the newest responses and the questions of these surveys. */
async function columnsOf(
	connection: Connection,
	surveyIds: readonly string[],
	attributes: readonly string[],
	signal: AbortSignal,
): Promise<INodePropertyOptions[]> {
	const form = formOf('selected', { columns: ['answers', ...FIELDS, 'attributes'], isNamedByText: true });
	const itemsOf = (response: Response) => form.itemsOf(response, connection);
	const newest = await Promise.all(
		surveyIds.map((surveyId) => {
			const wanted = { of: { surveyId }, limit: MOST.responses, attributes, signal };
			return collectNewestFirst(connection.client, STREAMS.survey_responses, wanted, itemsOf);
		}),
	);
	const texts = textsById(await questionTexts(form, connection, surveyIds, [], signal));
	const answers = Object.fromEntries([...texts.keys()].map((id) => [`answer_${id}`, null]));
	const { rows } = form.finish([...newest.flat(2), { ...asItIs({}), answers }]);
	const columns = Object.keys(rows[0] ?? {});
	const isAttribute = (column: string) => column.startsWith('attribute_');
	const others = columns.filter((column) => !isAttribute(column));
	const inOrder = ['answers', ...others, 'attributes', ...columns.filter(isAttribute)];
	return inOrder.map((column) => choiceOf(column, texts, rows));
}

/** A column with the text of its question, and an example from the rows. */
function choiceOf(value: string, texts: TextsById, rows: readonly FlatRecord[]): INodePropertyOptions {
	const [, id, part] = /^answer_(\d+)_?(\w*)$/.exec(value) ?? [];
	const text = cut(texts.get(Number(id)) ?? '', MOST.text);
	const name = text && `${text}${part && ` – ${part}`} (${value})`;
	const values = rows.map((row) => String(row[value] ?? ''));
	const example = values.find((one) => one !== '' && !/@|%40/.test(one)) ?? '';
	const description = example && `e.g. ${cut(example, MOST.example)}`;
	return { value, name: name || NAMES[value] || value, description };
}
