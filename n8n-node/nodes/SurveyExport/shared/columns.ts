import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import {
	collectNewestFirst,
	formOf,
	given,
	KEEP_ALL,
	type Response,
	respondentAttributes,
	RETRY_POLICIES,
	say,
	SELECTABLE_FIELDS,
	type StreamDefinition,
	STREAMS,
	withRespondentAttributes,
} from '@survey-export/core';
import { connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
import { checkedId, namesIn } from './values.ts';

/** How much is read to learn the columns. */
const MOST = { surveys: 5, responses: 100, people: 20 };

const NAMES: Readonly<Record<string, string>> = {
	answers: 'All Answers',
	attributes: 'All Attributes',
};

/**
 * What can be selected: the fields of every response, and the columns that the newest responses of the node's surveys,
 * or of its person, have. A parameter that an expression gives counts as empty: it has no value before the workflow runs.
 */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const listIn = (name: string): string[] => {
		const value = this.getCurrentNodeParameter(name);
		return String(value ?? '').startsWith('=') ? [] : namesIn(value);
	};
	const surveys = [...listIn('surveyId'), ...listIn('surveyIds')].slice(0, MOST.surveys);
	const people = listIn('respondentId');
	const attributes = listIn('options.attributeNames');
	const signal = AbortSignal.timeout(30_000);
	const ignore = () => {};
	try {
		const { client } = await connectionFor(this, RETRY_POLICIES.check, {});
		const newestOf = (stream: StreamDefinition, surveyIds: string[], respondentUuids: string[]) =>
			collectNewestFirst<Response, Response>(
				client,
				stream,
				{ surveyIds, respondentUuids, attributes, signal, onUnreadable: ignore },
				MOST.responses,
				(response) => response,
			);
		const newest = await Promise.all([
			...surveys.map((id) => newestOf(STREAMS.survey_responses, [checkedId('Survey ID', id)], [])),
			...people.map((id) =>
				newestOf(STREAMS.respondent_responses, [], [checkedId('Respondent ID', id)]),
			),
		]);
		const responses = newest.flat();
		if (this.getCurrentNodeParameter('options.respondentAttributes') === true) {
			const some = responses.slice(0, MOST.people);
			const attributesOf = respondentAttributes(client, ignore);
			responses.push(...(await withRespondentAttributes(some, attributesOf, signal)));
		}
		const form = formOf('simplified', [], ignore);
		const items = responses.flatMap((response) => form.itemsOf(response, KEEP_ALL));
		const columns = new Set([...SELECTABLE_FIELDS, ...Object.keys(form.finish(items)[0] ?? {})]);
		return [...columns].map((value) => ({ value, name: NAMES[value] ?? value }));
	} catch (thrown) {
		const ids = [...surveys, ...people].join(', ');
		throw nodeErrorOf(this.getNode(), thrown, {
			subject: () => ({ named: say`${given(ids)}`, parameter: say`the ID` }),
		});
	}
}
