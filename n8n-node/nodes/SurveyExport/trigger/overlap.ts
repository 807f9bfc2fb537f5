const running = new Map<string, AbortSignal>();

/**
 * Runs a poll of the node that `node` names, or gives null at once while another one of the same node runs. n8n starts
 * a poll at its time even if the one before has not ended, and after a restart it makes up for several at once. Both
 * would find the same responses: with durable poll cursors, each has a copy of the memory for itself.
 *
 * `signal` is aborted when the poll's time is over; a poll that goes on all the same blocks no other.
 */
export async function unlessRunning<Result>(
	node: string,
	signal: AbortSignal,
	poll: () => Promise<Result>,
): Promise<Result | null> {
	if (running.get(node)?.aborted === false) return null;
	running.set(node, signal);
	try {
		return await poll();
	} finally {
		if (running.get(node) === signal) running.delete(node);
	}
}
