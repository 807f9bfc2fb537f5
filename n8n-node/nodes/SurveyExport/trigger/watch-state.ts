import {
	type Coverage,
	isObject,
	isStrictlyInside,
	parseStreamState,
	parseTimestamp,
	SurveyExportError,
	say,
	type Timestamp,
} from '@survey-export/core';

/** What is remembered of one survey. */
export interface WatchedSurvey {
	/** Nothing that lies strictly inside can be new. */
	readonly coverage: Coverage;
	/** The responses that were handed over, by UUID: those at least that lie elsewhere. */
	readonly handedOver: ReadonlyMap<string, Timestamp>;
	/**
	 * How many responses the list of surveys said before the watch last read the survey to its end. Undefined if the list
	 * did not say, or something is still to come: it was too young, or could not be read.
	 */
	readonly count?: number | undefined;
}

/** What a watch remembers. */
export interface WatchState {
	/** Every survey that was ever watched. */
	readonly surveys: ReadonlyMap<string, WatchedSurvey>;
	/** All surveys of the account are watched since then: one that appears has no older responses that are new. */
	readonly allSince?: Timestamp | undefined;
	/** The survey that the next poll begins with, if it is watched. */
	readonly next?: string | undefined;
}

/** What a watch remembers when it begins. */
export const NEW_WATCH: WatchState = { surveys: new Map() };

/** @throws SurveyExportError `invalid_state` if `storedWatch` has not made it */
export function parseWatch(value: unknown): WatchState {
	const { state, handed_over: lists, counts, all_since, next } = isObject(value) ? value : {};
	// What is empty would be a first read.
	if (!isObject(state) || state.version === undefined || !isObject(lists)) throw invalid();
	const { surveys } = parseStreamState(state, 'survey_responses');
	const handedOver = new Map(Object.entries(lists));
	const countOf = new Map(Object.entries(isObject(counts) ? counts : {}));
	const watched = new Map<string, WatchedSurvey>();
	for (const [id, coverage] of surveys)
		watched.set(id, { coverage, handedOver: timesIn(handedOver.get(id)), count: countIn(countOf.get(id)) });
	const allSince = all_since === undefined ? undefined : timeIn(all_since);
	return { surveys: watched, allSince, next: typeof next === 'string' ? next : undefined };
}

const timesIn = (responses: unknown): ReadonlyMap<string, Timestamp> =>
	new Map(Object.entries(responses ?? {}).map(([uuid, at]) => [uuid, timeIn(at)]));

const countIn = (value: unknown) => (typeof value === 'number' ? value : undefined);

function timeIn(value: unknown): Timestamp {
	const timestamp = parseTimestamp(value);
	if (timestamp === undefined) throw invalid();
	return timestamp;
}

const invalid = (): SurveyExportError =>
	new SurveyExportError('config', 'invalid_state', say`The memory of what was handed over cannot be read.`);

/**
 * The memory as it is stored, as JSON: the coverage in the form of a stream's state, and by survey and UUID the times of
 * those responses only that the coverage does not account for.
 */
export function storedWatch({ surveys, allSince, next }: WatchState) {
	const outside = ({ coverage, handedOver }: WatchedSurvey) =>
		Object.fromEntries([...handedOver].filter(([, at]) => !isStrictlyInside(coverage, at)));
	const coverages = Object.fromEntries([...surveys].map(([id, { coverage }]) => [id, coverage]));
	return {
		state: { version: 1, surveys: coverages },
		handed_over: Object.fromEntries([...surveys].map(([id, watched]) => [id, outside(watched)])),
		counts: Object.fromEntries([...surveys].map(([id, { count }]) => [id, count])),
		all_since: allSince,
		next,
	};
}

export type StoredWatch = ReturnType<typeof storedWatch>;
