import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	type Client,
	earlier,
	later,
	type Redactor,
	type SurveyResponse,
	type Timestamp,
} from '@survey-export/core';
import { nodeErrorOf } from '../failure.ts';
import type { Connection } from '../host/connect.ts';
import { inParallel } from '../in-parallel.ts';
import { type Backlog, backlogAfter, lagMsOf } from './backlog.ts';
import {
	advance,
	baseline,
	type Cursor,
	healed,
	MOST_IDS,
	newTo,
	readFrom,
	timestampOf,
	windowStart,
} from './cursor.ts';
import { cursorsOf, type Memory, readMemory, THIS_RUN, writeMemory } from './memory.ts';
import { oldestNew, type ReadSlice } from './oldest.ts';
import { enriched, outputOf } from './output.ts';
import type { TriggerSettings } from './settings.ts';
import { sliceReader } from './slice-reader.ts';
import { surveySubject } from './subject.ts';

const SURVEYS_AT_ONCE = 5;

/** The finds of one poll in one survey. */
interface Found {
	readonly surveyId: string;
	/** From where the next poll goes on if none of the responses are handed over; undefined: as before. */
	readonly cursor: Cursor | undefined;
	/** New responses, oldest first. */
	readonly responses: readonly SurveyResponse[];
	/** Time of the newest response there is, where one was seen. */
	readonly newest?: Timestamp | undefined;
	readonly failure?: unknown;
}

/** A response that is to start the workflow. */
interface Due {
	readonly surveyId: string;
	readonly response: SurveyResponse;
}

/**
 * The oldest responses of all surveys that have not started the workflow yet, or null.
 *
 * The memory changes only at the end, and only for the responses that are returned. So a poll that fails
 * has changed nothing, and the next one finds the same. A survey without memory gets its baseline: the
 * responses that are there now start nothing.
 */
export async function newResponses(
	context: IPollFunctions,
	{ client, redact }: Connection,
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<INodeExecutionData[][] | null> {
	const storedBefore = context.getWorkflowStaticData('node').memory;
	const cursors = cursorsOf(storedMemory(context), settings.repeatAfterCrash);
	const read = await inParallel(
		settings.surveyIds,
		SURVEYS_AT_ONCE,
		async (surveyId, _index, stop): Promise<Found> => {
			const readSlice = sliceReader(client, surveyId, settings.attributeNames, stop);
			try {
				const cursor = cursors.get(surveyId);
				return cursor === undefined
					? await firstLook(surveyId, readSlice, client, settings)
					: await newOfSurvey(surveyId, cursor, readSlice, client, settings);
			} catch (failure) {
				stop.throwIfAborted();
				return { surveyId, cursor: cursors.get(surveyId), responses: [], failure };
			}
		},
		signal,
	);
	const candidates = oldestOfAll(read, settings.mostPerPoll);
	const outputs = await enriched(
		client,
		candidates.map(({ response }) => response),
		settings,
		signal,
	);

	// No await from here on: the memory is the one that the responses are judged by.
	const present = client.present();
	const changed = context.getWorkflowStaticData('node').memory !== storedBefore;
	const found = changed ? judgedAgain(read, storedMemory(context), settings, present) : read;
	const stillNew = new Set(found.flatMap(({ responses }) => responses));
	const due = candidates.filter(({ response }) => stillNew.has(response));
	const items = outputOf(
		outputs.filter((_, index) => stillNew.has(candidates[index]!.response)),
		settings,
	);
	remember(context, found, due, present, settings);
	reportFailures(context, found, due.length > 0, redact);
	return items.length > 0 ? [items] : null;
}

const storedMemory = (context: IPollFunctions): Memory =>
	readMemory(context.getWorkflowStaticData('node'));

/** The finds without those that another poll has handed over meanwhile. */
function judgedAgain(
	found: readonly Found[],
	memory: Memory,
	{ repeatAfterCrash }: TriggerSettings,
	present: Timestamp,
): Found[] {
	const cursors = cursorsOf(memory, repeatAfterCrash);
	return found.map((one) => {
		const cursor = cursors.get(one.surveyId);
		if (cursor === undefined) return one;
		return { ...one, cursor, responses: one.responses.filter(newTo(cursor, present)) };
	});
}

async function firstLook(
	surveyId: string,
	readSlice: ReadSlice<SurveyResponse>,
	client: Client,
	{ lookbackMs }: TriggerSettings,
): Promise<Found> {
	const [newest] = (await readSlice(undefined, undefined, 1)).responses;
	if (newest === undefined) {
		return { surveyId, cursor: baseline([], lookbackMs, client.present()), responses: [] };
	}
	const start = windowStart(earlier(timestampOf(newest), client.present()), lookbackMs);
	const recent = (await readSlice(start, undefined, MOST_IDS + 1)).responses;
	return { surveyId, cursor: baseline(recent, lookbackMs, client.present()), responses: [] };
}

async function newOfSurvey(
	surveyId: string,
	stored: Cursor,
	readSlice: ReadSlice<SurveyResponse>,
	client: Client,
	{ lookbackMs, mostPerPoll }: TriggerSettings,
): Promise<Found> {
	const readOn = (cursor: Cursor) => {
		// Made with the first response, when the service has said what time it is.
		let isNew: ReturnType<typeof newTo> | undefined;
		return oldestNew(readSlice, readFrom(cursor, lookbackMs), mostPerPoll, (response) => {
			isNew ??= newTo(cursor, client.present());
			return isNew(response);
		});
	};
	let cursor = stored;
	let found = await readOn(cursor);
	const repaired = healed(cursor, lookbackMs, client.present());
	if (repaired !== cursor) {
		cursor = repaired;
		found = await readOn(cursor);
	}
	return { surveyId, cursor, ...found };
}

/** The oldest responses of all surveys. Each survey keeps its own order, so none skips any of its own. */
function oldestOfAll(found: readonly Found[], most: number): Due[] {
	return found
		.flatMap(({ surveyId, responses }) =>
			responses.map((response) => ({ surveyId, response, at: timestampOf(response) })),
		)
		.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
		.slice(0, most);
}

function remember(
	context: IPollFunctions,
	found: readonly Found[],
	due: readonly Due[],
	present: Timestamp,
	settings: TriggerSettings,
): void {
	const surveys = new Map<string, Cursor>();
	const before = new Map<string, Cursor>();
	for (const { surveyId, cursor } of found) {
		if (cursor === undefined) continue;
		const handedOver = due.filter((one) => one.surveyId === surveyId);
		if (handedOver.length > 0) before.set(surveyId, cursor);
		const responses = handedOver.map(({ response }) => response);
		const next = advance(cursor, responses, settings.lookbackMs, present);
		surveys.set(surveyId, next.cursor);
		if (next.forgot) {
			context.logger.warn(
				`Survey "${surveyId}" got more responses within the lookback than can be remembered. Responses that show up late may not start the workflow. Set a shorter "Lookback (Minutes)".`,
			);
		}
	}
	writeMemory(context.getWorkflowStaticData('node'), {
		surveys,
		backlog: backlogOf(context, found, due, present, settings),
		handover: settings.repeatAfterCrash && due.length > 0 ? { run: THIS_RUN, before } : undefined,
	});
}

/** The backlog after this poll, told to the owner when it grows. */
function backlogOf(
	context: IPollFunctions,
	found: readonly Found[],
	due: readonly Due[],
	present: Timestamp,
	{ mostPerPoll }: TriggerSettings,
): Backlog | undefined {
	const last = due.at(-1);
	const waiting = found.reduce((count, { responses }) => count + responses.length, 0) - due.length;
	if (last === undefined || due.length < mostPerPoll) return undefined;
	const handedOver = timestampOf(last.response);
	const newest = found.reduce(
		(latest, one) => later(latest, earlier(one.newest ?? latest, present)),
		handedOver,
	);
	const lagMs = lagMsOf(handedOver, newest);
	if (lagMs === 0 && waiting === 0) return undefined;
	const { backlog, tell } = backlogAfter(storedMemory(context).backlog, lagMs, Date.now());
	if (tell) {
		const hours = Math.max(1, Math.round(lagMs / 3_600_000));
		context.__emitError(
			new NodeOperationError(
				context.getNode(),
				'Responses arrive faster than the workflow takes them',
				{
					level: 'warning',
					description: `Each poll hands over ${mostPerPoll} responses at most. The last one handed over is about ${hours} h older than the newest. Raise "Max Responses per Poll", or poll more often.`,
				},
			),
		);
	}
	return backlog;
}

/**
 * Shows surveys that could not be read in n8n's list of executions: as the poll's own error when nothing
 * else came, and as an execution of its own beside the one that the other surveys start.
 */
function reportFailures(
	context: IPollFunctions,
	found: readonly Found[],
	othersStart: boolean,
	redact: Redactor,
): void {
	const failed = found.filter((one) => one.failure !== undefined);
	const [first] = failed;
	if (first === undefined) return;
	const error = nodeErrorOf(context.getNode(), first.failure, {
		subject: () => surveySubject(first.surveyId),
		redact,
	});
	if (failed.length > 1) {
		const others = failed.slice(1).map(({ surveyId }) => `"${surveyId}"`);
		error.description = `${error.description ?? ''} These surveys could not be read either: ${others.join(', ')}.`;
	}
	if (!othersStart) throw error;
	context.__emitError(error);
}
