const running = new WeakSet<object>();

/**
 * Runs a poll, or gives null at once while another one works on the same memory. n8n starts a poll at its
 * time even if the one before has not ended, and both would find the same responses.
 */
export async function unlessRunning<Result>(
	memory: object,
	poll: () => Promise<Result>,
): Promise<Result | null> {
	if (running.has(memory)) return null;
	running.add(memory);
	try {
		return await poll();
	} finally {
		running.delete(memory);
	}
}
