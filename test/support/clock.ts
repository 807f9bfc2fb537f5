import type { Clock } from "@survey-export/core";

/** Time that passes only when everything else has come to rest: an hour of waiting takes a moment. */
export interface SimulatedClock extends Clock {
  /** Every sleep asked for, in milliseconds, in order. */
  readonly slept: readonly number[];
  /** Moves the wall time, as when somebody corrects the machine's clock. */
  stepWall(ms: number): void;
}

interface Sleeper {
  readonly untilMs: number;
  readonly wake: () => void;
}

export function createSimulatedClock(startMs = Date.UTC(2026, 0, 1)): SimulatedClock {
  let nowMs = startMs;
  let wallOffsetMs = 0;
  let ticking = false;
  const sleepers: Sleeper[] = [];
  const slept: number[] = [];

  /** Runs after all promises have settled: wakes the sleepers that are due first. */
  const tick = (): void => {
    ticking = false;
    const next = sleepers[0];
    if (next === undefined) return;
    nowMs = Math.max(nowMs, next.untilMs);
    while (sleepers[0] !== undefined && sleepers[0].untilMs <= nowMs) sleepers.shift()!.wake();
    tickSoon();
  };
  const tickSoon = (): void => {
    if (ticking || sleepers.length === 0) return;
    ticking = true;
    setImmediate(tick);
  };

  return {
    slept,
    now: () => nowMs + wallOffsetMs,
    monotonicMs: () => nowMs,
    stepWall(ms) {
      wallOffsetMs += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        slept.push(ms);
        const leave = (): void => {
          const at = sleepers.indexOf(sleeper);
          if (at >= 0) sleepers.splice(at, 1);
          reject(signal!.reason);
        };
        const sleeper: Sleeper = {
          untilMs: nowMs + Math.max(0, ms),
          wake() {
            signal?.removeEventListener("abort", leave);
            resolve();
          },
        };
        const after = sleepers.findIndex(({ untilMs }) => untilMs > sleeper.untilMs);
        sleepers.splice(after < 0 ? sleepers.length : after, 0, sleeper);
        signal?.addEventListener("abort", leave, { once: true });
        tickSoon();
      }),
  };
}
