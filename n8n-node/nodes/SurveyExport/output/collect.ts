import {
	type Moment as Timestamp,
	parseMoment as parseTimestamp,
	read,
	type ReadOptions,
	type Service as Client,
	type StreamName,
	type StreamRecord,
} from '@survey-export/core';

/** What to read, of one survey or one respondent. */
export type Wanted = Omit<ReadOptions, 'streams' | 'itemsPerPage' | 'inOrder'>;

/**
 * Reads records of a stream and turns each into its output: the newest `limit`, newest first.
 *
 * With a limit the list is read page by page from its newest end, and only as far as needed: 5 records cost
 * one request. Without a limit several slices are read at once, and put in order at the end.
 *
 * @throws SurveyExportError when a part of it cannot be read: half a list would look like a whole one
 */
export async function collectNewestFirst<Kind extends StreamRecord, Output>(
	client: Client,
	stream: StreamName,
	wanted: Wanted,
	limit: number | undefined,
	output: (record: Kind) => Output,
): Promise<Output[]> {
	const events = read(client, {
		...wanted,
		streams: new Map([[stream, undefined]]),
		itemsPerPage: Math.min(limit ?? 100, 100),
		inOrder: limit !== undefined,
	});
	const found: { readonly collectedAt: Timestamp; readonly output: Output }[] = [];
	for await (const event of events) {
		if (event.type === 'failure') throw event.error;
		if (event.type !== 'records') continue;
		for (const record of event.records) {
			const collectedAt = parseTimestamp(record.collected_at) ?? '';
			found.push({ collectedAt, output: output(record as Kind) });
		}
		if (limit !== undefined && found.length >= limit) break;
	}
	if (limit === undefined) found.sort(newestFirst);
	else if (found.length > limit) found.length = limit;
	return found.map((one) => one.output);
}

const newestFirst = (one: { collectedAt: Timestamp }, other: { collectedAt: Timestamp }) =>
	one.collectedAt > other.collectedAt ? -1 : one.collectedAt < other.collectedAt ? 1 : 0;
