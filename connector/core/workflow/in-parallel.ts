/**
 * Does `work` for each input, at most `width` at a time, and gives the results in the inputs' order.
 *
 * An input that fails ends the inputs after it: their signal is aborted. The inputs before it go on. The error
 * thrown in the end is the one of the first input that failed, even if a later one failed sooner.
 */
export async function inParallel<Input, Result>(
  inputs: readonly Input[],
  width: number,
  work: (input: Input, index: number, signal: AbortSignal) => Promise<Result>,
  cancelled?: AbortSignal,
): Promise<Result[]> {
  const results = new Array<Result>(inputs.length);
  const running = new Map<number, AbortController>();
  let failed: { readonly index: number; readonly thrown: unknown } | undefined;
  const left = inputs.entries();

  const attempt = async (index: number, input: Input) => {
    const own = new AbortController();
    running.set(index, own);
    try {
      const signal = cancelled ? AbortSignal.any([cancelled, own.signal]) : own.signal;
      results[index] = await work(input, index, signal);
    } catch (thrown) {
      if (failed !== undefined && failed.index < index) return;
      failed = { index, thrown };
      for (const [other, controller] of running) {
        if (other > index) controller.abort(new Error("An earlier item could not be read"));
      }
    } finally {
      running.delete(index);
    }
  };
  const takeTurns = async () => {
    for (const [index, input] of left) {
      if (failed !== undefined || cancelled?.aborted) return;
      await attempt(index, input);
    }
  };

  await Promise.all(Array.from({ length: Math.min(width, inputs.length) }, takeTurns));
  if (failed) throw failed.thrown;
  cancelled?.throwIfAborted();
  return results;
}
