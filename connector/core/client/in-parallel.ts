import { SERVICE_LIMITS } from "./limits.ts";

/**
 * Does `work` for each input, as many at a time as the service answers requests (more would only wait for the rate
 * limiter), and gives the results in the inputs' order. The first failure ends the others: their signal is aborted.
 */
export async function inParallel<Input, Result>(
  inputs: readonly Input[],
  work: (input: Input, index: number, signal: AbortSignal) => Promise<Result>,
  cancelled?: AbortSignal,
): Promise<Result[]> {
  const results = new Array<Result>(inputs.length);
  const failed = new AbortController();
  const signal = cancelled ? AbortSignal.any([cancelled, failed.signal]) : failed.signal;
  const remaining = inputs.entries();
  const takeTurns = async () => {
    for (const [index, input] of remaining) {
      signal.throwIfAborted();
      results[index] = await work(input, index, signal);
    }
  };
  const worker = () => takeTurns().catch((thrown: unknown) => failed.abort(thrown));
  await Promise.all(Array.from({ length: SERVICE_LIMITS.maxConcurrentRequests }, worker));
  failed.signal.throwIfAborted();
  cancelled?.throwIfAborted();
  return results;
}
