import { inParallel } from '@survey-export/core';
import type { IPollFunctions } from 'n8n-workflow';

import {
	type AttributesOf,
	type Client,
	respondentAttributes,
	say,
	SurveyExportError,
	type SurveyResponse,
	withRespondentAttributes,
} from '@survey-export/core';
import type { Connection } from '../shared/connect.ts';
import { type Due, type Found, oldestOfAll } from './find.ts';
import type { PollTime } from './poll-time.ts';
import type { TriggerSettings } from './settings.ts';

const RESPONDENTS_AT_ONCE = 5;

/** A survey that waits for a respondent's attributes. */
export interface Waiting {
	readonly respondentUuid: string;
	/** Why the attributes could not be read; undefined when the time was too short. */
	readonly failure?: unknown;
}

/** What a poll can hand over. */
export interface Ready {
	/** The responses to hand over, oldest first, each with the form in which it is handed over. */
	readonly candidates: readonly Due[];
	readonly responses: ReadonlyMap<SurveyResponse, SurveyResponse>;
	/** By survey, where some of its responses are not ready. */
	readonly waiting: ReadonlyMap<string, Waiting>;
}

export function attributesOfTrigger(
	context: IPollFunctions,
	{ client, render }: Connection,
): AttributesOf {
	return respondentAttributes(client, ({ whole }) => context.logger.warn(render(whole)));
}

/**
 * The oldest of all new responses, with their respondents' attributes where the settings ask for these.
 *
 * A respondent whose attributes cannot be read holds back this survey's responses from theirs on: the memory knows no
 * gaps that last longer than the lookback. The other surveys' responses take their place.
 */
export async function readyOf(
	context: IPollFunctions,
	connection: Connection,
	found: readonly Found[],
	settings: TriggerSettings,
	time: PollTime,
): Promise<Ready> {
	const attributesOf = attributesOfTrigger(context, connection);
	const blocked = new Map<string, Waiting>();
	for (let open = found; ; ) {
		const candidates = oldestOfAll(open, settings.mostPerPoll);
		const { responses, waiting } = settings.withRespondentAttributes
			? await withAttributes(candidates, attributesOf, connection.client, time)
			: asTheyAre(candidates);
		const failed = [...waiting].filter(([, { failure }]) => failure !== undefined);
		// Without time for another round, what is ready now is all.
		if (failed.length === 0 || time.enoughAttributes.aborted) {
			return { candidates, responses, waiting: new Map([...waiting, ...blocked]) };
		}
		for (const [surveyId, one] of failed) blocked.set(surveyId, one);
		open = open.map((one) =>
			blocked.has(one.surveyId)
				? { ...one, responses: one.responses.filter((response) => responses.has(response)) }
				: one,
		);
	}
}

type Enriched = Pick<Ready, 'responses' | 'waiting'>;

const asTheyAre = (candidates: readonly Due[]): Enriched => ({
	responses: new Map(candidates.map(({ response }) => [response, response])),
	waiting: new Map(),
});

async function withAttributes(
	candidates: readonly Due[],
	attributesOf: AttributesOf,
	client: Client,
	time: PollTime,
): Promise<Enriched> {
	const outcomes = await askOldestFirst(candidates, attributesOf, client, time);
	const ready: SurveyResponse[] = [];
	const waiting = new Map<string, Waiting>();
	for (const { surveyId, response } of candidates) {
		if (waiting.has(surveyId)) continue;
		const uuid = response.respondent_uuid;
		const outcome = uuid == null ? {} : outcomes.get(uuid);
		if (uuid != null && (outcome === undefined || outcome.failure !== undefined)) {
			waiting.set(surveyId, { respondentUuid: uuid, failure: outcome?.failure });
			continue;
		}
		ready.push(response);
	}
	const enriched = await withRespondentAttributes(ready, attributesOf, time.over);
	return {
		responses: new Map(ready.map((response, place) => [response, enriched[place]!])),
		waiting,
	};
}

/** The respondents that were asked for, each with the reason why their attributes could not be read. */
async function askOldestFirst(
	candidates: readonly Due[],
	attributesOf: AttributesOf,
	client: Client,
	{ over, enoughAttributes, perRespondentMs }: PollTime,
): Promise<ReadonlyMap<string, { readonly failure?: unknown }>> {
	const surveysOf = new Map<string, Set<string>>();
	for (const { surveyId, response } of candidates) {
		const uuid = response.respondent_uuid;
		if (uuid == null) continue;
		surveysOf.set(uuid, (surveysOf.get(uuid) ?? new Set()).add(surveyId));
	}
	const outcomes = new Map<string, { readonly failure?: unknown }>();
	const waiting = new Set<string>();
	const ask = async ([uuid, surveys]: readonly [string, ReadonlySet<string>]) => {
		if (enoughAttributes.aborted || [...surveys].every((id) => waiting.has(id))) return;
		const limit = AbortSignal.timeout(perRespondentMs);
		const requestsBefore = client.counts.requests;
		try {
			await attributesOf([uuid], AbortSignal.any([enoughAttributes, limit]));
			outcomes.set(uuid, {});
		} catch (thrown) {
			// Nothing was sent: the rate limit took the time, not the respondent.
			const hasWaited = limit.aborted && client.counts.requests === requestsBefore;
			if (enoughAttributes.aborted || hasWaited) return;
			outcomes.set(uuid, { failure: limit.aborted ? tooSlow(perRespondentMs) : thrown });
			for (const id of surveys) waiting.add(id);
		}
	};
	await inParallel([...surveysOf], RESPONDENTS_AT_ONCE, ask, over);
	return outcomes;
}

const tooSlow = (limitMs: number) =>
	new SurveyExportError(
		'transient',
		'no_answer',
		say`no complete response within ${limitMs / 1_000} s. The next poll tries again. If it goes on, ask the service.`,
	);
