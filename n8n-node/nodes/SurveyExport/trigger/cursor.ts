import {
	addMicroseconds,
	earlier,
	later,
	type Timestamp,
	parseTimestamp,
	timestampOfMs,
} from '@survey-export/core';

/** The part of a response that the trigger looks at. */
export interface Collected {
	readonly uuid: string;
	readonly collected_at: string;
}

/**
 * The trigger's memory of one survey.
 *
 *     since                    newest     the service's present
 *     ──┤ every id remembered  ├──► new   │ ──► from the future
 *
 * A response is new when it was collected at or after `since` and its id is not among `ids`. So a response
 * that shows up late, with a time before `newest`, still starts the workflow, and so does each of several
 * with the same microsecond. A response older than `since` counts as known.
 *
 * `newest` never lies above the service's present. A response dated in the future starts the workflow once
 * and is remembered by its id, and the responses that come before that date are still new.
 */
export interface Cursor {
	/** Time of the newest response that is known; null when there was none yet. */
	readonly newest: Timestamp | null;
	readonly since: Timestamp | null;
	/** The known responses from `since` on, with their times. */
	readonly ids: Readonly<Record<string, Timestamp>>;
}

/** A workflow stores no more ids than this; a window that holds more is shortened instead. */
export const MOST_IDS = 10_000;
/** With this many future responses remembered, further ones wait until their time has come. */
export const MOST_AHEAD = 1_000;

export const timestampOf = (response: Collected): Timestamp =>
	parseTimestamp(response.collected_at) ?? timestampOfMs(0);

/** Where the lookback window begins that ends at `newest`. */
export function windowStart(newest: Timestamp, lookbackMs: number): Timestamp {
	return addMicroseconds(newest, -lookbackMs * 1_000);
}

/**
 * The cursor that takes everything there is now for known. `recent` holds, newest first, at least the
 * responses of the lookback window that ends at the newest one or at the present, whichever is earlier.
 */
export function baseline(
	recent: readonly Collected[],
	lookbackMs: number,
	present: Timestamp,
): Cursor {
	const [first] = recent;
	if (first === undefined) return { newest: null, since: null, ids: {} };
	const newest = earlier(timestampOf(first), present);
	const known = new Map(recent.map((response) => [response.uuid, timestampOf(response)]));
	return remembered(newest, windowStart(newest, lookbackMs), known).cursor;
}

/**
 * A test for responses that have not started the workflow yet. `present` counts only where it is later than what the
 * cursor knows: a service's clock, as its answers tell it, may be behind for a while.
 */
export function newTo(cursor: Cursor, present: Timestamp): (response: Collected) => boolean {
	const now = laterOf(cursor.newest, present);
	const ahead = Object.values(cursor.ids).filter((timestamp) => timestamp > now).length;
	return (response) => {
		const timestamp = timestampOf(response);
		if (cursor.since !== null && timestamp < cursor.since) return false;
		if (Object.hasOwn(cursor.ids, response.uuid)) return false;
		return timestamp <= now || ahead < MOST_AHEAD;
	};
}

/**
 * The cursor after `emitted` started the workflow. Responses that are not among them and not before the
 * window stay new. So a poll may emit a part of its finds, oldest first, and leave the rest to the next.
 *
 * `forgot` is true when the window held too many ids and was shortened: a response that shows up later than
 * the shortened window reaches does not start the workflow.
 */
export function advance(
	cursor: Cursor,
	emitted: readonly Collected[],
	lookbackMs: number,
	present: Timestamp,
): { cursor: Cursor; forgot: boolean } {
	if (emitted.length === 0) return { cursor, forgot: false };
	const known = new Map(Object.entries(cursor.ids));
	const now = laterOf(cursor.newest, present);
	let newest = cursor.newest;
	for (const response of emitted) {
		const timestamp = timestampOf(response);
		known.set(response.uuid, timestamp);
		if (timestamp <= now && (newest === null || timestamp > newest)) newest = timestamp;
	}
	if (newest === null) {
		const ids = Object.fromEntries(known);
		return { cursor: { newest: null, since: null, ids }, forgot: false };
	}
	return remembered(newest, laterOf(cursor.since, windowStart(newest, lookbackMs)), known);
}

/** Where to begin reading: no earlier than ids are remembered, no earlier than the lookback asks. */
export function readFrom(cursor: Cursor, lookbackMs: number): Timestamp | undefined {
	if (cursor.newest === null) return undefined;
	return laterOf(cursor.since, windowStart(cursor.newest, lookbackMs));
}

/** A cursor with the ids from `start` on, or from later on where these are too many. */
function remembered(
	newest: Timestamp,
	start: Timestamp,
	known: ReadonlyMap<string, Timestamp>,
): { cursor: Cursor; forgot: boolean } {
	let since = start;
	let kept = [...known].filter(([, timestamp]) => timestamp >= since);
	const forgot = kept.length > MOST_IDS;
	if (forgot) {
		kept.sort(([, one], [, other]) => (one > other ? -1 : 1));
		// All ids of one timestamp stay or go together: half of them would come again.
		since = earlier(addMicroseconds(kept[MOST_IDS]![1], 1), newest);
		kept = kept.filter(([, timestamp]) => timestamp >= since);
	}
	return { cursor: { newest, since, ids: Object.fromEntries(kept) }, forgot };
}

const laterOf = (one: Timestamp | null, other: Timestamp): Timestamp =>
	one === null ? other : later(one, other);
