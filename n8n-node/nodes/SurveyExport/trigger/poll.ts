import type {
	IDataObject,
	INode,
	INodeExecutionData,
	IPollFunctions,
	JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import {
	parseMoment,
	type Patience,
	read,
	type RespondentAttribute,
	type Service,
	type SurveyResponse,
} from '@survey-export/core';
import { nodeErrorOf } from '../failure.ts';
import { serviceFor } from '../host/connect.ts';
import { inParallel } from '../in-parallel.ts';
import { attributeOutput } from '../output/attribute.ts';
import { simplifyResponse } from '../output/simplify.ts';
import {
	advance,
	baseline,
	type Cursor,
	isNew,
	MOST_IDS,
	readFrom,
	windowStart,
} from './cursor.ts';
import { oldestNew, type ReadSlice } from './oldest.ts';
import { type TriggerSettings, triggerSettings } from './settings.ts';

/** What the trigger stores with the workflow. */
interface Memory {
	version?: 1;
	surveys?: Record<string, Cursor>;
}

/** A poll that fails is followed by another soon, so it does not wait long itself. */
const POLL_PATIENCE: Partial<Patience> = {
	rateLimitedMs: 60_000,
	unavailableMs: 20_000,
	attempts: 3,
	brokenAnswers: 2,
};
const SURVEYS_AT_ONCE = 5;
/** What n8n gives a poll where it does not say. */
const USUAL_BUDGET_MS = 300_000;
/** The part of the poll's time to use: what it found must still be handed over. */
const BUDGET_SHARE = 0.8;

/**
 * One poll: the oldest responses that have not started the workflow yet, oldest first, or null.
 *
 * The memory is changed only at the end, and only for what is returned, so a poll that fails anywhere has
 * changed nothing and the next one finds the same. A survey without memory gets its baseline: what is there
 * now starts nothing.
 */
export async function pollForResponses(
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	const settings = triggerSettings(context);
	const budgetMs = context.getPollBudgetMs?.() ?? USUAL_BUDGET_MS;
	const signal = AbortSignal.timeout(Math.max(1_000, budgetMs * BUDGET_SHARE));
	try {
		const service = await serviceFor(context, POLL_PATIENCE);
		return context.getMode() === 'manual'
			? await recentExample(context, service, settings, signal)
			: await newResponses(context, service, settings, signal);
	} catch (thrown) {
		const node = context.getNode();
		throw signal.aborted ? outOfTime(node) : nodeErrorOf(node, thrown);
	}
}

async function newResponses(
	context: IPollFunctions,
	service: Service,
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<INodeExecutionData[][] | null> {
	const { lookbackMs, mostPerPoll } = settings;
	const memory = context.getWorkflowStaticData('node') as Memory;
	const before = memory.surveys ?? {};
	const failures: { surveyId: string; thrown: unknown }[] = [];

	const found = await inParallel(
		settings.surveyIds,
		SURVEYS_AT_ONCE,
		async (surveyId, _index, stop) => {
			const slice = sliceReader(service, surveyId, settings.attributeNames, stop);
			const cursor = Object.hasOwn(before, surveyId) ? before[surveyId] : undefined;
			try {
				if (cursor === undefined) {
					const recent = await recentResponses(slice, lookbackMs);
					return { surveyId, cursor: baseline(recent, lookbackMs), responses: [] };
				}
				const responses = await oldestNew(
					slice,
					readFrom(cursor, lookbackMs),
					mostPerPoll,
					(response) => isNew(cursor, response),
				);
				return { surveyId, cursor, responses };
			} catch (thrown) {
				stop.throwIfAborted();
				failures.push({ surveyId, thrown });
				return { surveyId, cursor, responses: [] };
			}
		},
		signal,
	);

	const due = oldestOfAll(found, mostPerPoll);
	const [failure] = failures;
	if (failure && due.length === 0) {
		throw nodeErrorOf(context.getNode(), failure.thrown, {
			subject: () => ({ named: `Survey "${failure.surveyId}"`, parameter: '"Survey IDs"' }),
		});
	}
	for (const { surveyId, thrown } of failures) {
		context.logger.warn(`Survey "${surveyId}" could not be read: ${messageOf(thrown)}`);
	}

	const items = await outputOf(service, due, settings, signal);
	const after: Record<string, Cursor> = {};
	for (const { surveyId, cursor } of found) {
		if (cursor === undefined) continue;
		const emitted = due.filter((response) => response.surveyId === surveyId);
		const advanced = advance(
			cursor,
			emitted.map(({ response }) => response),
			lookbackMs,
		);
		after[surveyId] = advanced.cursor;
		if (advanced.forgot) {
			context.logger.warn(
				`Survey "${surveyId}" got more responses within the lookback than can be remembered. Those that show up late may not start the workflow; a shorter "Lookback (Minutes)" avoids this.`,
			);
		}
	}
	memory.version = 1;
	memory.surveys = after;
	return items.length > 0 ? [items] : null;
}

interface Due {
	readonly surveyId: string;
	readonly response: SurveyResponse;
}

/** The oldest of what all surveys have; each survey keeps its own order, so no survey skips any of its own. */
function oldestOfAll(
	found: readonly { surveyId: string; responses: readonly SurveyResponse[] }[],
	most: number,
): Due[] {
	return found
		.flatMap(({ surveyId, responses }) =>
			responses.map((response) => ({
				surveyId,
				response,
				at: parseMoment(response.collected_at) ?? '',
			})),
		)
		.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))
		.slice(0, most);
}

/** A survey's responses between two moments, newest first, page by page. */
function sliceReader(
	service: Service,
	surveyId: string,
	attributes: readonly string[],
	signal: AbortSignal,
): ReadSlice<SurveyResponse> {
	return async (startDate, endDate, most) => {
		const responses: SurveyResponse[] = [];
		const events = read(service, {
			surveyIds: [surveyId],
			respondentUuids: [],
			streams: new Map([['survey_responses', undefined]]),
			startDate,
			endDate,
			attributes,
			itemsPerPage: Math.min(most, 100),
			inOrder: true,
			signal,
		});
		for await (const event of events) {
			if (event.type === 'failure') throw event.error;
			if (event.type !== 'records') continue;
			for (const record of event.records) responses.push(record as SurveyResponse);
			if (responses.length >= most) return { responses, complete: false };
		}
		return { responses, complete: true };
	};
}

/** The newest response and those of the lookback window below it, as far as they are remembered. */
async function recentResponses(
	slice: ReadSlice<SurveyResponse>,
	lookbackMs: number,
): Promise<readonly SurveyResponse[]> {
	const [newest] = (await slice(undefined, undefined, 1)).responses;
	const moment = parseMoment(newest?.collected_at);
	if (moment === undefined) return [];
	return (await slice(windowStart(moment, lookbackMs), undefined, MOST_IDS + 1)).responses;
}

/** For "Fetch Test Event": the newest response there is, of the first survey that has one. */
async function recentExample(
	context: IPollFunctions,
	service: Service,
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<INodeExecutionData[][]> {
	for (const surveyId of settings.surveyIds) {
		const slice = sliceReader(service, surveyId, settings.attributeNames, signal);
		let newest: SurveyResponse | undefined;
		try {
			newest = (await slice(undefined, undefined, 1)).responses[0];
		} catch (thrown) {
			throw nodeErrorOf(context.getNode(), thrown, {
				subject: () => ({ named: `Survey "${surveyId}"`, parameter: '"Survey IDs"' }),
			});
		}
		if (newest)
			return [await outputOf(service, [{ surveyId, response: newest }], settings, signal)];
	}
	throw new NodeOperationError(
		context.getNode(),
		'There is no response yet to show as an example',
		{
			description:
				'None of the surveys has one. Answer one of them, or activate the workflow: it will start with the first response.',
		},
	);
}

async function outputOf(
	service: Service,
	due: readonly Due[],
	settings: TriggerSettings,
	signal: AbortSignal,
): Promise<INodeExecutionData[]> {
	const people = settings.withRespondentAttributes
		? await attributesByPerson(service, due, signal)
		: undefined;
	return due.map(({ response }) => {
		const attributes = people?.get(response.respondent_uuid ?? '');
		const enriched = attributes ? { ...response, respondent_attributes: attributes } : response;
		return { json: settings.simplify ? simplifyResponse(enriched) : (enriched as IDataObject) };
	});
}

/** All attributes of everybody who gave one of the responses; of people who are gone, none. */
async function attributesByPerson(
	service: Service,
	due: readonly Due[],
	signal: AbortSignal,
): Promise<Map<string, RespondentAttribute[]>> {
	const uuids = new Set(
		due.map(({ response }) => response.respondent_uuid).filter((uuid) => uuid != null),
	);
	const byPerson = new Map([...uuids].map((uuid) => [uuid, [] as RespondentAttribute[]]));
	if (uuids.size === 0) return byPerson;
	const events = read(service, {
		surveyIds: [],
		respondentUuids: [...uuids],
		streams: new Map([['respondent_attributes', undefined]]),
		signal,
	});
	for await (const event of events) {
		if (event.type === 'failure') throw event.error;
		if (event.type !== 'records') continue;
		for (const record of event.records as readonly RespondentAttribute[]) {
			byPerson
				.get(record.respondent_uuid)
				?.push(attributeOutput(record) as unknown as RespondentAttribute);
		}
	}
	return byPerson;
}

const messageOf = (thrown: unknown): string =>
	thrown instanceof Error ? thrown.message : String(thrown);

function outOfTime(node: INode): NodeApiError {
	const message = 'The new responses could not be read in the time that n8n gives a poll';
	return new NodeApiError(node, { message } as JsonObject, {
		message,
		description:
			'The next poll begins where this one began. If this goes on, the service is slow: a smaller "Max Responses per Poll" needs less time.',
		failure: { cause: 'temporarily-unavailable' },
	});
}
