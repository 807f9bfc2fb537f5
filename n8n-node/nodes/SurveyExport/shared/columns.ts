import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import {
	collectNewestFirst,
	formOf,
	given,
	type Response,
	respondentAttributes,
	RETRY_POLICIES,
	say,
	SELECTABLE_FIELDS,
	STREAMS,
	withRespondentAttributes,
} from '@survey-export/core';
import { connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
import { checkedId, isOn, namesIn } from './values.ts';

/** How much is read to learn the columns. */
const MOST = { surveys: 5, responses: 100, people: 20 };

const NAMES: Readonly<Record<string, string>> = {
	answers: 'All Answers',
	attributes: 'All Attributes',
};

/**
 * What can be selected: the fields of every response, and the columns that the newest responses of the node's surveys,
 * or of its person, have.
 */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const options = (this.getCurrentNodeParameter('options') ?? {}) as Record<string, unknown>;
	// An expression has no value before the workflow runs.
	const idsIn = (...names: readonly string[]): string[] =>
		names
			.flatMap((name) => namesIn(this.getCurrentNodeParameter(name)))
			.filter((id) => !id.startsWith('='));
	const lists = [
		...idsIn('surveyId', 'surveyIds')
			.slice(0, MOST.surveys)
			.map((id) => ({
				stream: STREAMS.survey_responses,
				surveyIds: [checkedId('Survey ID', id)],
				respondentUuids: [],
			})),
		...idsIn('respondentId').map((id) => ({
			stream: STREAMS.respondent_responses,
			surveyIds: [],
			respondentUuids: [checkedId('Respondent ID', id)],
		})),
	];
	try {
		const { client, treatment } = await connectionFor(this, RETRY_POLICIES.check, options);
		const signal = AbortSignal.timeout(30_000);
		const ignore = () => {};
		const newest = await Promise.all(
			lists.map(({ stream, ...ids }) =>
				collectNewestFirst<Response, Response>(
					client,
					stream,
					{ ...ids, attributes: namesIn(options.attributeNames), signal, onUnreadable: ignore },
					MOST.responses,
					(response) => response,
				),
			),
		);
		const responses = newest.flat();
		const people = isOn('Include Respondent Attributes', options.respondentAttributes)
			? await withRespondentAttributes(
					responses.slice(0, MOST.people),
					respondentAttributes(client, ignore),
					signal,
				)
			: [];
		const form = formOf('simplified', [], ignore);
		const items = [...responses, ...people].flatMap((one) => form.itemsOf(one, treatment));
		const columns = new Set([...SELECTABLE_FIELDS, ...Object.keys(form.finish(items)[0] ?? {})]);
		return [...columns].map((value) => ({ value, name: NAMES[value] ?? value }));
	} catch (thrown) {
		const ids = lists.flatMap((list) => [...list.surveyIds, ...list.respondentUuids]);
		throw nodeErrorOf(this.getNode(), thrown, {
			subject: () => ({ named: say`${given(ids.join(', '))}`, parameter: say`the ID` }),
		});
	}
}
