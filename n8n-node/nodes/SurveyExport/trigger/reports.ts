import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { earlier, later, type Redactor, type Timestamp } from '@survey-export/core';
import { nodeErrorOf } from '../failure.ts';
import { type Backlog, backlogAfter, lagMsOf } from './backlog.ts';
import { timestampOf } from './cursor.ts';
import type { Due, Found } from './find.ts';
import type { TriggerSettings } from './settings.ts';
import { surveySubject } from './subject.ts';

/*
 * Reports of the trigger stand in n8n's list of executions as failed ones, where people and error workflows
 * see them. The responses that a poll hands over start an execution of their own.
 */

/**
 * Shows surveys that could not be read in n8n's list of executions: as the poll's own error when nothing
 * else came, and as an execution of its own beside the one that the other surveys start.
 */
export function reportFailures(
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

/** Shows responses that were left out, each once: they lie within the lookback of several polls. */
export function reportUnreadable(
	context: IPollFunctions,
	found: readonly Found[],
	before: ReadonlyMap<string, string> | undefined,
	redact: Redactor,
): Map<string, string> {
	const reports = new Map<string, string>();
	for (const { surveyId, unreadable } of found) {
		if (unreadable === undefined) continue;
		reports.set(surveyId, unreadable.message);
		if (before?.get(surveyId) === unreadable.message) continue;
		context.__emitError(nodeErrorOf(context.getNode(), unreadable, { redact }));
	}
	return reports;
}

/** The backlog after this poll, told to the owner when it grows. */
export function reportBacklog(
	context: IPollFunctions,
	found: readonly Found[],
	due: readonly Due[],
	present: Timestamp,
	{ mostPerPoll }: TriggerSettings,
	before: Backlog | undefined,
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
	const { backlog, tell } = backlogAfter(before, lagMs, Date.now());
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
