import { inParallel } from '@survey-export/core';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Timestamp } from '@survey-export/core';
import type { Connection } from '../shared/connect.ts';
import { type Ready, readyOf } from './attributes.ts';
import { advance, type Cursor, newTo } from './cursor.ts';
import { type Due, findInSurvey, type Found } from './find.ts';
import { cursorsOf, type Memory, readMemory, THIS_RUN, writeMemory } from './memory.ts';
import { outputOf } from './output.ts';
import { isScheduled, outOfTime, type PollTime } from './poll-time.ts';
import {
	failureOf,
	reportBacklog,
	reportFailures,
	reportOtherService,
	reportUnreadable,
} from './reports.ts';
import type { TriggerSettings } from './settings.ts';

const SURVEYS_AT_ONCE = 5;

/**
 * The oldest responses of all surveys that have not started the workflow yet, or null.
 *
 * The memory changes only at the end, and only for the responses that are returned. So a poll that fails
 * has changed nothing, and the next one finds the same. A survey without memory gets its baseline: the
 * responses that are there now start nothing.
 *
 * A poll that has read a survey does not throw for another one: with durable poll cursors an error discards the
 * memory of all surveys and delays their next poll. It reports the failure and returns.
 */
export async function newResponses(
	context: IPollFunctions,
	connection: Connection,
	settings: TriggerSettings,
	time: PollTime,
): Promise<INodeExecutionData[][] | null> {
	const { client, render, service, treatment } = connection;
	const storedBefore = context.getWorkflowStaticData('node').memory;
	const memory = memoryFor(context, service);
	const cursors = cursorsOf(memory, settings.repeatAfterCrash);
	const read = await inParallel(
		settings.surveyIds,
		SURVEYS_AT_ONCE,
		(surveyId, _index, stop) =>
			findInSurvey(surveyId, cursors.get(surveyId), client, settings, stop),
		time.over,
	);
	if (read.every(({ failure }) => failure !== undefined)) {
		throw failureOf(context, read, render);
	}
	const ready = await readyOf(context, connection, read, settings, time);
	if (ready.responses.size === 0 && hasOnlyRunOutOfTime(ready)) {
		context.__emitError(outOfTime(context.getNode()));
	}

	// No await from here on: the memory is the one that the responses are judged by.
	const present = client.present();
	const changed = context.getWorkflowStaticData('node').memory !== storedBefore;
	const found = changed ? judgedAgain(read, memoryFor(context, service), settings, present) : read;
	const stillNew = new Set(found.flatMap(({ responses }) => responses));
	const due = ready.candidates.filter(
		({ response }) => stillNew.has(response) && ready.responses.has(response),
	);
	const items = outputOf(
		due.map(({ response }) => ready.responses.get(response)!),
		settings,
		treatment,
	);
	const refused = due.length === 0 && isRefused(context, found, memory);
	const { waiting } = ready;
	remember(context, connection, settings, { found, waiting, due, present, refused });
	if (refused) throw failureOf(context, found, render);
	return items.length > 0 ? [items] : null;
}

/** The memory, or an empty one where it belongs to the surveys of another service. */
function memoryFor(context: IPollFunctions, service: string): Memory {
	const memory = readMemory(context.getWorkflowStaticData('node'));
	return isOfOtherService(memory, service) ? { surveys: new Map() } : memory;
}

const isOfOtherService = (memory: Memory, service: string): boolean =>
	memory.service !== undefined && memory.service !== service;

const hasOnlyRunOutOfTime = ({ waiting }: Ready): boolean =>
	waiting.size > 0 && [...waiting.values()].every(({ failure }) => failure === undefined);

/**
 * Whether somebody activates the workflow, with a survey that could never be read: the ID may be wrong. The mode stays
 * the same for all polls until n8n starts again, so a failure that was reported before does not count.
 */
const isRefused = (
	context: IPollFunctions,
	found: readonly Found[],
	{ failures }: Memory,
): boolean =>
	!isScheduled(context) &&
	['activate', 'create', 'update'].includes(context.getActivationMode()) &&
	found.some(
		({ surveyId, cursor, failure }) =>
			failure !== undefined && cursor === undefined && !failures?.has(surveyId),
	);

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

/** What a poll found, and what it hands over. */
interface Outcome {
	readonly found: readonly Found[];
	readonly waiting: Ready['waiting'];
	readonly due: readonly Due[];
	readonly present: Timestamp;
	/** Whether the poll fails, which is the report of its failures. */
	readonly refused: boolean;
}

function remember(
	context: IPollFunctions,
	{ render, service }: Connection,
	settings: TriggerSettings,
	{ found, waiting, due, present, refused }: Outcome,
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
	const stored = context.getWorkflowStaticData('node');
	if (isOfOtherService(readMemory(stored), service)) reportOtherService(context);
	const memory = memoryFor(context, service);
	writeMemory(stored, {
		surveys,
		service,
		backlog: reportBacklog(context, found, due, present, settings, memory.backlog),
		unreadable: reportUnreadable(context, found, memory.unreadable, render),
		failures: refused
			? memory.failures
			: reportFailures(context, found, waiting, memory.failures, render),
		handover: settings.repeatAfterCrash && due.length > 0 ? { run: THIS_RUN, before } : undefined,
	});
}
