import {
	type Client,
	type Probed,
	parseTimestamp,
	probe,
	readStreams,
	respondentId,
	type StreamDefinition,
	type StreamRecord,
	SurveyExportError,
	type SyncOptions,
	say,
	type Timestamp,
} from '@survey-export/core';
import { settingError } from './values.ts';

/** The part of a list to read. */
export interface Wanted
	extends Pick<SyncOptions, 'startDate' | 'endDate' | 'attributes' | 'listed' | 'signal'> {
	/** The survey or the respondent whose list it is. */
	readonly of: Probed;
	/** Undefined: all records. */
	readonly limit?: number | undefined;
	/** Called with a record that cannot be read. It is omitted: reading it again would not help. Default: nothing. */
	readonly onUnreadable?: (error: SurveyExportError) => void;
}

/**
 * Reads records of a stream and turns each into its output: the newest `limit`, newest first. Attributes and
 * questions keep the service's order: their `collected_at` is the time of reading.
 *
 * With a limit the list is read page by page from its newest end, and only as far as needed: 5 records cost
 * one request. Without a limit several slices are read at once, and put in order at the end. A respondent who is not known
 * has no records.
 * @throws SurveyExportError when a part of it cannot be read: half a list would look like a whole one
 */
export async function collectNewestFirst<Kind extends StreamRecord, Output>(
	client: Client,
	stream: StreamDefinition,
	{ of, limit, onUnreadable, ...wanted }: Wanted,
	output: (record: Kind) => Output,
): Promise<Output[]> {
	const events = readStreams(client, {
		...wanted,
		surveyIds: 'surveyId' in of ? [of.surveyId] : [],
		respondentUuids: 'respondentUuid' in of ? [of.respondentUuid] : [],
		streams: new Map([[stream, undefined]]),
		itemsPerPage: Math.min(limit ?? 100, 100),
		inOrder: limit !== undefined,
		// The user, or n8n's Retry On Fail, tries again.
		asksAgain: false,
	});
	let noted: SurveyExportError | undefined;
	const found: (readonly [collectedAt: Timestamp | undefined, output: Output])[] = [];
	for await (const event of events) {
		if (event.type === 'unreadable') onUnreadable?.(event.error);
		if (event.type === 'noted') noted ??= event.error;
		// Too many of them fail the stream in the end. Each was reported.
		if (event.type === 'failure' && event.error.code !== 'unreadable_item') {
			// The words of the one list say more than those of a whole sync.
			const error = noted ?? event.error;
			if ('respondentUuid' in of && error.code === 'not_found') return [];
			throw error;
		}
		if (event.type !== 'records') continue;
		for (const record of event.records)
			found.push([parseTimestamp(record.collected_at), output(record as Kind)]);
		if (limit !== undefined && found.length >= limit) break;
	}
	if (limit === undefined) found.sort(([one = ''], [other = '']) => (one > other ? -1 : one < other ? 1 : 0));
	return found.slice(0, limit).map(([, one]) => one);
}

/**
 * The same for a list that the user asked for by its id. One more request distinguishes a respondent without records from one who
 * is not known, and a survey that does not exist from a service that does not list questions.
 * @throws SurveyExportError `not_found` for a survey or a respondent that is not there
 */
export async function collectRequested<Kind extends StreamRecord, Output>(
	...[client, stream, wanted, output]: Parameters<typeof collectNewestFirst<Kind, Output>>
): Promise<Output[]> {
	const { of, signal } = wanted;
	const found = await collectNewestFirst(client, stream, wanted, output).catch(async (thrown) => {
		const isMissing = thrown instanceof SurveyExportError && thrown.code === 'not_found';
		if (!isMissing || stream.reads !== 'survey questions') throw thrown;
		const answer = await probe(client, of, signal);
		if (answer !== 'found') throw answer === 'not found' ? thrown : answer;
		throw settingError(
			say`The service does not list the questions of this survey`,
			say`They can be seen in the service's web panel.`,
		);
	});
	if (found.length > 0 || 'surveyId' in of) return found;
	const answer = await probe(client, of, signal);
	if (answer === 'found') return found;
	if (answer !== 'not found') throw answer;
	const facts = say`Respondent ${respondentId(of.respondentUuid)} was not found.`;
	throw new SurveyExportError('config', 'not_found', facts);
}
