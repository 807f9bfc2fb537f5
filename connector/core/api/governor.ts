import type { Clock } from "../ports.ts";

/**
 * One governor for all requests of a service (service interface, "Limits"): never more than
 * `maxConcurrentRequests` in flight, never more than `requestsPerMinute` starts in any 60 seconds.
 *
 * The minute is a sliding window, so a short sync runs at full speed and a long one settles at the limit.
 * A start is charged until 60 seconds after its answer came: the service saw the request at some moment
 * between the two, so whatever the network does, the service never counts more than the limit. A fixed
 * pace would be as safe and make every short sync slow.
 *
 * A pause stops everything: nothing starts before it is over, then one request at a time asks whether the
 * service answers again. After a pause for the rate limit (others share the workspace) the allowance shrinks
 * to three quarters, and grows back by a tenth for every minute without another.
 */
export interface Governor {
  /** Runs `send` when both limits allow it. Rejects with the signal's reason when that is aborted first. */
  run<T>(send: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /**
   * Stops all starts until `untilMs`. `startedMs` is when the request began that brought this about: those
   * in flight together share one lowering of the pace.
   */
  pause(untilMs: number, startedMs: number, lowersPace: boolean): void;
  /** The service answered normally: full width again. */
  recovered(): void;
  readonly maxConcurrentRequests: number;
}

export interface Limits {
  readonly maxConcurrentRequests: number;
  readonly requestsPerMinute: number;
}

/** The service's own limits, for the whole workspace. */
export const SERVICE_LIMITS: Limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };

const MINUTE_MS = 60_000;
const LOWEST_PACE = 0.1;

interface Waiter {
  start(): void;
}

export function createGovernor(clock: Clock, limits: Limits): Governor {
  const waiting: Waiter[] = [];
  let finishedMs: number[] = [];
  let firstFinished = 0;
  let inFlight = 0;
  let pausedUntilMs = 0;
  let probing = false;
  let pace = 1;
  let paceChangedMs = Number.NEGATIVE_INFINITY;
  let alarm: AbortController | undefined;

  const charged = (nowMs: number): number => {
    while (firstFinished < finishedMs.length && finishedMs[firstFinished]! <= nowMs - MINUTE_MS)
      firstFinished++;
    if (firstFinished > 4096) {
      finishedMs = finishedMs.slice(firstFinished);
      firstFinished = 0;
    }
    return inFlight + finishedMs.length - firstFinished;
  };

  const currentPace = (nowMs: number): number => {
    const minutes = Math.floor((nowMs - paceChangedMs) / MINUTE_MS);
    if (pace < 1 && minutes > 0) {
      pace = Math.min(1, pace + 0.1 * minutes);
      paceChangedMs += minutes * MINUTE_MS;
    }
    return pace;
  };

  const scaled = (limit: number, factor: number): number => Math.max(1, Math.floor(limit * factor + 1e-9));

  /** Starts whoever may start now and sets an alarm for the moment when time alone will free the next. */
  const admit = (): void => {
    alarm?.abort();
    alarm = undefined;
    while (waiting.length > 0) {
      const nowMs = clock.now();
      const factor = currentPace(nowMs);
      const width = probing ? 1 : scaled(limits.maxConcurrentRequests, factor);
      if (inFlight >= width) return;
      if (nowMs < pausedUntilMs) {
        wakeAt(pausedUntilMs);
        return;
      }
      if (charged(nowMs) >= scaled(limits.requestsPerMinute, factor)) {
        const oldest = finishedMs[firstFinished];
        if (oldest !== undefined) wakeAt(oldest + MINUTE_MS);
        return;
      }
      inFlight++;
      waiting.shift()!.start();
    }
  };

  const wakeAt = (atMs: number): void => {
    alarm = new AbortController();
    clock.sleep(Math.max(0, atMs - clock.now()), alarm.signal).then(admit, () => {});
  };

  const enter = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const leave = (): void => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(signal!.reason);
        admit();
      };
      const waiter: Waiter = {
        start() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      signal?.addEventListener("abort", leave, { once: true });
      waiting.push(waiter);
      admit();
    });

  return {
    maxConcurrentRequests: limits.maxConcurrentRequests,
    async run(send, signal) {
      await enter(signal);
      try {
        return await send();
      } finally {
        inFlight--;
        finishedMs.push(clock.now());
        admit();
      }
    },
    pause(untilMs, startedMs, lowersPace) {
      pausedUntilMs = Math.max(pausedUntilMs, untilMs);
      probing = true;
      if (lowersPace && startedMs > paceChangedMs) {
        pace = Math.max(LOWEST_PACE, currentPace(clock.now()) * 0.75);
        paceChangedMs = clock.now();
      }
      admit();
    },
    recovered() {
      if (!probing) return;
      probing = false;
      admit();
    },
  };
}
