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

/** Responses of a survey that its first poll looks at: a page. */
const FIRST_PAGE = 100;

/** What a poll is asked for. */
export interface PollOptions
	extends Pick<
		TriggerSettings,
		'surveyIds' | 'excludedSurveyIds' | 'attributes' | 'lookbackMs' | 'minimumAgeMs'
	> {
	/** What the list of surveys has shown so far. What this poll sees of it is added. */
	readonly listed: Map<string, ListedSurvey>;
	/** Ends the poll. What was read until then counts. */
	readonly signal: AbortSignal;
}

/** What one poll brings. */
export interface NewResponses {
	/** Oldest first. */
	readonly responses: readonly SurveyResponse[];
	/** To go on from, if the responses are handed over. */
	readonly after: WatchState;
	/** Whether a page of responses was read, or nothing was in the way. */
	readonly hasRead: boolean;
	/** Why surveys could not be read, or not to their end. */
	readonly failures: ReadonlyMap<string, SurveyExportError>;
	/** Responses that cannot be read. They are omitted, and the next poll tries again. */
	readonly unreadable: readonly SurveyExportError[];
}

/**
 * Responses that are new to a watch, each handed over once: what lies outside of its coverage and is not known by its
 * UUID. So a response that appears late, within the lookback, is new. One that is too young when the poll begins comes
 * with a later poll, with the answers that it has then. If the time ends first, the newest part of each survey comes now,
 * and the rest with the next poll: the coverage says exactly what remains (I8).
 *
 * If the watch does not know a survey, nothing that is there now is new. While all surveys are watched, that is so in
 * the first poll only. From then on, a survey that appears is new from its first response on, and so is one that was
 * excluded, or that the first poll had no time for: its coverage is what lies before the watch began.
 *
 * The list of all surveys says which of them a poll asks (see `toAsk`).
 * @throws SurveyExportError if the list of surveys cannot be read, or has none of those that the watch knows; the signal's
 * reason if that is aborted before the list was read. A failure of a single survey is part of the result
 */
export async function newResponses(
	client: Client,
	from: WatchState,
	options: PollOptions,
): Promise<NewResponses> {
	const present = presentAtStart(client);
	const all = options.surveyIds ? undefined : await allSurveys(client, options.listed, options.signal);
	const sets = { reached: new Set<string>(), tried: new Set<string>() };
	const found = { surveys: new Map(from.surveys), ...sets, failures: new Map() };
	const poll: Poll = { client, options, all, present, ...found };
	const known = new Set(from.surveys.keys());
	const chosen = new Set(all ? await chosenOf(all, known, client, options.signal) : options.surveyIds);
	const surveyIds = chosen.difference(options.excludedSurveyIds);
	const unknown = [...surveyIds.difference(known)];
	const { allSince } = all ? from : {};
	if (allSince !== undefined)
		for (const id of unknown) poll.surveys.set(id, { coverage: [[null, allSince]], handedOver: new Map() });
	// Polls whose time ends read all surveys in turn.
	const ids = [...poll.surveys.keys()].filter((id) => surveyIds.has(id));
	const start = Math.max(0, ids.indexOf(from.next ?? ''));
	const inTurn = [...ids.slice(start), ...ids.slice(0, start)];
	if (allSince === undefined) await inParallel(unknown, (id) => begin(poll, id));
	const asked = toAsk(poll, inTurn);
	const { responses, unreadable } = await readNew(poll, [...asked]);
	// A survey that is not found may be unlisted since it was deleted.
	for (const [id, { code }] of poll.failures)
		if (code === 'not_found' && all?.has(id) === false) poll.failures.delete(id);
	const since = all && (allSince ?? addMicroseconds(poll.present(), -1_000 * options.lookbackMs));
	const last = inTurn.findLastIndex((id) => poll.tried.has(id));
	const next = inTurn.find((id, at) => !asked.has(id) || at > last);
	const hasRead = poll.reached.size > 0 || (poll.failures.size === 0 && !options.signal.aborted);
	const state = { surveys: poll.surveys, allSince: since, next };
	return { responses, after: state, hasRead, failures: poll.failures, unreadable };
}

/** Those of all surveys that a watch may read: its memory knows the surveys of its workspace. */
const chosenOf = (
	found: ReadonlyMap<string, ListedSurvey>,
	known: ReadonlySet<string>,
	client: Client,
	signal: AbortSignal,
) =>
	chooseSurveys(
		{ found, error: undefined, isMissing: false },
		{ listed: known, read: known },
		{
			get: (path, parse) => client.get(path, parse, signal),
		},
	);

/** A poll, and how far it is. */
interface Poll {
	readonly client: Client;
	readonly options: PollOptions;
	/** What the service lists, if all surveys are watched. */
	readonly all: ReadonlyMap<string, ListedSurvey> | undefined;
	readonly present: () => Timestamp;
	/** What is remembered of each survey. */
	readonly surveys: Map<string, WatchedSurvey>;
	/** The surveys of which a page was read. */
	readonly reached: Set<string>;
	/** These, and those that failed by themselves. The next poll begins after them. */
	readonly tried: Set<string>;
	/** By survey. */
	readonly failures: Map<string, SurveyExportError>;
}

/**
 * The service's present when the poll began, as its latest answer says. What a page shows, it showed after that.
 * Before the first answer, this machine's clock says it.
 */
function presentAtStart(client: Client): () => Timestamp {
	const { clock } = client.host;
	const startedMs = clock.monotonicMs();
	return () => addMicroseconds(client.present(), 1_000 * (startedMs - clock.monotonicMs()));
}

/** What the service lists, to its end. @throws SurveyExportError; the signal's reason when that is aborted */
export async function allSurveys(client: Client, listed: PollOptions['listed'], signal: AbortSignal) {
	const all = new Map<string, ListedSurvey>();
	for await (const { surveys } of listSurveys(client, signal))
		for (const survey of surveys) {
			all.set(survey.id, survey);
			listed.set(survey.id, survey);
		}
	return all;
}

/** How many responses the list says that a survey has, if it does. */
const countOf = ({ all }: Poll, id: string) => all?.get(id)?.responses;

/** A poll asks so many of the surveys in which nothing seems to be new, as a share of all: each comes within ten polls. */
const SHARE = 0.1;

/**
 * The surveys that a poll asks, in this order: those that have another count than when the watch last read them to their
 * end, or none, those with a response in the lookback, and some of the others in turn. So a count that is late or wrong
 * costs some polls, and never a response: what was not read is not covered.
 */
function toAsk(poll: Poll, inTurn: readonly string[]): ReadonlySet<string> {
	const young = addMicroseconds(poll.present(), -1_000 * poll.options.lookbackMs);
	const seemsQuiet = (id: string): boolean => {
		const { handedOver, count } = certain(poll.surveys.get(id), 'the survey');
		const isSame = count !== undefined && count === countOf(poll, id);
		return isSame && handedOver.values().every((at) => at <= young);
	};
	const quiet = inTurn.filter(seemsQuiet);
	return new Set(inTurn).difference(new Set(quiet.slice(Math.ceil(SHARE * inTurn.length))));
}

/** A survey that the watch knows, while a poll reads it. */
interface PolledSurvey extends WatchedSurvey {
	readonly handedOver: Map<string, Timestamp>;
	/** The oldest response that is too young. It comes with a later poll, and so does all above it. */
	young?: Timestamp;
}

/** Reads what is new in these surveys, which the watch knows. */
async function readNew(poll: Poll, ids: readonly string[]) {
	const { client, options, present, surveys, reached, tried, failures } = poll;
	const { minimumAgeMs, signal } = options;
	const polled = new Map<string, PolledSurvey>();
	for (const id of ids) {
		const { coverage, handedOver } = certain(surveys.get(id), 'the survey');
		polled.set(id, { coverage, handedOver: new Map(handedOver) });
	}
	const coverage = new Map([...polled].map(([id, survey]) => [id, survey.coverage]));
	const streams = new Map([[STREAMS.survey_responses, { ...EMPTY_STATE, surveys: coverage }]]);
	// The next poll tries again.
	const how = { inOrder: true, asksAgain: false };
	const wanted = { ...options, ...how, surveyIds: ids, respondentUuids: [], streams };
	const failed = new Map<string | undefined, SurveyExportError>();
	const unreadable: SurveyExportError[] = [];
	const [hidden, ended] = [new Set<string | undefined>(), new Set<string>()];
	const responses: SurveyResponse[] = [];
	let state: StateSnapshot | undefined;
	try {
		// Without a survey, all would be read.
		for await (const event of ids.length > 0 ? readStreams(client, wanted) : []) {
			if (event.type === 'noted') failed.set(event.surveyId, event.error);
			// Too many unreadable responses also fail the stream in the end. Each was reported.
			if (event.type === 'failure' && event.error.code !== 'unreadable_item')
				for (const id of event.surveyIds.length > 0 ? event.surveyIds : [undefined])
					if (!failed.has(id)) failed.set(id, event.error);
			if (event.type === 'unreadable') {
				unreadable.push(event.error);
				hidden.add(event.surveyId);
			}
			if (event.type === 'records' || event.type === 'end') state = event.state;
			if (event.type !== 'records') continue;
			const id = certain(event.surveyId, 'the survey');
			reached.add(id);
			tried.add(id);
			if (event.isLast) ended.add(id);
			const oldEnough = minimumAgeMs > 0 ? addMicroseconds(present(), -1_000 * minimumAgeMs) : undefined;
			responses.push(...newIn(certain(polled.get(id), 'the survey'), event.records, oldEnough));
		}
	} catch (thrown) {
		if (!signal.aborted) throw SurveyExportError.from(thrown);
	}
	const covered = new Map(Object.entries(state?.toJSON().surveys ?? {}));
	// A failure of the whole run, such as a refused key, is one of each survey. It may also repeat one that names its own.
	const ofAll = failed.size === 1 ? failed.get(undefined) : undefined;
	for (const [id, survey] of polled) {
		const failure = failed.get(id) ?? ofAll;
		if (failure) failures.set(id, failure);
		if (failed.has(id)) tried.add(id);
		const isWhole = ended.has(id) && !failure && !hidden.has(id) && survey.young === undefined;
		const count = isWhole ? countOf(poll, id) : undefined;
		surveys.set(id, { ...after(survey, covered.get(id) ?? NOTHING), count });
	}
	return { responses: oldestFirst(responses), unreadable };
}

/** The responses of a page that are handed over now. Those later than `oldEnough` are too young. */
function newIn(survey: PolledSurvey, page: readonly StreamRecord[], oldEnough?: Timestamp): SurveyResponse[] {
	const found: SurveyResponse[] = [];
	for (const response of page as readonly SurveyResponse[]) {
		const [uuid, at] = [response.uuid, timeOf(response)];
		if (survey.handedOver.has(uuid) || isStrictlyInside(survey.coverage, at)) continue;
		if (oldEnough !== undefined && at > oldEnough) {
			survey.young = earlier(at, survey.young ?? at);
			continue;
		}
		survey.handedOver.set(uuid, at);
		found.push(response);
	}
	return found;
}

/**
 * What is remembered of a survey after `read` was covered. If the service's clock was set back, that ends lower than the
 * coverage before. Then the UUIDs from there on are forgotten.
 */
const after = ({ coverage, handedOver, young }: PolledSurvey, read: Coverage): WatchedSurvey => ({
	coverage: coverageOf([...coverage, ...(young ? upTo(young, read) : read)]),
	handedOver,
});

/** The part of a coverage that ends there, at the latest. */
const upTo = (end: Timestamp, coverage: Coverage): Coverage =>
	coverage.flatMap(([from, to]) => (from === null || from < end ? [[from, earlier(to, end)] as const] : []));

/** Begins to watch a survey, unless the poll's time is over. */
async function begin(poll: Poll, surveyId: string): Promise<void> {
	try {
		poll.surveys.set(surveyId, { ...(await begun(poll, surveyId)), count: countOf(poll, surveyId) });
		poll.reached.add(surveyId);
		poll.tried.add(surveyId);
	} catch (thrown) {
		if (poll.options.signal.aborted) return;
		poll.failures.set(surveyId, SurveyExportError.from(thrown));
		poll.tried.add(surveyId);
	}
}

/**
 * Remembers the newest page of a survey, and covers what is older than that. So it does with what is older than the
 * lookback: no response of before then may still appear. The newest one stands for a present that is later, so that few
 * UUIDs are remembered and no clock can move the coverage above what the survey has.
 */
async function begun({ client, options, present }: Poll, surveyId: string): Promise<WatchedSurvey> {
	// No names are needed.
	const wanted = { of: { surveyId }, limit: FIRST_PAGE, signal: options.signal };
	const uuidAndTime = (key: StreamRecord) => [String(key.response_uuid), timeOf(key)] as const;
	const found = await collectNewestFirst(client, STREAMS.response_keys, wanted, uuidAndTime);
	const handedOver = new Map(found);
	const [newest] = handedOver.values();
	if (newest === undefined) return { coverage: [[null, timestampOfMs(0)]], handedOver };
	const settled = addMicroseconds(earlier(newest, present()), -1_000 * options.lookbackMs);
	const last = found.length < FIRST_PAGE ? undefined : found.at(-1)?.[1];
	// Further responses of the same time as the last may follow on the next page, also if the whole page is of that time.
	const shown = last && (found.findLast(([, at]) => at > last)?.[1] ?? addMicroseconds(last, 1));
	const coveredTo = shown && shown > settled ? earlier(shown, client.present()) : settled;
	return { coverage: [[null, coveredTo]], handedOver };
}

const timeOf = ({ collected_at }: StreamRecord): Timestamp =>
	certain(parseTimestamp(collected_at), 'collected_at');

/** Among responses of one timestamp, the service shows the newest first. */
const oldestFirst = (responses: readonly SurveyResponse[]): SurveyResponse[] =>
	responses
		.toReversed()
		.sort(({ collected_at: one }, { collected_at: other }) => (one < other ? -1 : one > other ? 1 : 0));
