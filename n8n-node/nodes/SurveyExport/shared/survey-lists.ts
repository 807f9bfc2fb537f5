import { type ListedSurvey, listSurveys, RETRY_POLICIES, say } from '@survey-export/core';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { type Connection, connectionFor } from './connect.ts';
import { nodeErrorOf } from './failure.ts';
import { settingError } from './values.ts';

/** How long the editor waits for a list. */
const LONGEST_MS = 30_000;
/** A list in the editor continues after so many. */
const ENOUGH = 100;
/** Pages of one search: the list may have no end. */
const MOST_PAGES = 30;
/** Characters of a name that are shown. */
const LONGEST_NAME = 200;

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

/** If the list fails at its beginning, this is an error; if later, or if it is too long, its last choice says so. */
async function choicesFor(context: ILoadOptionsFunctions, filter: string, enough: number, from?: string) {
	const found: ListedSurvey[] = [];
	const signal = AbortSignal.timeout(LONGEST_MS);
	let connection: Connection | undefined;
	try {
		connection = await connectionFor(context, { retryPolicy: RETRY_POLICIES.check });
		let pages = 0;
		for await (const { surveys, next } of listSurveys(connection.client, signal, from)) {
			found.push(...surveys.filter(hasWords(filter)));
			if (next === undefined) continue;
			if (found.length >= enough) return { results: choicesOf(found), paginationToken: next };
			if (++pages === MOST_PAGES) return cutShort(found);
		}
		return { results: choicesOf(found) };
	} catch (thrown) {
		const why = signal.aborted ? TOO_SLOW : thrown;
		if (found.length === 0) throw nodeErrorOf(context.getNode(), why, connection?.render);
		return cutShort(found);
	}
}

const CUT_SHORT = 'The rest of the list was not read: give other surveys by their IDs';
const cutShort = (found: readonly ListedSurvey[]) => ({
	results: [...choicesOf(found), { name: CUT_SHORT, value: '' }],
});
const TOO_SLOW = settingError(
	say`The service's list of surveys takes too long`,
	say`Give the survey by its ID, or try again later.`,
);

/** By their names; those of the same name also with the day of their creation and the ID. */
function choicesOf(surveys: readonly ListedSurvey[]): INodeListSearchItems[] {
	const alike = Map.groupBy(surveys, nameOf);
	return surveys.map((survey) => {
		const [name, day] = [nameOf(survey), survey.createdAt?.slice(0, 10)];
		const isAlone = alike.get(name)?.length === 1;
		const more = [day, survey.id].filter((part) => part !== undefined).join(', ');
		return { name: isAlone ? name : `${name} (${more})`, value: survey.id };
	});
}

/** At most so many characters of a text. */
function cut(text: string, most: number): string {
	const characters = [...text];
	const start = characters.slice(0, most - 1).join('');
	return characters.length > most ? `${start.trimEnd()}…` : text;
}

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\s]+/gu;
const nameOf = ({ id, name }: ListedSurvey): string =>
	cut((name ?? '').replace(CONTROL, ' ').trim() || id, LONGEST_NAME);
