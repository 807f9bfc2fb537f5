/**
 * Does `work` for each input, at most `width` at a time, and gives the results in the inputs' order.
 * The first that throws ends the rest: their signal is aborted, and its reason is what was thrown.
 */
export async function inParallel<Input, Result>(
	inputs: readonly Input[],
	width: number,
	work: (input: Input, index: number, signal: AbortSignal) => Promise<Result>,
	cancelled?: AbortSignal,
): Promise<Result[]> {
	const results = new Array<Result>(inputs.length);
	const failed = new AbortController();
	const signal = cancelled ? AbortSignal.any([cancelled, failed.signal]) : failed.signal;
	let next = 0;
	const takeTurns = async () => {
		while (next < inputs.length && !signal.aborted) {
			const index = next++;
			results[index] = await work(inputs[index]!, index, signal);
		}
	};
	try {
		await Promise.all(Array.from({ length: Math.min(width, inputs.length) }, takeTurns));
	} finally {
		failed.abort(new Error('Another item was stopped'));
	}
	cancelled?.throwIfAborted();
	return results;
}
