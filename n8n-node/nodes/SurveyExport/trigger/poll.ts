import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	collectNewestFirst,
	Enrichment,
	newResponses,
	RETRY_POLICIES,
	storedWatch,
	STREAMS,
	type SurveyResponse,
} from '@survey-export/core';
import { type Connection, connectionFor } from '../shared/connect.ts';
import { nodeErrorOf } from '../shared/failure.ts';
import { readMemory, writeMemory } from './memory.ts';
import { Reports, surveySubject } from './reports.ts';
import { optionsOf, type TriggerSettings, triggerSettings } from './settings.ts';

/** Full polls in a row after which the backlog is reported. */
const FULL_POLLS_TO_TELL = 10;
/** Responses of a survey that are looked at for an example, in one request: some give no item for the chosen output. */
const NEWEST = 25;
/** The time of a poll if n8n states none. */
const USUAL_MS = 300_000;
/** The share of the time in which to read: what is found must still be handed over. */
const READING_SHARE = 0.8;
/** The share in which one respondent's attributes must come. */
const RESPONDENT_SHARE = 0.2;

interface Poll {
	readonly context: IPollFunctions;
	readonly settings: TriggerSettings;
	readonly connection: Connection;
	/** The people who answered, asked for within the poll's time. */
	readonly enrichment: Enrichment;
	/** Aborted when the poll has to end. */
	readonly over: AbortSignal;
}

/** One poll: responses that have not started the workflow yet, oldest first, or null. */
export async function pollForResponses(
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const budgetMs = context.getPollBudgetMs?.() ?? USUAL_MS;
	const shareMs = (share: number) => Math.max(1_000, Math.floor(budgetMs * share));
	const over = AbortSignal.timeout(shareMs(READING_SHARE));
	let connection: Connection | undefined;
	const begin = async (settings: TriggerSettings): Promise<Poll> => {
		const made = await connectionFor(context, RETRY_POLICIES.poll, optionsOf(context));
		connection = made;
		const enrichment = new Enrichment(made.client, {
			signal: over,
			perRespondentMs: shareMs(RESPONDENT_SHARE),
			onUnreadable: ({ whole }) => made.warn(whole),
		});
		return { context, settings, connection: made, enrichment, over };
	};
	try {
		const settings = triggerSettings(context);
		if (context.getMode() === 'manual') return [await example(await begin(settings))];
		const node = `${context.getWorkflow().id} ${context.getNode().id}`;
		const { memory } = context.getWorkflowStaticData('node');
		return await unlessRunning(node, memory, over, async () => handOver(await begin(settings)));
	} catch (thrown) {
		throw nodeErrorOf(context.getNode(), thrown, connection?.render);
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
async function handOver(poll: Poll): Promise<INodeExecutionData[][] | null> {
	const { context, connection, settings, enrichment, over } = poll;
	const { client, render, service } = connection;
	const { surveyIds, attributeNames: attributes, lookbackMs, mostPerPoll: most } = settings;
	const data = context.getWorkflowStaticData('node');
	const { memory: storedBefore } = data;
	const isDurable = hasDurableCursors(data);
	const repeats = settings.repeatAfterCrash && !isDurable;
	const memory = readMemory(data, service, repeats);
	const reports = new Reports(context, render, memory.told);

	const found = await newResponses(client, memory.watch, {
		...{ surveyIds, attributes, lookbackMs, most, signal: over },
		prepare: settings.withRespondentAttributes
			? (responses) => enrichment.enrich(responses)
			: async (responses) => new Map(responses.map((one) => [one, one])),
	});
	const { failures, isFull, responses } = found;
	const failure = reports.failureOf(failures);
	if (!found.hasRead) {
		if (failure) throw failure;
		if (client.counts.requests > 0) throw outOfTime(context);
		context.logger.warn(
			'The poll sent no request, because other requests of this n8n came first. The next poll tries again.',
		);
		return null;
	}
	// No await from here on. What another poll handed over meanwhile is not known here: the next poll goes on from there.
	if (data.memory !== storedBefore) return null;
	const fullPolls = isFull ? memory.fullPolls + 1 : 0;
	// Somebody activates the workflow with a survey that could never be read: the ID may be wrong. n8n keeps that mode
	// for all polls until it starts again, so what was reported before does not count.
	const isRefused =
		failure !== undefined &&
		!isDurable &&
		responses.length === 0 &&
		!reports.knowsOfSurveys &&
		['activate', 'create', 'update'].includes(context.getActivationMode()) &&
		[...failures.keys()].some((id) => !found.after.has(id));
	if (memory.isOfOtherService) reports.otherService();
	if (failure && !isRefused) reports.surveys(failure);
	reports.people(enrichment.failures);
	reports.unreadable(found.unreadable);
	if (fullPolls >= FULL_POLLS_TO_TELL) reports.backlog(fullPolls, most);
	const [watch, told] = [storedWatch(found.after, lookbackMs), [...reports.told]];
	const isToRepeat = repeats && responses.length > 0;
	const before = isToRepeat ? storedWatch(found.before, lookbackMs) : undefined;
	writeMemory(data, { service, watch, told, fullPolls }, before);
	if (isRefused) throw failure;
	const items = itemsOf(responses, poll);
	return items.length > 0 ? [items] : null;
}

/** The newest response that gives an item, of the first survey that has one, for "Fetch Test Event". */
async function example(poll: Poll): Promise<INodeExecutionData[]> {
	const { context, settings, connection, enrichment, over: signal } = poll;
	const { surveyIds, attributeNames: attributes, form, withRespondentAttributes } = settings;
	const { client, render } = connection;
	for (const surveyId of surveyIds) {
		try {
			const responses = await collectNewestFirst<SurveyResponse, SurveyResponse>(
				client,
				STREAMS.survey_responses,
				{ surveyIds: [surveyId], respondentUuids: [], attributes, signal, onUnreadable: () => {} },
				NEWEST,
				(response) => response,
			);
			const newest = responses.find((one) => form.itemsOf(one, connection).length > 0);
			if (newest === undefined) continue;
			const enriched = withRespondentAttributes ? await enrichment.enrich([newest]) : undefined;
			return itemsOf([enriched?.get(newest) ?? newest], poll);
		} catch (thrown) {
			const subject = () => surveySubject(surveyId);
			throw nodeErrorOf(context.getNode(), thrown, render, { subject });
		}
	}
	throw new NodeOperationError(
		context.getNode(),
		'There is no response yet to show as an example',
		{
			description: `None of the newest ${NEWEST} responses of these surveys gives an item. Answer a survey, or activate the workflow: it starts with the first response.`,
		},
	);
}

/** Responses in the form that the settings ask for, as they may leave. */
function itemsOf(
	responses: readonly SurveyResponse[],
	{ settings: { form }, connection }: Poll,
): INodeExecutionData[] {
	const items = responses.flatMap((response) => form.itemsOf(response, connection));
	return form.finish(items).map((json) => ({ json: json as IDataObject }));
}

/**
 * Whether n8n stores the memory and the execution together. Then it gives a poll a plain copy of the memory, and
 * otherwise an object that watches its changes (n8n-workflow, `ObservableObject`). The time of a poll tells nothing: it
 * is the same at an activation in all modes.
 */
const hasDurableCursors = (memory: IDataObject): boolean => !('__dataChanged' in memory);

function outOfTime(context: IPollFunctions): NodeApiError {
	const message = 'The new responses could not be read in the time that n8n gives a poll';
	return new NodeApiError(
		context.getNode(),
		{ message },
		{
			message,
			description:
				'The next poll begins where this one began. If this happens again, ask the service why it is slow.',
			failure: { cause: 'temporarily-unavailable' },
		},
	);
}
