import {
	addMicroseconds,
	earlier,
	grainOf,
	later,
	microsecondsBetween,
	roundDown,
	type Timestamp,
	timestampOfMs,
} from '@survey-export/core';
import { type Collected, timestampOf } from './cursor.ts';

/** Reads the responses from `from` to `to` (both inclusive), newest first, and stops after about `most`. */
export type ReadSlice<Response extends Collected> = (
	from: Timestamp | undefined,
	to: Timestamp | undefined,
	most: number,
) => Promise<{ readonly responses: readonly Response[]; readonly complete: boolean }>;

/** The responses of one request. */
const PAGE = 100;
interface Oldest<Response> {
	readonly responses: Response[];
	readonly newest: Timestamp | undefined;
}

const EARLIEST = timestampOfMs(0);

/**
 * The oldest `wanted` of the responses from `from` on that `isNew` accepts, oldest first, and the time of
 * the newest response there is.
 *
 * The service lists newest first, so the oldest come last, behind everything that has piled up. A short
 * list is read as it is. A long list is read from its older end on, in slices of time. Their length follows
 * the number of responses in them. Nothing new lies below the responses returned.
 *
 *     from ├─slice──┼───slice────┼ ┄ ┄ ┄ ┄ ┄ ┄ ┄ ┤ newest
 */
export async function oldestNew<Response extends Collected>(
	readSlice: ReadSlice<Response>,
	from: Timestamp | undefined,
	wanted: number,
	isNew: (response: Response) => boolean,
): Promise<Oldest<Response>> {
	const mostAtOnce = Math.max(1_000, 2 * wanted);
	const whole = await readSlice(from, undefined, mostAtOnce);
	const [first] = whole.responses;
	const newest = first === undefined ? undefined : timestampOf(first);
	if (newest === undefined || whole.complete) {
		return { responses: oldest(whole.responses.filter(isNew), wanted), newest };
	}
	// A service may show rounded timestamps and filter by finer ones (S7): slices end with a unit that it shows, and begin
	// half a unit earlier, should it round up.
	const unit = Math.min(...whole.responses.map((response) => grainOf(timestampOf(response))));
	const endOfUnit = (at: Timestamp) => addMicroseconds(roundDown(at, unit), unit - 1);
	const gathered = new Map<string, Response>();
	/** New responses before this have been gathered. */
	let low = from ?? EARLIEST;
	/** The oldest response of a slice that held too many: something lies there. */
	let reached = timestampOf(whole.responses.at(-1)!);
	let length = half(low, reached);
	let most = PAGE;
	while (low <= newest && gathered.size < wanted) {
		const high = endOfUnit(earlier(addMicroseconds(low, length), newest));
		const begin = later(from ?? EARLIEST, addMicroseconds(low, -Math.floor(unit / 2)));
		// Too many of one unit cannot be told apart by time: all are read.
		const { responses, complete } = await readSlice(begin, high, length >= unit ? most : Infinity);
		if (!complete) {
			reached = timestampOf(responses.at(-1)!);
			length = half(low, reached);
			most = PAGE;
			continue;
		}
		for (const response of responses) if (isNew(response)) gathered.set(response.uuid, response);
		if (high >= newest) break;
		low = addMicroseconds(high, 1);
		// After an empty slice, come closer to where something lies. After any other, take twice the length.
		length = responses.length === 0 && reached > low ? half(low, reached) : 2 * length + 1;
		most = Math.min(mostAtOnce, Math.max(PAGE, 4 * responses.length));
	}
	return { responses: oldest([...gathered.values()], wanted), newest };
}

/** Half the time from one timestamp to a later one, in microseconds. */
const half = (low: Timestamp, high: Timestamp): number =>
	Math.max(0, Math.floor(microsecondsBetween(low, high) / 2));

/** Oldest first; responses of one timestamp keep their order. */
function oldest<Response extends Collected>(found: Response[], wanted: number): Response[] {
	const byTime = found.map((response) => ({ response, at: timestampOf(response) }));
	byTime.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
	return byTime.slice(0, wanted).map(({ response }) => response);
}
