import {
	addMicroseconds,
	type Client,
	type Coverage,
	certain,
	chooseSurveys,
	coverageOf,
	EMPTY_STATE,
	earlier,
	inParallel,
	isStrictlyInside,
	type ListedSurvey,
	listSurveys,
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
import { collectNewestFirst } from '../shared/newest-first.ts';
import type { TriggerSettings } from './settings.ts';
import type { WatchedSurvey, WatchState } from './watch-state.ts';

/** Where the coverage of a survey without responses ends. */
const BEFORE_ALL = timestampOfMs(0);
/** Responses of a survey that its first poll looks at: a page. */
const FIRST_PAGE = 100;

type Watched = Pick<TriggerSettings, 'surveyIds' | 'attributes' | 'lookbackMs' | 'minimumAgeMs'>;

export interface PollOptions extends Watched {
	/** What the list of surveys has shown so far. What this poll reads of it is added. */
	readonly listed: Map<string, ListedSurvey>;
	/** Ends the reading. What was read until then counts. */
	readonly signal: AbortSignal;
}

/** What one poll brings. */
export interface NewResponses {
	/** Oldest first. */
	readonly responses: readonly SurveyResponse[];
	/** To go on from, if the responses are handed over. */
	readonly after: WatchState;
	/** Whether a page of responses was read, or there is no survey. */
	readonly hasRead: boolean;
	/** Why surveys could not be read, or not to their end. */
	readonly failures: ReadonlyMap<string, SurveyExportError>;
	/** Responses that cannot be read. They are left out, and the next poll tries again. */
	readonly unreadable: readonly SurveyExportError[];
}

/**
 * Responses that are new to a watch, each handed over once: what lies outside of its coverage and is not known by its
 * UUID. So a response that appears late, within the lookback, is new. One that is too young when the poll begins comes
 * with a later poll, with the answers that it has then. If the time ends first, the newest part of each survey comes now,
 * and the rest with the next poll: the coverage says exactly what is left.
 *
 * Of a survey that the watch does not know, nothing that is there now is new. While all surveys are watched, that is so in
 * the first poll only. From then on, a survey that appears is new from its first response on, and so is one that the first
 * poll had no time for: its coverage is what lies before the watch began.
 * @throws SurveyExportError if the list of surveys cannot be read, or has none of those that the watch knows; the signal's
 * reason if that is aborted before the list was read. What fails of single surveys is part of the result
 */
export async function newResponses(
	client: Client,
	from: WatchState,
	options: PollOptions,
): Promise<NewResponses> {
	const { surveyIds: named, lookbackMs, signal } = options;
	const present = presentAtStart(client);
	const all = named === undefined ? await allSurveys(client, options) : undefined;
	const known = new Set(from.surveys.keys());
	const surveyIds = new Set(all ? chooseSurveys({ found: all }, known) : named);
	const unknown = [...surveyIds.difference(known)];
	const surveys = new Map(from.surveys);
	const failures = new Map<string, SurveyExportError>();
	let hasRead = all?.size === 0;

	const { allSince } = all ? from : {};
	if (allSince !== undefined)
		for (const id of unknown) surveys.set(id, { coverage: [[null, allSince]], handedOver: new Map() });
	// Polls whose time ends read all surveys in turn.
	const ids = [...surveys.keys()].filter((id) => surveyIds.has(id));
	const start = ids.indexOf(from.next ?? '');
	const inTurn = [...ids.slice(start), ...ids.slice(0, start)];
	const watched = new Map(inTurn.map((id) => [id, certain(surveys.get(id), 'the survey')]));
	await inParallel(allSince === undefined ? unknown : [], async (id) => {
		try {
			surveys.set(id, await begun(client, id, present, options));
			hasRead = true;
		} catch (thrown) {
			if (!signal.aborted) failures.set(id, SurveyExportError.from(thrown));
		}
	});

	const read = await readNew(client, watched, present, options);
	for (const [id, survey] of read.surveys) surveys.set(id, survey);
	const next = inTurn[inTurn.findLastIndex((id) => read.surveys.has(id)) + 1];
	// One that is not found may be unlisted since it was deleted.
	for (const [id, failure] of read.failures)
		if (failure.code !== 'not_found' || (all?.has(id) ?? true)) failures.set(id, failure);
	const since = all && (allSince ?? addMicroseconds(present(), -1_000 * lookbackMs));
	const { responses, unreadable } = read;
	hasRead ||= read.surveys.size > 0;
	return { responses, after: { surveys, allSince: since, next }, hasRead, failures, unreadable };
}

/**
 * The service's present when the poll began, as its latest answer tells it. What a page shows, it showed after that.
 * Before the first answer, this machine's clock tells it.
 */
function presentAtStart(client: Client): () => Timestamp {
	const { clock } = client.host;
	const startedMs = clock.monotonicMs();
	return () => addMicroseconds(client.present(), 1_000 * (startedMs - clock.monotonicMs()));
}

/** What the service lists, to its end. @throws SurveyExportError; the signal's reason when that is aborted */
export async function allSurveys(
	client: Client,
	{ listed, signal }: Pick<PollOptions, 'listed' | 'signal'>,
): Promise<ReadonlyMap<string, ListedSurvey>> {
	const all = new Map<string, ListedSurvey>();
	for await (const { surveys } of listSurveys(client, signal))
		for (const survey of surveys) {
			all.set(survey.id, survey);
			listed.set(survey.id, survey);
		}
	return all;
}

type Read = Omit<NewResponses, 'after' | 'hasRead'> & Pick<WatchState, 'surveys'>;

/** Reads what is new of surveys that are known. The result has those of which a page was read. */
async function readNew(
	client: Client,
	watched: ReadonlyMap<string, WatchedSurvey>,
	present: () => Timestamp,
	{ attributes, lookbackMs, minimumAgeMs, listed, signal }: PollOptions,
): Promise<Read> {
	const before = new Map([...watched].map(([id, { coverage }]) => [id, coverage]));
	const handedOver = new Map([...watched].map(([id, survey]) => [id, new Map(survey.handedOver)]));
	const failed = new Map<string | undefined, SurveyExportError>();
	const unreadable: SurveyExportError[] = [];
	const responses: SurveyResponse[] = [];
	const reached = new Set<string>();
	/** Of each survey, the oldest response that is too young. It is left to a later poll, and so is all above it. */
	const young = new Map<string, Timestamp>();
	let state: StateSnapshot | undefined;
	const events = readStreams(client, {
		surveyIds: [...watched.keys()],
		respondentUuids: [],
		attributes,
		lookbackMs,
		inOrder: true,
		signal,
		listed,
		streams: new Map([[STREAMS.survey_responses, { ...EMPTY_STATE, surveys: before }]]),
	});
	try {
		// Without a survey, all would be read.
		if (watched.size > 0)
			for await (const event of events) {
				// Too many unreadable responses also fail the stream in the end. Each was told of.
				if (event.type === 'failure' && event.error.code !== 'unreadable_item')
					failed.set(event.surveyId, event.error);
				if (event.type === 'unreadable') unreadable.push(event.error);
				if (event.type !== 'records' && event.type !== 'end') continue;
				state = event.state;
				if (event.type === 'end') continue;
				const id = certain(event.surveyId, 'the survey');
				reached.add(id);
				const known = certain(handedOver.get(id), 'what was handed over of it');
				const covered = before.get(id) ?? NOTHING;
				const oldEnough = addMicroseconds(present(), -1_000 * minimumAgeMs);
				for (const response of event.records as readonly SurveyResponse[]) {
					const [uuid, at] = [response.uuid, timeOf(response)];
					if (known.has(uuid) || isStrictlyInside(covered, at)) continue;
					if (minimumAgeMs > 0 && at > oldEnough) {
						young.set(id, earlier(at, young.get(id) ?? at));
						continue;
					}
					known.set(uuid, at);
					responses.push(response);
				}
			}
	} catch (thrown) {
		if (!signal.aborted) throw SurveyExportError.from(thrown);
	}

	const surveys = new Map<string, WatchedSurvey>();
	const failures = new Map<string, SurveyExportError>();
	const covered = new Map(Object.entries(state?.toJSON().surveys ?? {}));
	// A failure of the whole run, such as a refused key, is one of each survey. It may also repeat one that names its own.
	const ofAll = failed.size === 1 ? failed.get(undefined) : undefined;
	for (const [id, survey] of watched) {
		const failure = failed.get(id) ?? ofAll;
		if (failure) failures.set(id, failure);
		if (!reached.has(id)) continue;
		// If the service's clock was set back, the state ends lower than before. The UUIDs from there on are forgotten.
		const [read, end] = [covered.get(id) ?? NOTHING, young.get(id)];
		const coverage = coverageOf([...survey.coverage, ...(end ? upTo(end, read) : read)]);
		surveys.set(id, { coverage, handedOver: handedOver.get(id) ?? survey.handedOver });
	}
	return { responses: oldestFirst(responses), surveys, failures, unreadable };
}

/** The part of a coverage that ends there, at the latest. */
const upTo = (end: Timestamp, coverage: Coverage): Coverage =>
	coverage.flatMap(([from, to]) => (from === null || from < end ? [[from, earlier(to, end)] as const] : []));

/**
 * Remembers the newest page of a survey, and covers what is older than that. So it does with what is older than the
 * lookback: no response of before then may still appear. The newest one stands for a present that is later, so that few
 * UUIDs are remembered and no clock can move the coverage above what the survey has.
 */
async function begun(
	client: Client,
	id: string,
	present: () => Timestamp,
	{ lookbackMs, signal }: PollOptions,
): Promise<WatchedSurvey> {
	// No names are needed.
	const wanted = { of: { surveyId: id }, limit: FIRST_PAGE, signal };
	const uuidAndTime = (key: StreamRecord) => [String(key.response_uuid), timeOf(key)] as const;
	const found = await collectNewestFirst(client, STREAMS.response_keys, wanted, uuidAndTime);
	const handedOver = new Map(found);
	const [newest] = handedOver.values();
	if (newest === undefined) return { coverage: [[null, BEFORE_ALL]], handedOver };
	const settled = addMicroseconds(earlier(newest, present()), -1_000 * lookbackMs);
	const last = found.length < FIRST_PAGE ? undefined : found.at(-1)?.[1];
	// Further responses of the same time as the last may follow on the next page, also if the whole page is of that time.
	const shown = last && (found.findLast(([, at]) => at > last)?.[1] ?? addMicroseconds(last, 1));
	const coveredTo = shown && shown > settled ? earlier(shown, client.present()) : settled;
	return { coverage: [[null, coveredTo]], handedOver };
}

const timeOf = ({ collected_at }: StreamRecord): Timestamp =>
	certain(parseTimestamp(collected_at), 'collected_at');

/** Of one timestamp, the service shows the newest first. */
const oldestFirst = (responses: readonly SurveyResponse[]): SurveyResponse[] =>
	responses
		.toReversed()
		.sort(({ collected_at: one }, { collected_at: other }) => (one < other ? -1 : one > other ? 1 : 0));
