import type { Client } from "@survey-export/core";

/** So long somebody waits for the answer of `check` or of a dry run. 30 seconds are promised. One request ends earlier by itself. */
const LONGEST_WAIT_MS = 27_000;

/**
 * Does `work` until it is done, or the time of somebody who waits for an answer is over: then its requests are aborted, and the
 * caller answers with what there is.
 * @throws what `work` throws; the signal's reason when that is aborted
 */
export async function inTime(
  { host }: Client,
  work: (running: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const running = AbortSignal.any([signal, over.signal]);
  const all = work(running);
  try {
    await Promise.race([all, host.clock.sleep(LONGEST_WAIT_MS, running)]);
  } finally {
    over.abort();
    all.catch(() => {}); // ended by the abort
  }
}
