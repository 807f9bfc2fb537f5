import { sleep } from 'n8n-workflow';

import type { Clock } from '@survey-export/core';

const SLICE_MS = 1_000;

/**
 * Time as the core wants it. n8n's scanner allows no timers except n8n's own `sleep`, which cannot be ended
 * early. So a long wait is cut into short ones, and after an abort the last short one runs out unheard.
 */
export const clock: Clock = {
	now: () => Date.now(),
	monotonicMs: () => performance.now(),
	async sleep(ms, signal) {
		signal?.throwIfAborted();
		const untilMs = performance.now() + ms;
		let stop = () => {};
		const aborted = new Promise<never>((_, reject) => {
			stop = () => reject(signal?.reason);
		});
		signal?.addEventListener('abort', stop, { once: true });
		try {
			for (let leftMs = ms; leftMs > 0; leftMs = untilMs - performance.now()) {
				await Promise.race([sleep(Math.min(leftMs, SLICE_MS)), aborted]);
			}
		} finally {
			signal?.removeEventListener('abort', stop);
		}
	},
};
