import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@survey-export/core";

/** The machine's time; sleeps do not keep the process alive by themselves once they are aborted. */
export const machineClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      // Timers of Node hold 31 bits of milliseconds.
      await sleep(Math.min(ms, 2 ** 31 - 1), undefined, signal ? { signal } : {});
    } catch (thrown) {
      throw signal?.aborted ? signal.reason : thrown;
    }
  },
};
