import { setTimeout as sleep } from "node:timers/promises";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import type { Clock, Hash } from "@survey-export/core";
import { createTransport } from "./transport.ts";

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

/** HMAC-SHA-256 with the salt as its key, in lower-case hexadecimal. */
export function createHash(salt: string): Hash {
  // Loaded with the first text: a start without hashing does not wait for it.
  return (text) =>
    process.getBuiltinModule("node:crypto").createHmac("sha256", salt).update(text).digest("hex");
}

/** This machine: its clock, and its network with the key. */
export const machine = { clock: machineClock, random: Math.random, createTransport, createHash };

/** The size of the young generation. Twice as much saves a twentieth of the processor time, and takes 8 MB more (bench/README.md). */
const LARGEST_YOUNG_BYTES = 8 * 1024 * 1024;
const LOOK_EVERY_MS = 20;

/**
 * Keeps the heap small. A sync turns each page into objects and strings that are garbage soon afterwards, and V8 would
 * collect about 200 MB of garbage before it frees any. What these settings cost is in bench/README.md.
 *
 * The program sets this itself, so that it holds however the program is started. V8 reads the limit of the young
 * generation only at its start, but the growth factor at each growth: the timer ends the growth once the young
 * generation is large enough. Call it before anything large is read.
 */
export function keepHeapSmall(): void {
  // Between two full collections the old generation may grow to twice what is in use, not to four times. A fifth
  // would save a few MB and have V8 mark the heap twice as often.
  setFlagsFromString("--heap-growing-percent=100");
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young === undefined || young.space_size < LARGEST_YOUNG_BYTES) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, LOOK_EVERY_MS);
  timer.unref();
}
