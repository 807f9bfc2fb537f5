import { SERVICE_LIMITS } from "./limits.ts";

/**
 * Does `work` for each input, as many at a time as the service takes requests (more would only wait for the rate
 * limiter), and gives the results in the inputs' order. After a failure no more are begun, and those behind it end: their
 * signal is aborted. Those before it go on, so that the first failure in the inputs' order is thrown.
 */
export async function inParallel<Input, Result>(
  inputs: readonly Input[],
  work: (input: Input, index: number, signal: AbortSignal) => Promise<Result>,
  cancelled: AbortSignal = new AbortController().signal,
): Promise<Result[]> {
  const results = new Array<Result>(inputs.length);
  const underWay = new Map<number, AbortController>();
  const failures = new Map<number, unknown>();
  const remaining = inputs.entries();
  const takeTurns = async () => {
    for (const [index, input] of remaining) {
      if (failures.size > 0 || cancelled.aborted) return;
      const end = new AbortController();
      underWay.set(index, end);
      try {
        results[index] = await work(input, index, AbortSignal.any([cancelled, end.signal]));
      } catch (thrown) {
        failures.set(index, thrown);
        for (const [other, later] of underWay) if (other > index) later.abort(thrown);
      }
      underWay.delete(index);
    }
  };
  await Promise.all(Array.from({ length: SERVICE_LIMITS.maxConcurrentRequests }, takeTurns));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  cancelled.throwIfAborted();
  return results;
}
