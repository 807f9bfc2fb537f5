import { type Limits, RateLimiter } from "../../../connector/core/client/rate-limiter.ts";
import { createSimulatedClock, type SimulatedClock } from "./clock.ts";
import { randomFrom } from "./random.ts";
import { StrictService } from "./strict-service.ts";

export interface SharedWorkspaceOptions {
  readonly processes: number;
  /** Requests of each process: the first alone, since it shows what else there is to read, then as many as may be. */
  readonly requestsEach: number;
  readonly latencyMs: number;
  readonly retryAfter: boolean;
  readonly seed: number;
  /** What each process is configured to use at most. Default: all that the service allows. */
  readonly requestsPerMinute?: number;
  /** Ends early, at this simulated time. */
  readonly untilMs?: number;
  /** Default: within 3 ms on the way, as between processes of one machine. */
  readonly networkMs?: number;
  /** Each process starts at a random time within so long. Default 300, as when a machine starts all at once. */
  readonly startsWithinMs?: number;
}

export interface SharedWorkspaceResult {
  /** From each process's own start to its end, in milliseconds. */
  readonly tookMs: readonly number[];
  /** Until the last process ended. */
  readonly allMs: number;
  readonly answeredEach: readonly number[];
  readonly answered: number;
  readonly refused: number;
  readonly busyMs: number;
  /** The longest time for which one process had no answer. */
  readonly longestWaitMs: number;
}

/** What the service allows the whole workspace. */
const ALLOWED: Limits = { maxConcurrentRequests: 5, requestsPerMinute: 1000 };

/** Several processes that do not know each other read one workspace, each with a rate limiter of its own. */
export async function shareWorkspace(options: SharedWorkspaceOptions): Promise<SharedWorkspaceResult> {
  const { processes, seed, untilMs, networkMs = 3, startsWithinMs = 300, latencyMs, retryAfter } = options;
  const limits = { ...ALLOWED, requestsPerMinute: options.requestsPerMinute ?? ALLOWED.requestsPerMinute };
  const clock = createSimulatedClock();
  const random = randomFrom(seed);
  const service = new StrictService(clock, { ...ALLOWED, latencyMs, retryAfter, networkMs, random });
  const beganMs = clock.monotonicMs();
  const readers = Array.from(
    { length: processes },
    (_, number) => new Reader(clock, service, limits, randomFrom(seed * 1000 + number)),
  );
  const stopAll = (): void => {
    for (const reader of readers) reader.stop();
  };
  const ends = untilMs === undefined ? undefined : clock.sleep(untilMs).then(stopAll);
  await Promise.all(
    readers.map(async (reader) => {
      await clock.sleep(startsWithinMs * random());
      await reader.read(options.requestsEach);
    }),
  );
  const allMs = clock.monotonicMs() - beganMs;
  await ends;
  return {
    allMs,
    tookMs: readers.map(({ tookMs }) => tookMs),
    answeredEach: readers.map(({ answered }) => answered),
    answered: service.answered,
    refused: service.refused,
    busyMs: service.busyMs,
    longestWaitMs: Math.max(...readers.map(({ longestWaitMs }) => longestWaitMs)),
  };
}

/** One process: asks until it has all its answers, and asks again for what was refused. */
class Reader {
  readonly #clock: SimulatedClock;
  readonly #service: StrictService;
  readonly #limiter: RateLimiter;
  #stopped = false;
  answered = 0;
  tookMs = 0;
  longestWaitMs = 0;
  #lastAnswerMs = 0;

  constructor(clock: SimulatedClock, service: StrictService, limits: Limits, random: () => number) {
    this.#clock = clock;
    this.#service = service;
    this.#limiter = new RateLimiter(clock, limits, random);
  }

  stop(): void {
    this.#stopped = true;
  }

  async read(requests: number): Promise<void> {
    const beganMs = this.#clock.monotonicMs();
    this.#lastAnswerMs = beganMs;
    let left = requests - 1;
    const walk = async (): Promise<void> => {
      while (left > 0 && !this.#stopped) {
        left--;
        await this.#get();
      }
    };
    await this.#get();
    await Promise.all(Array.from({ length: ALLOWED.maxConcurrentRequests }, walk));
    this.tookMs = this.#clock.monotonicMs() - beganMs;
    this.#noteWait();
  }

  async #get(): Promise<void> {
    let done = false;
    while (!done && !this.#stopped) done = await this.#limiter.run(() => this.#attempt());
  }

  async #attempt(): Promise<boolean> {
    const startedMs = this.#clock.monotonicMs();
    const answer = await this.#service.answer();
    if (answer.refused) {
      this.#limiter.pauseFor(answer.waitMs, startedMs, true);
      return false;
    }
    this.#limiter.recovered(startedMs);
    this.answered++;
    this.#noteWait();
    return true;
  }

  #noteWait(): void {
    const nowMs = this.#clock.monotonicMs();
    this.longestWaitMs = Math.max(this.longestWaitMs, nowMs - this.#lastAnswerMs);
    this.#lastAnswerMs = nowMs;
  }
}
