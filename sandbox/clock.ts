import { setTimeout as wait } from "node:timers/promises";

/** Time as the sandbox sees it, in milliseconds since the epoch. The caller passes it in, so that tests control it. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds; rejects once the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's time, from a source that never jumps back. Only the server uses it. */
export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  },
};

/** A clock that stands still, later than all example data, and sleeps in no time. */
export const stillClock: Clock = {
  now: () => Date.UTC(2027, 0, 1),
  sleep: async () => {},
};
