import { RateLimiter, SERVICE_LIMITS } from '@survey-export/core';
import { clock } from './clock.ts';

const limiters = new Map<string, RateLimiter>();

/**
 * The one rate limiter of this process for a workspace: the service's limits hold for all executions and
 * polls together. Base URL and key stand for the workspace. n8n's workers are processes of their own; chance
 * keeps them from asking in step.
 */
export function rateLimiterFor(baseUrl: string, apiKey: string): RateLimiter {
	const workspace = JSON.stringify([baseUrl, apiKey]);
	let limiter = limiters.get(workspace);
	if (limiter === undefined) {
		limiter = new RateLimiter(clock, SERVICE_LIMITS, { random: Math.random });
		limiters.set(workspace, limiter);
	}
	return limiter;
}
