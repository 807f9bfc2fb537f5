import { sleep } from 'n8n-workflow';

import type { Clock } from '@survey-export/core';

const SLICE_MS = 1_000;

/**
 * Time as the core wants it. n8n's scanner allows no timers but n8n's own `sleep`, which cannot be ended
 * early: so long waits are cut into slices, and an abort is heard at once while the last slice runs out.
 */
export const clock: Clock = {
	now: () => Date.now(),
	async sleep(ms, signal) {
		signal?.throwIfAborted();
		const untilMs = Date.now() + ms;
		let stop = () => {};
		const aborted = new Promise<never>((_, reject) => {
			stop = () => reject(signal?.reason);
		});
		signal?.addEventListener('abort', stop, { once: true });
		try {
			for (let leftMs = ms; leftMs > 0; leftMs = untilMs - Date.now()) {
				await Promise.race([sleep(Math.min(leftMs, SLICE_MS)), aborted]);
			}
		} finally {
			signal?.removeEventListener('abort', stop);
		}
	},
};
