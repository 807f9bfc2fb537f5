import {
	type Client,
	earlier,
	type SurveyExportError,
	type SurveyResponse,
	type Timestamp,
} from '@survey-export/core';
import {
	baseline,
	type Cursor,
	MOST_IDS,
	newTo,
	readFrom,
	timestampOf,
	windowStart,
} from './cursor.ts';
import { oldestNew, type ReadSlice } from './oldest.ts';
import type { TriggerSettings } from './settings.ts';
import { sliceReader } from './slice-reader.ts';

/** The finds of one poll in one survey. */
export interface Found {
	readonly surveyId: string;
	/** From where the next poll goes on if none of the responses are handed over; undefined: as before. */
	readonly cursor: Cursor | undefined;
	/** New responses, oldest first. */
	readonly responses: readonly SurveyResponse[];
	/** Time of the newest response there is, where one was seen. */
	readonly newest?: Timestamp | undefined;
	/** Why the survey could not be read. */
	readonly failure?: unknown;
	/** The first response that could not be read and was left out. */
	readonly unreadable?: SurveyExportError | undefined;
}

/** A response that is to start the workflow. */
export interface Due {
	readonly surveyId: string;
	readonly response: SurveyResponse;
}

/**
 * New responses of one survey since its cursor. A failure of the survey is a part of the finds.
 */
export async function findInSurvey(
	surveyId: string,
	cursor: Cursor | undefined,
	client: Client,
	settings: TriggerSettings,
	stop: AbortSignal,
): Promise<Found> {
	let unreadable: SurveyExportError | undefined;
	const readSlice = sliceReader(client, surveyId, settings.attributeNames, stop, (error) => {
		unreadable ??= error;
	});
	try {
		const found =
			cursor === undefined
				? await firstLook(surveyId, readSlice, client, settings)
				: await newOfSurvey(surveyId, cursor, readSlice, client, settings);
		return { ...found, unreadable };
	} catch (failure) {
		stop.throwIfAborted();
		return { surveyId, cursor, responses: [], failure };
	}
}

async function firstLook(
	surveyId: string,
	readSlice: ReadSlice<SurveyResponse>,
	client: Client,
	{ lookbackMs }: TriggerSettings,
): Promise<Found> {
	const [newest] = (await readSlice(undefined, undefined, 1)).responses;
	if (newest === undefined) {
		return { surveyId, cursor: baseline([], lookbackMs, client.present()), responses: [] };
	}
	const start = windowStart(earlier(timestampOf(newest), client.present()), lookbackMs);
	const recent = (await readSlice(start, undefined, MOST_IDS + 1)).responses;
	return { surveyId, cursor: baseline(recent, lookbackMs, client.present()), responses: [] };
}

async function newOfSurvey(
	surveyId: string,
	cursor: Cursor,
	readSlice: ReadSlice<SurveyResponse>,
	client: Client,
	{ lookbackMs, mostPerPoll }: TriggerSettings,
): Promise<Found> {
	// Made with the first response, when the service has said what time it is.
	let isNew: ReturnType<typeof newTo> | undefined;
	const from = readFrom(cursor, lookbackMs);
	const found = await oldestNew(readSlice, from, mostPerPoll, (response) => {
		isNew ??= newTo(cursor, client.present());
		return isNew(response);
	});
	return { surveyId, cursor, ...found };
}

/** The oldest responses of all surveys. Each survey keeps its own order, so none skips any of its own. */
export function oldestOfAll(found: readonly Found[], most: number): Due[] {
	return found
		.flatMap(({ surveyId, responses }) =>
			responses.map((response) => ({ surveyId, response, at: timestampOf(response) })),
		)
		.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
		.slice(0, most);
}
