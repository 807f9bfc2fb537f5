import type { IPollFunctions } from 'n8n-workflow';

import {
	respondentAttributes,
	say,
	SurveyExportError,
	type SurveyResponse,
	withRespondentAttributes,
} from '@survey-export/core';
import type { Connection } from '../shared/connect.ts';
import { inParallel } from '../shared/in-parallel.ts';
import type { PollTime } from './poll-time.ts';

const AT_ONCE = 5;

/** Adds the attributes of the people who answered. */
export class People {
	/** Whose attributes could not be read, and why. */
	readonly failures = new Map<string, unknown>();
	readonly #read = new Set<string>();
	readonly #attributesOf;
	readonly #client;
	readonly #time: PollTime;

	constructor(context: IPollFunctions, { client, render }: Connection, time: PollTime) {
		this.#attributesOf = respondentAttributes(client, ({ whole }) =>
			context.logger.warn(render(whole)),
		);
		this.#client = client;
		this.#time = time;
	}

	/** The responses whose people could be read in time, each with their attributes. */
	async enrich(
		responses: readonly SurveyResponse[],
	): Promise<ReadonlyMap<SurveyResponse, SurveyResponse>> {
		const uuids = new Set(responses.flatMap(({ respondent_uuid: uuid }) => uuid ?? []));
		await inParallel([...uuids], AT_ONCE, (uuid) => this.#ask(uuid));
		const ready = responses.filter(
			({ respondent_uuid: uuid }) => uuid == null || this.#read.has(uuid),
		);
		const enriched = await withRespondentAttributes(ready, this.#attributesOf, this.#time.over);
		return new Map(ready.map((response, place) => [response, enriched[place]!]));
	}

	async #ask(uuid: string): Promise<void> {
		const { over, perRespondentMs } = this.#time;
		if (over.aborted || this.#read.has(uuid) || this.failures.has(uuid)) return;
		const limit = AbortSignal.timeout(perRespondentMs);
		const requestsBefore = this.#client.counts.requests;
		try {
			await this.#attributesOf([uuid], AbortSignal.any([over, limit]));
			this.#read.add(uuid);
		} catch (thrown) {
			// Nothing was sent: the rate limit took the time, not the respondent.
			const hasWaited = limit.aborted && this.#client.counts.requests === requestsBefore;
			if (over.aborted || hasWaited) return;
			this.failures.set(uuid, limit.aborted ? tooSlow(perRespondentMs) : thrown);
		}
	}
}

const tooSlow = (limitMs: number) =>
	new SurveyExportError(
		'transient',
		'no_answer',
		say`no complete response within ${limitMs / 1_000} s. The next poll tries again. If it goes on, ask the service.`,
	);
