import {
	type Client,
	certain,
	coverageOf,
	EMPTY_STATE,
	earlier,
	isStrictlyInside,
	NOTHING,
	parseTimestamp,
	readStreams,
	STREAMS,
	type StateSnapshot,
	type StreamRecord,
	SurveyExportError,
	type SurveyResponse,
	type Timestamp,
	timestampOfMs,
} from '@survey-export/core';
import { collectNewestFirst, type Wanted } from '../shared/newest-first.ts';
import type { WatchedSurvey, WatchState } from './watch-state.ts';

/** Where the coverage of a survey without responses ends. */
const BEFORE_ALL = timestampOfMs(0);
/** Responses of a survey that its first poll looks at: a page. */
const FIRST_PAGE = 100;

/** `signal` ends the reading. What was read until then counts. */
export type PollOptions = Pick<Wanted, 'listed'> &
	Required<Pick<Wanted, 'surveyIds' | 'attributes' | 'lookbackMs'>> & {
		readonly signal: AbortSignal;
	};

/** What one poll brings. */
export interface NewResponses {
	/** Oldest first. */
	readonly responses: readonly SurveyResponse[];
	/** To go on from, if the responses are handed over. */
	readonly after: WatchState;
	/** Whether a page was read, or all that there is. */
	readonly hasRead: boolean;
	/** Why surveys could not be read, or not to their end. */
	readonly failures: ReadonlyMap<string, SurveyExportError>;
	/** Responses that cannot be read. They are left out, and the next poll tries again. */
	readonly unreadable: readonly SurveyExportError[];
}

/**
 * Responses that are new to a watch, each handed over once: what lies outside of its coverage and is not known by its
 * UUID. So a response that appears late, within the lookback, is new. Of a survey that the watch does not know, nothing
 * that is there now is new. If the time ends first, the newest part of each survey comes now, and the rest with the next
 * poll: the coverage says exactly what is left.
 * @throws SurveyExportError only for a defect; failures of surveys are part of the result
 */
export async function newResponses(
	client: Client,
	from: WatchState,
	{ surveyIds, attributes, lookbackMs, listed, signal }: PollOptions,
): Promise<NewResponses> {
	// Also of surveys that are not watched now: they may be again.
	const after = new Map(from);
	const failures = new Map<string, SurveyExportError>();
	const unreadable: SurveyExportError[] = [];
	const responses: Dated[] = [];
	let hasRead = false;

	const begin = async (id: string): Promise<void> => {
		try {
			const wanted = { surveyIds: [id], respondentUuids: [], signal, onUnreadable: () => {} };
			after.set(id, await begun(client, wanted));
			hasRead = true;
		} catch (thrown) {
			if (!signal.aborted) failures.set(id, SurveyExportError.from(thrown));
		}
	};

	const read = async (watched: ReadonlyMap<string, WatchedSurvey>): Promise<void> => {
		const surveys = new Map([...watched].map(([id, { coverage }]) => [id, coverage]));
		const handedOver = new Map([...watched].map(([id, survey]) => [id, new Map(survey.handedOver)]));
		const failed = new Map<string | undefined, SurveyExportError>();
		let state: StateSnapshot | undefined;
		const events = readStreams(client, {
			...{ surveyIds: [...watched.keys()], respondentUuids: [], attributes, lookbackMs },
			...{ inOrder: true, signal, ...(listed && { listed }) },
			streams: new Map([[STREAMS.survey_responses, { ...EMPTY_STATE, surveys }]]),
		});
		try {
			for await (const event of events) {
				if (event.type === 'failure') failed.set(event.surveyId, event.error);
				if (event.type === 'unreadable') unreadable.push(event.error);
				if (event.type !== 'records' && event.type !== 'end') continue;
				state = event.state;
				hasRead ||= event.type === 'records' || event.complete;
				if (event.type === 'end') continue;
				const id = certain(event.surveyId, 'the survey');
				const known = certain(handedOver.get(id), 'what was handed over of it');
				const covered = surveys.get(id) ?? NOTHING;
				for (const response of (event.records as readonly SurveyResponse[]).map(dated)) {
					const { uuid, at } = response;
					if (known.has(uuid) || isStrictlyInside(covered, at)) continue;
					known.set(uuid, at);
					responses.push(response);
				}
			}
		} catch (thrown) {
			if (!signal.aborted) throw thrown;
		}
		const covered = new Map(Object.entries(state?.toJSON().surveys ?? {}));
		// A failure of the whole run, such as a refused key, is one of each survey. It may also repeat one that names its own.
		const ofAll = failed.size === 1 ? failed.get(undefined) : undefined;
		for (const [id, survey] of watched) {
			const failure = failed.get(id) ?? ofAll;
			if (failure) failures.set(id, failure);
			// If the service's clock was set back, the state ends lower than before. The UUIDs from there on are forgotten.
			const coverage = coverageOf([...survey.coverage, ...(covered.get(id) ?? NOTHING)]);
			after.set(id, { coverage, handedOver: handedOver.get(id) ?? survey.handedOver });
		}
	};

	const known = new Map([...from].filter(([id]) => surveyIds.includes(id)));
	await Promise.all(surveyIds.filter((id) => !known.has(id)).map(begin));
	if (known.size > 0) await read(known);
	return { responses: oldestFirst(responses), after, hasRead, failures, unreadable };
}

/** Remembers the newest page of a survey by UUID, and covers what is older than that. */
async function begun(client: Client, wanted: Wanted): Promise<WatchedSurvey> {
	// No names are needed.
	const found = await collectNewestFirst(client, STREAMS.response_keys, wanted, FIRST_PAGE, datedKey);
	const handedOver = new Map(found.map(({ uuid, at }) => [uuid, at]));
	const oldest = found.length < FIRST_PAGE ? undefined : found.at(-1)?.at;
	// Further responses of the same time as the oldest may follow on the next page.
	const newer = oldest && (found.findLast(({ at }) => at > oldest)?.at ?? oldest);
	return { coverage: [[null, newer ? earlier(newer, client.present()) : BEFORE_ALL]], handedOver };
}

const datedKey = ({ response_uuid: uuid, collected_at }: StreamRecord) => ({
	uuid: String(uuid),
	at: certain(parseTimestamp(collected_at), 'collected_at'),
});

interface Dated {
	readonly uuid: string;
	readonly at: Timestamp;
	readonly response: SurveyResponse;
}

const dated = (response: SurveyResponse): Dated => ({
	uuid: response.uuid,
	at: certain(parseTimestamp(response.collected_at), 'collected_at'),
	response,
});

/** Of one timestamp, the service shows the newest first. */
const oldestFirst = (responses: readonly Dated[]): SurveyResponse[] =>
	responses
		.toReversed()
		.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
		.map(({ response }) => response);
