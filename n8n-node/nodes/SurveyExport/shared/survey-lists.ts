import { counted, type ListedSurvey, listSurveys, RETRY_POLICIES, render, say } from '@survey-export/core';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { type Connection, connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';

/** How long the editor waits for a list. */
const LONGEST_MS = 30_000;
/** A list in the editor continues after so many. */
const ENOUGH = 100;

/** For a field that chooses one survey: those whose name or ID has `filter` in it, newest first. */
export async function searchSurveys(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const isMeant = hasWords(filter);
	return await withSurveys(this, paginationToken, async (pages) => {
		const results: INodeListSearchItems[] = [];
		for await (const { surveys, next } of pages) {
			results.push(...surveys.filter(isMeant).map(itemOf));
			if (next !== undefined && results.length >= ENOUGH) return { results, paginationToken: next };
		}
		return { results };
	});
}

/** Whether a survey has this text in its name or ID. */
export function hasWords(text: string): (survey: ListedSurvey) => boolean {
	const words = text.trim().toLowerCase();
	return ({ id, name }) => `${name ?? ''}\n${id}`.toLowerCase().includes(words);
}

/** For a field that chooses several: all of them, newest first. */
export async function getSurveys(this: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	return await withSurveys(this, undefined, async (pages) => {
		const all: INodeListSearchItems[] = [];
		for await (const { surveys } of pages) all.push(...surveys.map(itemOf));
		return all;
	});
}

async function withSurveys<Result>(
	context: ILoadOptionsFunctions,
	from: string | undefined,
	use: (pages: ReturnType<typeof listSurveys>) => Promise<Result>,
): Promise<Result> {
	let connection: Connection | undefined;
	try {
		connection = await connectionFor(context, RETRY_POLICIES.check, {});
		return await use(listSurveys(connection.client, AbortSignal.timeout(LONGEST_MS), from));
	} catch (thrown) {
		throw nodeErrorOf(context.getNode(), thrown, connection?.render);
	}
}

/** Its name, then what tells it from others of the same name. */
function itemOf({ id, name, fields: { responses, enabled } }: ListedSurvey): INodeListSearchItems {
	const facts = [
		...(typeof responses === 'number' ? [render(counted(responses, say`response`, say`responses`))] : []),
		...(enabled === false ? ['disabled'] : []),
	];
	return { name: `${name ?? id}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`, value: id };
}
