import { addMicroseconds, type Moment } from '../../../../connector/core/index.ts';
import { type Collected, momentOfResponse } from './cursor.ts';

/** Reads the responses from `from` to `to` (both inclusive), newest first, and stops after about `most`. */
export type ReadSlice<Response extends Collected> = (
	from: Moment | undefined,
	to: Moment | undefined,
	most: number,
) => Promise<{ readonly responses: readonly Response[]; readonly complete: boolean }>;

const EARLIEST: Moment = '1970-01-01T00:00:00.000000Z';

/**
 * The oldest `wanted` of the responses from `from` on that `isNew` accepts, oldest first.
 *
 * The service lists newest first, so the oldest come last, behind everything that has piled up. A short
 * list is simply read. A long one is not read to its end at every poll: the time it spans is halved until
 * a part is left that is short, and holds something new. Nothing new lies below what is returned.
 *
 *     from ├─────────────┬──────────────────────────┤ now
 *          └─ read this ─┘ too much to read at once
 */
export async function oldestNew<Response extends Collected>(
	readSlice: ReadSlice<Response>,
	from: Moment | undefined,
	wanted: number,
	isNew: (response: Response) => boolean,
): Promise<Response[]> {
	/** Nothing new lies before this. */
	let low = from ?? EARLIEST;
	let high: Moment | undefined;
	/** The oldest moment that a slice reached which was too long; something lies there. */
	let reached: Moment | undefined;
	let most = Math.max(1_000, 2 * wanted);
	for (;;) {
		const { responses, complete } = await readSlice(low, high, most);
		const found = responses.filter(isNew);
		if (complete && (found.length > 0 || high === undefined)) return oldest(found, wanted);
		if (complete) {
			low = high!;
			high = middle(low, reached!) ?? reached;
		} else {
			reached = momentOfResponse(responses.at(-1)!);
			high = middle(low, reached);
			// Too many of one moment to tell apart by time: they are read all.
			if (high === undefined) {
				high = reached;
				most = Number.POSITIVE_INFINITY;
			}
		}
	}
}

function oldest<Response extends Collected>(found: Response[], wanted: number): Response[] {
	const byTime = found.map((response) => ({ response, at: momentOfResponse(response) })).reverse();
	byTime.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
	return byTime.slice(0, wanted).map(({ response }) => response);
}

/** The moment half way from one to the other; undefined when none lies between. */
function middle(low: Moment, high: Moment): Moment | undefined {
	const half = addMicroseconds(low, Math.floor((microseconds(high) - microseconds(low)) / 2));
	return half > low && half < high ? half : undefined;
}

/** Since 1970. A number holds microseconds exactly until the year 2255. */
const microseconds = (moment: Moment): number =>
	Date.parse(`${moment.slice(0, 23)}Z`) * 1_000 + Number(moment.slice(23, 26));
