import { microsecondsBetween, type Timestamp } from '@survey-export/core';

/** Polls in a row that handed over as many responses as they may, with more left behind. */
export interface Backlog {
	readonly polls: number;
	/** How much older than the newest response the last one handed over was, at the first of these polls. */
	readonly firstLagMs: number;
	/** When the owner was told, in milliseconds since 1970. */
	readonly toldMs?: number | undefined;
}

const POLLS_TO_TELL = 3;
/** After this time the same report is made again. A little less than a day: polls come at slightly different times. */
export const TELL_AGAIN_MS = 23 * 3_600_000;

/**
 * The backlog after a poll that left responses behind, and whether to tell the owner: from the third such
 * poll on, when the newest response is further away than it was at the first. A burst only gets closer.
 */
export function backlogAfter(
	before: Backlog | undefined,
	lagMs: number,
	nowMs: number,
): { readonly backlog: Backlog; readonly tell: boolean } {
	const { polls, firstLagMs, toldMs } = before ?? { polls: 0, firstLagMs: lagMs };
	const grows = polls + 1 >= POLLS_TO_TELL && lagMs > firstLagMs;
	const tell = grows && (toldMs === undefined || nowMs - toldMs >= TELL_AGAIN_MS);
	return {
		backlog: { polls: polls + 1, firstLagMs, toldMs: tell ? nowMs : toldMs },
		tell,
	};
}

export const lagMsOf = (handedOver: Timestamp, newest: Timestamp): number =>
	Math.max(0, microsecondsBetween(handedOver, newest) / 1_000);
