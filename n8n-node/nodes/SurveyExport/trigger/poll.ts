import { RETRY_POLICIES, STREAMS, type SurveyResponse, say } from '@survey-export/core';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { type Connection, connectionFor } from '../shared/connect.ts';
import { type NodeError, nodeErrorOf, surveyPart } from '../shared/failure.ts';
import { REQUEST_TIMEOUT_MS } from '../shared/host.ts';
import { collectNewestFirst } from '../shared/newest-first.ts';
import { questionTexts } from '../shared/question-texts.ts';
import { allSurveys, newResponses } from './new-responses.ts';
import { failureOf, idleExclusionsOf, nodeOf, report } from './reports.ts';
import { type TriggerSettings, triggerSettings } from './settings.ts';
import { NEW_WATCH, parseWatch, storedWatch } from './watch-state.ts';

/** Responses of a survey that are looked at for an example, in one request. */
const NEWEST = 25;
/** The time of a poll, unless n8n's scheduler runs it, which gives less and says so. */
const USUAL_MS = 300_000;
/** The key, the plan or the access is refused, and no waiting helps. */
const REFUSALS: readonly unknown[] = [401, 402, 403];
/** The share of the time for requests: what is found must still be handed over. */
const REQUESTS_SHARE = 0.8;
/** The share of it for the responses, if questions are read after them. */
const RESPONSES_SHARE = 0.9;
/** The share of that for one request: surveys that are not answered leave time for the others, and are named. */
const REQUEST_SHARE = 0.25;

interface Poll {
	readonly context: IPollFunctions;
	readonly settings: TriggerSettings;
	readonly connection: Connection;
	/** Ends the requests for responses. */
	readonly responsesOver: AbortSignal;
	/** Ends all requests. */
	readonly over: AbortSignal;
}

/**
 * One poll: responses that have not started the workflow yet, oldest first, or null.
 *
 * A poll that fails is reported and gives null if the trigger has a memory: n8n does not try again to start a trigger
 * that throws while n8n starts. Without a memory it throws, so that a wrong ID refuses activation. In n8n's scheduler it
 * also throws if the service refuses the key: with durable poll cursors n8n then polls only every 30 minutes, and each of
 * these 48 polls a day is a failed execution. n8n's timers would poll, and fail, as often as before.
 */
export async function pollForResponses(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const budgetMs = context.getPollBudgetMs?.() ?? USUAL_MS;
	const isManual = context.getMode() === 'manual';
	let connection: Connection | undefined;
	try {
		const settings = triggerSettings(context);
		const { requestsMs, responsesMs, requestMs } = timesOf(budgetMs, settings);
		connection = await connectionFor(context, {
			retryPolicy: { ...RETRY_POLICIES.poll, deadlineMs: requestsMs, longestRepeatedMs: requestMs / 2 },
			options: settings.options,
			timeoutMs: requestMs,
		});
		const [responsesOver, over] = [endOf(responsesMs), endOf(requestsMs)];
		const poll = { context, settings, connection, responsesOver, over };
		if (isManual) return [await example(poll)];
		return await unlessBegun(context, budgetMs, () => handOver(poll));
	} catch (thrown) {
		const hasWorked = memoryOf(context) !== undefined;
		const error = nodeErrorOf(context.getNode(), thrown, connection?.render, { hasWorked });
		const isRefused = 'httpCode' in error && REFUSALS.includes(Number(error.httpCode));
		const backsOff = isRefused && budgetMs < USUAL_MS;
		if (isManual || !hasWorked || backsOff) throw error;
		report(context, error);
		return null;
	}
}

/** How long all requests of a poll may take, those for responses, and each of them. */
function timesOf(budgetMs: number, { form }: TriggerSettings) {
	const requestsMs = budgetMs * REQUESTS_SHARE;
	const responsesMs = requestsMs * (form.showsTexts ? RESPONSES_SHARE : 1);
	return { requestsMs, responsesMs, requestMs: Math.min(REQUEST_TIMEOUT_MS, responsesMs * REQUEST_SHARE) };
}

const endOf = (ms: number): AbortSignal => AbortSignal.timeout(Math.max(1_000, Math.floor(ms)));

/** Undefined until a poll has read something. It is one JSON string. */
const memoryOf = (context: IPollFunctions): string | undefined =>
	context.getWorkflowStaticData('node').memory as string | undefined;

/** How long n8n may take to store what a poll has returned. */
const STORED_AFTER_MS = 60_000;
/** By node: the memory that its last poll began with, and until when no other poll begins with it. */
const begun = new Map<string, { readonly memory: string | undefined; untilMs: number }>();

/**
 * Runs a poll of a node, or gives null at once if it would find what another one hands over:
 * - while that one runs: n8n starts a poll at its time even if the one before has not ended, and after a restart it
 *   makes up for several at once
 * - a minute after that one has handed over something: with durable poll cursors, the copy of the memory that a poll has
 *   may be from before n8n has stored the hand-over; so may be the memory of a workflow that was published meanwhile
 *
 * Then it hands over the same again, since n8n may have lost it: it drops what a poll returns if it cannot store it, or
 * if the workflow was stopped or published again before the poll's end. No poll can know.
 */
async function unlessBegun(
	context: IPollFunctions,
	budgetMs: number,
	poll: () => Promise<INodeExecutionData[][] | null>,
): Promise<INodeExecutionData[][] | null> {
	const node = nodeOf(context);
	const memory = memoryOf(context);
	const last = begun.get(node);
	if (last && last.memory === memory && performance.now() < last.untilMs) return null;
	const own = { memory, untilMs: performance.now() + budgetMs };
	begun.set(node, own);
	let handedOver: INodeExecutionData[][] | null = null;
	try {
		handedOver = await poll();
		return handedOver;
	} finally {
		own.untilMs = handedOver === null ? 0 : performance.now() + STORED_AFTER_MS;
	}
}

/** The memory of what was handed over changes at the end only. So after a poll that fails, the next one finds the same. */
async function handOver(poll: Poll): Promise<INodeExecutionData[][] | null> {
	const { context, connection, settings, responsesOver: signal } = poll;
	const { client, render, listed } = connection;
	const memory = memoryOf(context);
	const before = memory === undefined ? NEW_WATCH : parseWatch(JSON.parse(memory));
	const options = { ...settings, listed, signal };
	const found = await newResponses(client, before, options).catch((thrown: unknown) => {
		throw signal.aborted ? outOfTime(context) : thrown;
	});
	const failed = failureOf(context, found.failures, connection, {
		hasWorked: memory !== undefined,
		wasThere: (surveyId) => wasThere(poll, surveyId, before),
	});
	const failure = failed ?? (found.hasRead ? undefined : outOfTime(context));
	const refusesActivation = memory === undefined && settings.surveyIds !== undefined;
	const remember = () => {
		context.getWorkflowStaticData('node').memory = JSON.stringify(storedWatch(found.after));
	};
	if (failure && (refusesActivation || !found.hasRead)) {
		// So that the next poll begins after the surveys that were tried.
		if (memory !== undefined) remember();
		throw failure;
	}
	const items = await itemsOf(found.responses, poll);

	const [unreadable] = found.unreadable;
	const unread = failure ?? (unreadable && nodeErrorOf(context.getNode(), unreadable, render));
	const known = new Set(found.after.surveys.keys());
	report(context, unread ?? idleExclusionsOf(context, settings, connection, known));
	remember();
	return items.length > 0 ? [items] : null;
}

/**
 * Whether a survey that the form names was there once: it was read before, or it was chosen from the list, since only an
 * expression gives anything else.
 */
function wasThere({ context, settings }: Poll, surveyId: string, before = NEW_WATCH): boolean {
	if (settings.surveyIds === undefined) return false;
	return before.surveys.has(surveyId) || Array.isArray(context.getNode().parameters.surveys);
}

/** For "Fetch Test Event": of the newest responses of the first survey that has any, the one with the most answers. */
async function example(poll: Poll): Promise<INodeExecutionData[]> {
	const { context, settings, connection, responsesOver: signal } = poll;
	const { client, listed } = connection;
	const all = settings.surveyIds ? [] : [...(await allSurveys(client, listed, signal)).values()];
	// Those that may have one, by what the service says of them.
	const answered = all.filter(({ fields }) => fields.responses !== 0).map(({ id }) => id);
	const included = answered.filter((id) => !settings.excludedSurveyIds.has(id));
	const { attributes, surveyIds = included } = settings;
	const asItIs = (response: SurveyResponse) => response;
	let failure: NodeError | undefined;
	for (const surveyId of surveyIds) {
		try {
			const wanted = { of: { surveyId }, limit: NEWEST, attributes, listed, signal };
			const newest = await collectNewestFirst(client, STREAMS.survey_responses, wanted, asItIs);
			const fullest = newest.sort((one, other) => answersIn(other) - answersIn(one)).slice(0, 1);
			const items = await itemsOf(fullest, poll);
			if (items.length > 0) return items;
		} catch (thrown) {
			failure ??= nodeErrorOf(context.getNode(), thrown, connection.render, {
				subject: () => say`Survey ${surveyPart(surveyId, listed.get(surveyId)?.name)}`,
				wasThere: () => wasThere(poll, surveyId),
			});
			if (settings.surveyIds) break;
		}
	}
	if (failure) throw failure;
	throw new NodeOperationError(context.getNode(), 'There is no response yet to show as an example', {
		description: `None of the newest ${NEWEST} responses of these surveys gives an item. Answer a survey, or activate the workflow: it starts with the first response.`,
	});
}

const answersIn = ({ answers }: SurveyResponse): number => (Array.isArray(answers) ? answers.length : 0);

/** Responses in the form that the settings ask for, after the treatment of personal data. */
async function itemsOf(responses: readonly SurveyResponse[], poll: Poll): Promise<INodeExecutionData[]> {
	const { connection, over } = poll;
	const { form } = poll.settings;
	const surveyIds = responses.map(({ survey_id }) => survey_id);
	const texts = await questionTexts(form, connection, surveyIds, over);
	const items = responses.flatMap((response) => form.itemsOf(response, connection));
	return form.finish(items, texts).map((json) => ({ json: json as IDataObject }));
}

const outOfTime = (context: IPollFunctions): NodeOperationError =>
	new NodeOperationError(context.getNode(), 'The new responses could not be read in the time of the poll', {
		description:
			'The next poll begins where this one began. If this happens again, ask the service why it is slow, or run fewer workflows with this account at the same time.',
	});
