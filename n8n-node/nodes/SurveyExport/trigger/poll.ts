import {
	attributesReader,
	collectNewestFirst,
	counted,
	newResponses,
	RETRY_POLICIES,
	STREAMS,
	type SurveyExportError,
	type SurveyResponse,
	say,
} from '@survey-export/core';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { type Connection, connectionFor } from '../shared/connect.ts';
import { nodeErrorOf } from '../shared/failure.ts';
import { SettingError } from '../shared/values.ts';
import { hasMemory, readMemory, writeMemory } from './memory.ts';
import { failureOf, hasTold, nodeOf, report, surveySubject } from './reports.ts';
import { optionsOf, type TriggerSettings, triggerSettings } from './settings.ts';

/** Responses of a survey that are looked at for an example, in one request. */
const NEWEST = 25;
/** The time of a poll if n8n states none. */
const USUAL_MS = 300_000;
/** The share of the time in which to read: what is found must still be handed over. */
const READING_SHARE = 0.8;
/** The same if the attributes of the people are read after it. */
const RESPONSES_SHARE = 0.4;
/** How n8n names an activation by a person. It keeps the name for all polls until it starts again. */
const BY_A_PERSON = ['activate', 'create', 'update'];

interface Poll {
	readonly context: IPollFunctions;
	readonly settings: TriggerSettings;
	readonly connection: Connection;
	/** Ends after this share of the poll's time. */
	until(share: number): AbortSignal;
}

/**
 * One poll: responses that have not started the workflow yet, oldest first, or null.
 *
 * A poll that fails is reported and gives null if the trigger has a memory: n8n does not try again to start a trigger
 * that throws while n8n starts. Without a memory it throws, so that a wrong ID refuses activation.
 */
export async function pollForResponses(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const budgetMs = context.getPollBudgetMs?.() ?? USUAL_MS;
	const startedMs = performance.now();
	const until = (share: number): AbortSignal => {
		const leftMs = Math.max(1_000, budgetMs * share) - (performance.now() - startedMs);
		return AbortSignal.timeout(Math.max(0, Math.floor(leftMs)));
	};
	const isManual = context.getMode() === 'manual';
	let connection: Connection | undefined;
	try {
		const settings = triggerSettings(context);
		const poll = async (): Promise<Poll> => {
			connection = await connectionFor(context, RETRY_POLICIES.poll, optionsOf(context));
			return { context, settings, connection, until };
		};
		if (isManual) return [await example(await poll())];
		return await unlessBegun(context, budgetMs, async () => handOver(await poll()));
	} catch (thrown) {
		const error = nodeErrorOf(context.getNode(), thrown, connection?.render);
		// An error of n8n is one that `handOver` has decided to throw.
		const isFinal = thrown instanceof NodeApiError || thrown instanceof SettingError;
		if (isManual || isFinal || !hasMemory(context.getWorkflowStaticData('node'))) throw error;
		report(context, 'failure', error);
		return null;
	}
}

/** n8n stores what a poll returns a moment after it has returned. */
const STORED_AFTER_MS = 60_000;
/** By node: the memory that a poll began with, and until when no other poll begins with it. */
const begun = new Map<string, { readonly memory: unknown; readonly untilMs: number }>();

/**
 * Runs a poll of a node, or gives null at once if it would find what another one hands over. n8n starts a poll at its
 * time even if the one before has not ended, and after a restart it makes up for several at once. With durable poll
 * cursors, each has a copy of the memory for itself, read some time before it begins.
 */
async function unlessBegun<Result>(
	context: IPollFunctions,
	budgetMs: number,
	poll: () => Promise<Result | null>,
): Promise<Result | null> {
	const node = nodeOf(context);
	const { memory } = context.getWorkflowStaticData('node');
	const last = begun.get(node);
	if (last && last.memory === memory && performance.now() < last.untilMs) return null;
	const keepFor = (ms: number) => begun.set(node, { memory, untilMs: performance.now() + ms });
	keepFor(budgetMs);
	let handedOver: Result | null = null;
	try {
		handedOver = await poll();
		return handedOver;
	} finally {
		keepFor(handedOver === null ? 0 : STORED_AFTER_MS);
	}
}

/**
 * The memory changes only at the end, and only for the responses that are returned. So a poll that fails has changed
 * nothing, and the next one finds the same.
 */
async function handOver(poll: Poll): Promise<INodeExecutionData[][] | null> {
	const { context, connection, settings, until } = poll;
	const { client, render } = connection;
	const { surveyIds, attributeNames: attributes, lookbackMs, withRespondentAttributes } = settings;
	const data = context.getWorkflowStaticData('node');
	const { memory } = data;
	const before = readMemory(data);
	const signal = until(withRespondentAttributes ? RESPONSES_SHARE : READING_SHARE);
	const found = await newResponses(client, before, { surveyIds, attributes, signal });
	const failed = failureOf(context, found.failures, render);
	const failure = failed ?? (found.hasRead ? undefined : outOfTime(context));
	const isUnknown = [...found.failures.keys()].some((id) => !before.has(id));
	const isAdded = isUnknown && !hasTold(context) && BY_A_PERSON.includes(context.getActivationMode());
	const mayRefuse = !hasMemory(data) || isAdded;
	if (failure && found.responses.length === 0 && mayRefuse) throw failure;
	const responses = withRespondentAttributes ? await withAttributes(found.responses, poll) : found.responses;

	// No await from here on. What another poll handed over meanwhile is not known here: the next poll resumes from there.
	if (data.memory !== memory) return null;
	const [unreadable] = found.unreadable;
	report(context, 'failure', failure);
	report(context, 'unreadable', unreadable && nodeErrorOf(context.getNode(), unreadable, render));
	const items = itemsOf(responses, poll);
	if (found.hasRead) writeMemory(data, found.after, lookbackMs);
	return items.length > 0 ? [items] : null;
}

/** With the attributes of the people who answered, as far as they can be read in the poll's time. */
async function withAttributes(
	responses: readonly SurveyResponse[],
	{ connection: { client, warn }, until }: Poll,
): Promise<readonly SurveyResponse[]> {
	const failures: SurveyExportError[] = [];
	const over = until(READING_SHARE);
	const read = attributesReader(
		client,
		({ whole }) => warn(whole),
		(error) => failures.push(error),
	);
	const enriched = await read(responses, over);
	const [first] = failures;
	if (first !== undefined) {
		const why = over.aborted ? say`The time of the poll was over.` : first.whole;
		warn(
			say`The attributes of ${counted(failures.length, say`respondent`, say`respondents`)} could not be read. Their responses are handed over without attributes. ${why}`,
		);
	}
	return enriched;
}

/**
 * For "Fetch Test Event": of the newest responses of the first survey that has any, the one with most columns, so that
 * the author of the workflow sees what can come.
 */
async function example(poll: Poll): Promise<INodeExecutionData[]> {
	const { context, settings, connection, until } = poll;
	const { surveyIds, attributeNames: attributes, form, withRespondentAttributes } = settings;
	const { client, render, treatment } = connection;
	const wanted = { respondentUuids: [], attributes, signal: until(READING_SHARE), onUnreadable: () => {} };
	const columnsOf = (response: SurveyResponse): number => {
		const items = form.itemsOf(response, { treatment, warn: () => {} });
		const values = form.finish(items).rows.flatMap((row) => Object.values(row).flat());
		return items.length === 0 ? -1 : values.filter((value) => (value ?? null) !== null).length;
	};
	const list = STREAMS.survey_responses;
	for (const surveyId of surveyIds) {
		try {
			const ofSurvey = { ...wanted, surveyIds: [surveyId] };
			const measured = (response: SurveyResponse) => ({ response, columns: columnsOf(response) });
			const newest = await collectNewestFirst(client, list, ofSurvey, NEWEST, measured);
			const [fullest] = newest.sort((one, other) => other.columns - one.columns);
			if (fullest === undefined || fullest.columns < 0) continue;
			const shown = [fullest.response];
			return itemsOf(withRespondentAttributes ? await withAttributes(shown, poll) : shown, poll);
		} catch (thrown) {
			const subject = () => surveySubject(surveyId);
			throw nodeErrorOf(context.getNode(), thrown, render, { subject });
		}
	}
	throw new NodeOperationError(context.getNode(), 'There is no response yet to show as an example', {
		description: `None of the newest ${NEWEST} responses of these surveys gives an item. Answer a survey, or activate the workflow: it starts with the first response.`,
	});
}

/** Responses in the form that the settings ask for, as they may leave. */
function itemsOf(
	responses: readonly SurveyResponse[],
	{ settings: { form }, connection }: Poll,
): INodeExecutionData[] {
	const items = responses.flatMap((response) => form.itemsOf(response, connection));
	return form.finish(items).rows.map((json) => ({ json: json as IDataObject }));
}

const outOfTime = (context: IPollFunctions): NodeOperationError =>
	new NodeOperationError(context.getNode(), 'The new responses could not be read in the time of the poll', {
		description:
			'The next poll begins where this one began. If this happens again, ask the service why it is slow, or run fewer workflows with this account at the same time.',
	});
