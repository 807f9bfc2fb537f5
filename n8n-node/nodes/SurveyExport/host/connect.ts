import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import {
	connect,
	type Host,
	type Moment as Timestamp,
	type Patience as RetryPolicy,
	parseMoment as parseTimestamp,
	type Service as Client,
	type Transport,
} from '@survey-export/core';
import { checkedBaseUrl } from './base-url.ts';
import { clock } from './clock.ts';
import { withoutQuotedKey } from './quoted-key.ts';
import { transportOf } from './transport.ts';

/** Somebody may be watching an execution, so it gives up after minutes where a sync waits for hours. */
export const EXECUTION_PATIENCE: Partial<RetryPolicy> = {
	rateLimitedMs: 300_000,
	unavailableMs: 120_000,
	attempts: 4,
	brokenAnswers: 3,
};

export interface Connection {
	readonly client: Client;
	/** The service's own time as its last answer said it, or n8n's where no answer says it. */
	present(): Timestamp;
}

/** The service as one execution or poll asks it: one connection for all items. */
export async function connectionFor(
	context: IExecuteFunctions | IPollFunctions,
	retryPolicy: Partial<RetryPolicy>,
): Promise<Connection> {
	const { baseUrl, apiKey } = await context.getCredentials('surveyExportApi');
	let presentMs: number | undefined;
	const transport = withPresent(transportOf(context), (ms) => {
		presentMs = ms;
	});
	const host: Host = {
		transport: withoutQuotedKey(transport, String(apiKey)),
		clock,
		log: (level, message, fields) => context.logger[level](message, { ...fields }),
	};
	return {
		client: connect(host, { baseUrl: checkedBaseUrl(baseUrl), patience: retryPolicy }),
		present: () => timestampAt(presentMs ?? Date.now()),
	};
}

function withPresent(transport: Transport, onPresent: (ms: number) => void): Transport {
	return async (request, signal) => {
		const answer = await transport(request, signal);
		const ms = Date.parse(answer.headers.date ?? '');
		if (!Number.isNaN(ms)) onPresent(ms);
		return answer;
	};
}

const timestampAt = (ms: number): Timestamp => parseTimestamp(new Date(ms).toISOString()) ?? '';
