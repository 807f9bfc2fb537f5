import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import {
	newResponses,
	RETRY_POLICIES,
	storedWatch,
	type SurveyResponse,
} from '@survey-export/core';
import { type Connection, connectionFor } from '../shared/connect.ts';
import { nodeErrorOf } from '../shared/failure.ts';
import { exampleResponse } from './example.ts';
import { readMemory, writeMemory } from './memory.ts';
import {
	hasDurableCursors,
	outOfTime,
	enrichmentOf,
	type PollTime,
	pollTime,
} from './poll-time.ts';
import { Reports } from './reports.ts';
import { outputOf, type TriggerSettings, triggerSettings } from './settings.ts';

/** Full polls in a row after which the backlog is reported. */
const FULL_POLLS_TO_TELL = 10;

/** One poll: responses that have not started the workflow yet, oldest first, or null. */
export async function pollForResponses(
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const time = pollTime(context);
	let connection: Connection | undefined;
	const connect = () =>
		connectionFor(
			context,
			RETRY_POLICIES.poll,
			context.getNodeParameter('options', {}) as Record<string, unknown>,
		);
	try {
		const settings = triggerSettings(context);
		if (context.getMode() === 'manual') {
			connection = await connect();
			return await exampleResponse(context, connection, settings, time);
		}
		const node = `${context.getWorkflow().id} ${context.getNode().id}`;
		const { memory } = context.getWorkflowStaticData('node');
		return await unlessRunning(node, memory, time.over, async () => {
			connection = await connect();
			return await handOver(context, connection, settings, time);
		});
	} catch (thrown) {
		throw nodeErrorOf(context.getNode(), thrown, { render: connection?.render });
	}
}

/** n8n stores what a poll returns a moment after it has returned. */
const STORED_AFTER_MS = 60_000;
const running = new Map<string, AbortSignal>();
/** By node: the memory that the last handover began with, and when it ended. */
const handovers = new Map<string, { readonly from: unknown; readonly atMs: number }>();

/**
 * Runs a poll of the node that `node` names, or gives null at once if it would find what another one hands over. n8n
 * starts a poll at its time even if the one before has not ended, and after a restart it makes up for several at once.
 * With durable poll cursors, each has a copy of the memory for itself, read some time before it begins.
 *
 * `signal` is aborted when the poll's time is over; a poll that goes on all the same blocks no other.
 */
async function unlessRunning<Result>(
	node: string,
	memory: unknown,
	signal: AbortSignal,
	poll: () => Promise<Result | null>,
): Promise<Result | null> {
	if (running.get(node)?.aborted === false) return null;
	const last = handovers.get(node);
	if (last && last.from === memory && Date.now() - last.atMs < STORED_AFTER_MS) return null;
	running.set(node, signal);
	try {
		const handedOver = await poll();
		if (handedOver !== null) handovers.set(node, { from: memory, atMs: Date.now() });
		return handedOver;
	} finally {
		if (running.get(node) === signal) running.delete(node);
	}
}

/**
 * The memory changes only at the end, and only for the responses that are returned. So a poll that fails has changed
 * nothing, and the next one finds the same.
 *
 * A poll that has read anything does not throw for what failed: with durable poll cursors an error discards the memory
 * of all surveys and delays their next poll. It reports the failure and returns.
 */
async function handOver(
	context: IPollFunctions,
	connection: Connection,
	settings: TriggerSettings,
	time: PollTime,
): Promise<INodeExecutionData[][] | null> {
	const { client, render, service, treatment } = connection;
	const { surveyIds, attributeNames: attributes, lookbackMs, mostPerPoll: most } = settings;
	const isDurable = hasDurableCursors(context);
	const repeats = settings.repeatAfterCrash && !isDurable;
	const data = context.getWorkflowStaticData('node');
	const { memory: storedBefore } = data;
	const memory = readMemory(data, service, repeats);
	const enrichment = enrichmentOf(context, connection, time);
	const reports = new Reports(context, render, memory.told);

	const found = await newResponses(client, memory.watch, {
		...{ surveyIds, attributes, lookbackMs, most, signal: time.over },
		prepare: settings.withRespondentAttributes
			? (responses) => enrichment.enrich(responses)
			: async (responses) =>
					new Map<SurveyResponse, SurveyResponse>(responses.map((one) => [one, one])),
	});
	const { failures, isFull, unreadable } = found;
	if (!found.hasRead) {
		if (failures.size > 0) throw reports.failureOf(failures);
		if (client.counts.requests > 0) throw outOfTime(context.getNode());
		context.logger.warn(
			'The poll sent no request, because other requests of this n8n came first. The next poll tries again.',
		);
		return null;
	}
	// No await from here on. What another poll handed over meanwhile is not known here: the next poll goes on from there.
	if (data.memory !== storedBefore) return null;
	const fullPolls = isFull ? memory.fullPolls + 1 : 0;
	const isRefused =
		!isDurable &&
		found.responses.length === 0 &&
		!reports.knowsOfSurveys &&
		['activate', 'create', 'update'].includes(context.getActivationMode()) &&
		[...failures.keys()].some((id) => !found.after.has(id));
	if (memory.isOfOtherService) reports.otherService();
	if (!isRefused) reports.surveys(failures);
	reports.people(enrichment.failures);
	reports.unreadable(unreadable);
	if (fullPolls >= FULL_POLLS_TO_TELL) reports.backlog(fullPolls, most);
	writeMemory(
		data,
		{
			service,
			watch: storedWatch(found.after, lookbackMs),
			told: [...reports.told],
			fullPolls,
		},
		repeats && found.responses.length > 0 ? storedWatch(found.before, lookbackMs) : undefined,
	);
	// Somebody activates the workflow with a survey that could never be read: the ID may be wrong. n8n keeps that mode
	// for all polls until it starts again, so what was reported before does not count.
	if (isRefused) throw reports.failureOf(failures);
	const items = outputOf(found.responses, settings, treatment);
	return items.length > 0 ? [items] : null;
}
