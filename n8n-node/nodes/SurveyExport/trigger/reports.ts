import type { IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import {
	earlier,
	given,
	later,
	type Message,
	respondentId,
	say,
	type Timestamp,
} from '@survey-export/core';
import { nodeErrorOf } from '../shared/failure.ts';
import type { Waiting } from './attributes.ts';
import { type Backlog, backlogAfter, lagMsOf, TELL_AGAIN_MS } from './backlog.ts';
import { timestampOf } from './cursor.ts';
import type { Due, Found } from './find.ts';
import type { Told } from './memory.ts';
import type { TriggerSettings } from './settings.ts';
import { surveySubject } from './subject.ts';

/*
 * Reports of the trigger stand in n8n's list of executions as failed ones, where people and error workflows
 * see them. The responses that a poll hands over start an execution of their own.
 */

/** The failures of surveys as one error, which names them all. */
export function failureOf(
	context: IPollFunctions,
	found: readonly Found[],
	render: Render,
): NodeError {
	const [first, ...others] = found.filter(({ failure }) => failure !== undefined);
	const error = nodeErrorOf(context.getNode(), first!.failure, {
		subject: () => surveySubject(first!.surveyId),
		render,
	});
	return naming(error, 'These surveys could not be read either', others);
}

/**
 * Shows surveys that could not be read, and surveys that wait for a respondent, in n8n's list of executions.
 * The same report follows again after a day.
 */
export function reportFailures(
	context: IPollFunctions,
	found: readonly Found[],
	waiting: ReadonlyMap<string, Waiting>,
	before: ReadonlyMap<string, Told> | undefined,
	render: Render,
): Map<string, Told> {
	const told = new Map<string, Told>();
	const failed = found.filter(({ failure }) => failure !== undefined);
	if (failed.length > 0) tell(context, failureOf(context, found, render), failed, before, told);
	const held = [...waiting]
		.filter(([, { failure }]) => failure !== undefined)
		.map(([surveyId, one]) => ({ surveyId, ...one }));
	const [first, ...others] = held;
	if (first !== undefined) {
		const error = waitsForRespondent(context, first, render);
		tell(context, naming(error, 'These surveys wait too', others), held, before, told);
	}
	return told;
}

type Render = (message: Message) => string;
type NodeError = ReturnType<typeof nodeErrorOf>;
interface OfSurvey {
	readonly surveyId: string;
}

function naming(error: NodeError, sentence: string, others: readonly OfSurvey[]): NodeError {
	if (others.length === 0) return error;
	const ids = others.map(({ surveyId }) => `"${surveyId}"`).join(', ');
	error.description = `${error.description ?? ''} ${sentence}: ${ids}.`;
	return error;
}

/** Emits the error unless the owner got it within a day, and notes for each of the surveys that they have it. */
function tell(
	context: IPollFunctions,
	error: NodeError,
	surveys: readonly OfSurvey[],
	before: ReadonlyMap<string, Told> | undefined,
	told: Map<string, Told>,
): void {
	const nowMs = Date.now();
	const known = surveys.map(({ surveyId }) => before?.get(surveyId));
	const isKnown = known.every(
		(one) => one?.message === error.message && nowMs - one.toldMs < TELL_AGAIN_MS,
	);
	if (!isKnown) context.__emitError(error);
	for (const [index, { surveyId }] of surveys.entries()) {
		told.set(surveyId, isKnown ? known[index]! : { message: error.message, toldMs: nowMs });
	}
}

function waitsForRespondent(
	context: IPollFunctions,
	{ surveyId, respondentUuid, failure }: OfSurvey & Waiting,
	render: Render,
): NodeError {
	const error = nodeErrorOf(context.getNode(), failure, { render });
	const advice = render(
		say`The responses of survey ${given(surveyId)} from this respondent's on wait until a poll can read them. To get them without attributes, turn off "Include Respondent Attributes".`,
	);
	error.description = `${error.message}. ${error.description ?? ''} ${advice}`;
	error.message = render(
		say`The attributes of respondent ${respondentId(respondentUuid)} could not be read`,
	);
	return error;
}

/** Shows that the memory began anew, since the surveys are those of another service now. */
export function reportOtherService(context: IPollFunctions): void {
	context.__emitError(
		new NodeOperationError(context.getNode(), "The credential's Base URL has changed", {
			level: 'warning',
			description:
				'The trigger begins anew: the responses that are there now start nothing, and later ones start the workflow.',
		}),
	);
}

/** Shows responses that were left out, each once: they lie within the lookback of several polls. */
export function reportUnreadable(
	context: IPollFunctions,
	found: readonly Found[],
	before: ReadonlyMap<string, string> | undefined,
	render: Render,
): Map<string, string> {
	const reports = new Map<string, string>();
	for (const { surveyId, unreadable } of found) {
		if (unreadable === undefined) continue;
		// n8n stores the memory with the workflow, where it outlives the setting.
		const message = render(unreadable.whole);
		reports.set(surveyId, message);
		if (before?.get(surveyId) === message) continue;
		context.__emitError(nodeErrorOf(context.getNode(), unreadable, { render }));
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
		context.__emitError(
			new NodeOperationError(
				context.getNode(),
				'Responses arrive faster than the workflow takes them',
				{
					level: 'warning',
					description: `Each poll hands over ${mostPerPoll} responses at most. The last one handed over is about ${inWords(lagMs)} older than the newest. Raise "Max Responses per Poll", or poll more often.`,
				},
			),
		);
	}
	return backlog;
}

/** Minutes below an hour and a half, hours from there on. */
function inWords(lagMs: number): string {
	const minutes = Math.max(1, Math.round(lagMs / 60_000));
	return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
