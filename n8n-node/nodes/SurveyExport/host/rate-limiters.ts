import { RateLimiter, SERVICE_LIMITS } from '@survey-export/core';
import { clock } from './clock.ts';

const limiters = new Map<string, RateLimiter>();

/**
 * The one rate limiter of this process for a workspace: the service's limits hold for all executions and
 * polls together. A workspace is known by its address and key.
 */
export function rateLimiterFor(baseUrl: string, apiKey: string): RateLimiter {
	const workspace = JSON.stringify([baseUrl, apiKey]);
	let limiter = limiters.get(workspace);
	if (limiter === undefined) {
		limiter = new RateLimiter(clock, SERVICE_LIMITS);
		limiters.set(workspace, limiter);
	}
	return limiter;
}
