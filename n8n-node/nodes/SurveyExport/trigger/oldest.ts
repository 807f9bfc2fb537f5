import { addMicroseconds, type Moment } from '@survey-export/core';
import { type Collected, momentOfResponse } from './cursor.ts';

/** Reads the responses from `from` to `to` (both inclusive), newest first, and stops after about `most`. */
export type ReadSlice<Response extends Collected> = (
	from: Moment | undefined,
	to: Moment | undefined,
	most: number,
) => Promise<{ readonly responses: readonly Response[]; readonly complete: boolean }>;

/** What one request brings. */
const PAGE = 100;
const EARLIEST: Moment = '1970-01-01T00:00:00.000000Z';

/**
 * The oldest `wanted` of the responses from `from` on that `isNew` accepts, oldest first.
 *
 * The service lists newest first, so the oldest come last, behind everything that has piled up. A short
 * list is simply read. A long one is not read to its end at every poll: from its older end on, it is taken
 * up in parts of time, whose length follows what they hold. Nothing new lies below what is returned.
 *
 *     from ├──part──┼────part────┼ ┄ ┄ ┄ ┄ ┄ ┄ ┄ ┤ newest
 */
export async function oldestNew<Response extends Collected>(
	readSlice: ReadSlice<Response>,
	from: Moment | undefined,
	wanted: number,
	isNew: (response: Response) => boolean,
): Promise<Response[]> {
	const mostAtOnce = Math.max(1_000, 2 * wanted);
	const whole = await readSlice(from, undefined, mostAtOnce);
	if (whole.complete) return oldest(whole.responses.filter(isNew), wanted);

	const newest = momentOfResponse(whole.responses[0]!);
	const gathered: Response[] = [];
	/** What is new before this has been gathered. */
	let low = from ?? EARLIEST;
	/** The oldest moment that a part reached which held too much: something lies there. */
	let reached = momentOfResponse(whole.responses.at(-1)!);
	let length = half(low, reached);
	let most = PAGE;
	while (low <= newest && gathered.length < wanted) {
		const high = earlier(addMicroseconds(low, length), newest);
		// Too many of one moment cannot be told apart by time: they are read all.
		const { responses, complete } = await readSlice(low, high, length > 0 ? most : Infinity);
		if (!complete) {
			reached = momentOfResponse(responses.at(-1)!);
			length = half(low, reached);
			most = PAGE;
			continue;
		}
		for (const response of responses) if (isNew(response)) gathered.push(response);
		low = addMicroseconds(high, 1);
		// An empty part: come closer to where something lies. Any other: the next may be twice as long.
		length = responses.length === 0 && reached > low ? half(low, reached) : 2 * length + 1;
		most = Math.min(mostAtOnce, Math.max(PAGE, 4 * responses.length));
	}
	return oldest(gathered, wanted);
}

/** Half the time from one moment to a later one, in microseconds. */
const half = (low: Moment, high: Moment): number =>
	Math.max(0, Math.floor((microseconds(high) - microseconds(low)) / 2));

const earlier = (one: Moment, other: Moment): Moment => (one < other ? one : other);

/** The oldest first; of one moment, in the order in which they were given. */
function oldest<Response extends Collected>(found: Response[], wanted: number): Response[] {
	const byTime = found.map((response) => ({ response, at: momentOfResponse(response) }));
	byTime.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
	return byTime.slice(0, wanted).map(({ response }) => response);
}

/** Since 1970. A number holds microseconds exactly until the year 2255. */
const microseconds = (moment: Moment): number =>
	Date.parse(`${moment.slice(0, 23)}Z`) * 1_000 + Number(moment.slice(23, 26));
