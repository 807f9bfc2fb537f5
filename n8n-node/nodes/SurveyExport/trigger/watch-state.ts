import {
	type Coverage,
	isObject,
	isStrictlyInside,
	parseStreamState,
	parseTimestamp,
	type StreamState,
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
}

/** What a watch remembers, by survey. */
export type WatchState = ReadonlyMap<string, WatchedSurvey>;

/** A watch's memory as it is stored, as JSON. */
export interface StoredWatch {
	/** The coverage, in the form of a stream's state. */
	readonly state: StreamState;
	/** By survey and UUID: the time of the response. */
	readonly handed_over: Readonly<Record<string, Readonly<Record<string, Timestamp>>>>;
}

/** @throws SurveyExportError `invalid_state` if `storedWatch` has not made it */
export function parseWatch(value: unknown): WatchState {
	const { state, handed_over: lists } = isObject(value) ? value : {};
	// What is empty would be a first read.
	if (!isObject(state) || state.version === undefined || !isObject(lists)) throw invalid();
	const { surveys } = parseStreamState(state, 'survey_responses');
	const handedOver = new Map(Object.entries(lists));
	return new Map(
		[...surveys].map(([id, coverage]) => [id, { coverage, handedOver: timesIn(handedOver.get(id)) }]),
	);
}

function timesIn(responses: unknown = {}): ReadonlyMap<string, Timestamp> {
	if (!isObject(responses)) throw invalid();
	return new Map(
		Object.entries(responses).map(([uuid, at]) => {
			const timestamp = parseTimestamp(at);
			if (timestamp === undefined) throw invalid();
			return [uuid, timestamp];
		}),
	);
}

const invalid = (): SurveyExportError =>
	new SurveyExportError('config', 'invalid_state', say`The memory of what was handed over cannot be read.`);

/** The memory as it is stored, with those UUIDs only that the coverage does not account for. */
export function storedWatch(state: WatchState): StoredWatch {
	const outside = ({ coverage, handedOver }: WatchedSurvey) =>
		Object.fromEntries([...handedOver].filter(([, at]) => !isStrictlyInside(coverage, at)));
	return {
		state: {
			version: 1,
			surveys: Object.fromEntries([...state].map(([id, { coverage }]) => [id, coverage])),
		},
		handed_over: Object.fromEntries([...state].map(([id, watched]) => [id, outside(watched)])),
	};
}
