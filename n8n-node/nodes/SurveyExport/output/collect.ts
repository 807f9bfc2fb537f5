import type { IDataObject } from 'n8n-workflow';

import {
	type Moment as Timestamp,
	parseMoment as parseTimestamp,
	read,
	type ReadOptions,
	type Service,
	type StreamName,
	type StreamRecord,
} from '@survey-export/core';

/** What to read, of one survey or one respondent. */
export type Wanted = Omit<ReadOptions, 'streams' | 'itemsPerPage' | 'inOrder'>;

/**
 * Reads records of a stream and gives each its output form: the newest `limit`, newest first.
 *
 * With a limit the list is read page by page from its newest end and left as soon as there are enough:
 * 5 cost one request. Without one, several parts are read at once, and put in order at the end.
 *
 * @throws SurveyExportError when anything of it cannot be read: half a list would look like a whole one
 */
export async function collectNewestFirst<Kind extends StreamRecord>(
	service: Service,
	stream: StreamName,
	wanted: Wanted,
	limit: number | undefined,
	output: (record: Kind) => IDataObject,
): Promise<IDataObject[]> {
	const events = read(service, {
		...wanted,
		streams: new Map([[stream, undefined]]),
		itemsPerPage: Math.min(limit ?? 100, 100),
		inOrder: limit !== undefined,
	});
	const found: { collectedAt: Timestamp; json: IDataObject }[] = [];
	for await (const event of events) {
		if (event.type === 'failure') throw event.error;
		if (event.type !== 'records') continue;
		for (const record of event.records) {
			const collectedAt = parseTimestamp(record.collected_at) ?? '';
			found.push({ collectedAt, json: output(record as Kind) });
		}
		if (limit !== undefined && found.length >= limit) break;
	}
	if (limit === undefined) found.sort(newestFirst);
	else if (found.length > limit) found.length = limit;
	return found.map(({ json }) => json);
}

const newestFirst = (one: { collectedAt: Timestamp }, other: { collectedAt: Timestamp }) =>
	one.collectedAt > other.collectedAt ? -1 : one.collectedAt < other.collectedAt ? 1 : 0;
