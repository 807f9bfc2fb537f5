import { counted, type ListedSurvey, listSurveys, RETRY_POLICIES, render, say } from '@survey-export/core';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { type Connection, connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
import { settingError } from './values.ts';

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
	return await choicesFor(this, filter, ENOUGH, paginationToken);
}

/** For a field that chooses several: all of them, newest first. */
export async function getSurveys(this: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
	return (await choicesFor(this, '', Infinity)).results;
}

/** Whether a survey has this text in its name or ID. */
export function hasWords(text: string): (survey: ListedSurvey) => boolean {
	const words = text.trim().toLowerCase();
	return ({ id, name }) => `${name ?? ''}\n${id}`.toLowerCase().includes(words);
}

/** If the list fails at its beginning, this is an error; if later, its last choice says so. */
async function choicesFor(context: ILoadOptionsFunctions, filter: string, enough: number, from?: string) {
	const results: INodeListSearchItems[] = [];
	const signal = AbortSignal.timeout(LONGEST_MS);
	let connection: Connection | undefined;
	try {
		connection = await connectionFor(context, RETRY_POLICIES.check, {});
		for await (const { surveys, next } of listSurveys(connection.client, signal, from)) {
			results.push(...surveys.filter(hasWords(filter)).map(itemOf));
			if (next !== undefined && results.length >= enough) return { results, paginationToken: next };
		}
		return { results };
	} catch (thrown) {
		const why = signal.aborted ? TOO_SLOW : thrown;
		if (results.length === 0) throw nodeErrorOf(context.getNode(), why, connection?.render);
		return { results: [...results, { name: CUT_SHORT, value: '' }] };
	}
}

const CUT_SHORT = 'The rest of the list could not be read';
const TOO_SLOW = settingError(
	say`The service's list of surveys takes too long`,
	say`Give the survey by its ID, or try again later.`,
);

/** Its name, then what tells it from others of the same name. */
function itemOf({ id, name, fields: { responses, enabled } }: ListedSurvey): INodeListSearchItems {
	const count = typeof responses === 'number' && render(counted(responses, say`response`, say`responses`));
	const facts = [count, enabled === false && 'disabled'].filter((fact) => fact !== false).join(', ');
	return { name: `${name?.trim() || id}${facts && ` (${facts})`}`, value: id };
}
