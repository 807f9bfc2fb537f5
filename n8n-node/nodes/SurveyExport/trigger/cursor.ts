import { addMicroseconds, type Moment, parseMoment } from '@survey-export/core';

/** What the trigger needs to know of a response. */
export interface Collected {
	readonly uuid: string;
	readonly collected_at: string;
}

/**
 * What the trigger remembers of one survey, as it is stored with the workflow.
 *
 *     since                    newest
 *     ──┤ every id remembered  ├──► new
 *
 * A response is new when it was collected at or after `since` and its id is not among `ids`. So one that
 * shows up late, with a time before `newest`, still starts the workflow, and of several with the same
 * microsecond each does. What is older than `since` counts as known.
 */
export interface Cursor {
	/** Time of the newest response that started the workflow (or was there before); null: none yet. */
	readonly newest: Moment | null;
	readonly since: Moment | null;
	/** The responses from `since` on that are known, with their times. */
	readonly ids: Readonly<Record<string, Moment>>;
}

/** More ids than this are not stored with a workflow; a window that holds more is shortened instead. */
export const MOST_IDS = 10_000;

export const momentOfResponse = (response: Collected): Moment =>
	parseMoment(response.collected_at) ?? '';

/** Where the lookback window begins that ends at `newest`. */
export function windowStart(newest: Moment, lookbackMs: number): Moment {
	return addMicroseconds(newest, -lookbackMs * 1_000);
}

/**
 * The cursor before the first poll's successor: everything that is there now is known. `recent` holds, newest
 * first, at least the responses of the lookback window below the newest.
 */
export function baseline(recent: readonly Collected[], lookbackMs: number): Cursor {
	const nothing: Cursor = { newest: null, since: null, ids: {} };
	return advance(nothing, recent, lookbackMs).cursor;
}

/** Whether a response has not started the workflow yet. */
export function isNew(cursor: Cursor, response: Collected): boolean {
	const moment = momentOfResponse(response);
	return (
		(cursor.since === null || moment >= cursor.since) && !Object.hasOwn(cursor.ids, response.uuid)
	);
}

/**
 * The cursor after `emitted` started the workflow. Responses that are not among them and not before the
 * window stay new, so a poll may emit a part of what it found, oldest first, and leave the rest to the next.
 *
 * `forgot` is true when the window held too many ids and was shortened: a response that shows up later than
 * the shortened window reaches will not start the workflow.
 */
export function advance(
	cursor: Cursor,
	emitted: readonly Collected[],
	lookbackMs: number,
): { cursor: Cursor; forgot: boolean } {
	const known = new Map(Object.entries(cursor.ids));
	let newest = cursor.newest ?? '';
	for (const response of emitted) {
		const moment = momentOfResponse(response);
		known.set(response.uuid, moment);
		if (moment > newest) newest = moment;
	}
	if (newest === '') return { cursor, forgot: false };

	let since = later(cursor.since ?? '', windowStart(newest, lookbackMs));
	let kept = [...known].filter(([, moment]) => moment >= since);
	const forgot = kept.length > MOST_IDS;
	if (forgot) {
		kept.sort(([, one], [, other]) => (one > other ? -1 : 1));
		// All of one moment stay or go together: half of them would come again.
		since = addMicroseconds(kept[MOST_IDS]![1], 1);
		kept = kept.filter(([, moment]) => moment >= since);
	}
	return { cursor: { newest, since, ids: Object.fromEntries(kept) }, forgot };
}

/** Where to begin reading: no earlier than ids are remembered, no earlier than the lookback asks. */
export function readFrom(cursor: Cursor, lookbackMs: number): Moment | undefined {
	if (cursor.newest === null) return undefined;
	return later(cursor.since ?? '', windowStart(cursor.newest, lookbackMs));
}

const later = (one: Moment, other: Moment): Moment => (one > other ? one : other);
