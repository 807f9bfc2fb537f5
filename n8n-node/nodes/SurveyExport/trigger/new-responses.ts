import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Redactor, Timestamp } from '@survey-export/core';
import type { Connection } from '../host/connect.ts';
import { inParallel } from '../in-parallel.ts';
import { advance, type Cursor, newTo } from './cursor.ts';
import { type Due, findInSurvey, type Found, oldestOfAll } from './find.ts';
import { cursorsOf, type Memory, readMemory, THIS_RUN, writeMemory } from './memory.ts';
import { enriched, outputOf } from './output.ts';
import { reportBacklog, reportFailures, reportUnreadable } from './reports.ts';
import type { TriggerSettings } from './settings.ts';

const SURVEYS_AT_ONCE = 5;

/**
 * The oldest responses of all surveys that have not started the workflow yet, or null.
 *
 * The memory changes only at the end, and only for the responses that are returned. So a poll that fails
 * has changed nothing, and the next one finds the same. A survey without memory gets its baseline: the
 * responses that are there now start nothing.
 */
export async function newResponses(
	context: IPollFunctions,
	connection: Connection,
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<INodeExecutionData[][] | null> {
	const { client, redact, treatment } = connection;
	const storedBefore = context.getWorkflowStaticData('node').memory;
	const cursors = cursorsOf(storedMemory(context), settings.repeatAfterCrash);
	const read = await inParallel(
		settings.surveyIds,
		SURVEYS_AT_ONCE,
		(surveyId, _index, stop) =>
			findInSurvey(surveyId, cursors.get(surveyId), client, settings, stop),
		signal,
	);
	const candidates = oldestOfAll(read, settings.mostPerPoll);
	const outputs = await enriched(
		context,
		connection,
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
		treatment,
	);
	remember(context, found, due, present, settings, redact);
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

function remember(
	context: IPollFunctions,
	found: readonly Found[],
	due: readonly Due[],
	present: Timestamp,
	settings: TriggerSettings,
	redact: Redactor,
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
	const memory = storedMemory(context);
	writeMemory(context.getWorkflowStaticData('node'), {
		surveys,
		backlog: reportBacklog(context, found, due, present, settings, memory.backlog),
		unreadable: reportUnreadable(context, found, memory.unreadable, redact),
		handover: settings.repeatAfterCrash && due.length > 0 ? { run: THIS_RUN, before } : undefined,
	});
}
