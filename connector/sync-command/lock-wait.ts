import { type Clock, type Message, say } from "@survey-export/core";
import { isBusy } from "../node/sqlite.ts";

/** How long another program may lock the file before the sync gives up. */
export const BUSY_MS = 60_000;
const RETRY_MS = 50;
/** So long a wait is worth a word. */
const LONG_MS = 1000;

export interface LockWaitOptions {
  readonly clock: Pick<Clock, "monotonicMs" | "sleep">;
  /** Ends each wait. */
  readonly signal: AbortSignal;
  /** Called once in each wait that is long. */
  readonly onLong: () => void;
}

/**
 * Waits while another program holds a lock of the file. SQLite's own wait (`busy_timeout`) would stop the whole process for that
 * time: no signal, no request and no line of progress.
 */
export class LockWait {
  readonly #options: LockWaitOptions;
  #isLong = false;

  constructor(options: LockWaitOptions) {
    this.#options = options;
  }

  /** What is waited for now, for the live line. */
  get waitsFor(): Message | undefined {
    return this.#isLong ? say`waiting for another program, which has locked the file` : undefined;
  }

  /**
   * Tries until nothing is locked, or `mostMs` have passed. `attempt` must change nothing if it fails.
   * @throws what `attempt` throws, at once if it is not about a lock; the signal's reason once that is aborted
   */
  async whenFree<Result>(attempt: () => Result, mostMs = BUSY_MS): Promise<Result> {
    const { clock, signal, onLong } = this.#options;
    const beganMs = clock.monotonicMs();
    try {
      for (;;) {
        try {
          return attempt();
        } catch (thrown) {
          if (!isBusy(thrown)) throw thrown;
          const waitedMs = clock.monotonicMs() - beganMs;
          if (waitedMs >= mostMs) throw thrown;
          if (waitedMs >= LONG_MS && !this.#isLong) {
            this.#isLong = true;
            onLong();
          }
        }
        signal.throwIfAborted();
        await clock.sleep(RETRY_MS, signal);
      }
    } finally {
      this.#isLong = false;
    }
  }

  /** @returns whether it succeeded within `mostMs`. @throws what `attempt` throws that is not about a lock */
  async succeeds(attempt: () => void, mostMs: number): Promise<boolean> {
    try {
      await this.whenFree(attempt, mostMs);
      return true;
    } catch (thrown) {
      if (isBusy(thrown) || thrown === this.#options.signal.reason) return false;
      throw thrown;
    }
  }
}
