import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { connect, type Host, type Patience, type Service } from '@survey-export/core';
import { checkedBaseUrl } from './base-url.ts';
import { clock } from './clock.ts';
import { withoutQuotedKey } from './quoted-key.ts';
import { transportOf } from './transport.ts';

/** Somebody may be watching an execution: what a sync waits out for hours is told after some minutes. */
export const EXECUTION_PATIENCE: Partial<Patience> = {
	rateLimitedMs: 300_000,
	unavailableMs: 120_000,
	attempts: 4,
	brokenAnswers: 3,
};

/**
 * The service as this execution may ask it. One for all items, so that the workspace's limits hold
 * across them.
 */
export async function serviceFor(
	context: IExecuteFunctions | IPollFunctions,
	patience: Partial<Patience>,
): Promise<Service> {
	const { baseUrl, apiKey } = await context.getCredentials('surveyExportApi');
	const host: Host = {
		transport: withoutQuotedKey(transportOf(context), String(apiKey)),
		clock,
		log: (level, message, fields) => context.logger[level](message, { ...fields }),
	};
	return connect(host, { baseUrl: checkedBaseUrl(baseUrl), patience });
}
