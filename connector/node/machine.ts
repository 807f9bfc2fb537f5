import { setTimeout as sleep } from "node:timers/promises";
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
export function createMachine() {
  return {
    clock: machineClock,
    random: Math.random,
    createTransport: (
      { apiKey }: { readonly apiKey: string },
      { maxConcurrentRequests }: { readonly maxConcurrentRequests: number },
    ) => createTransport({ apiKey, maxConcurrentRequests }),
    createHash: ({ hashSalt }: { readonly hashSalt: string }) => createHash(hashSalt),
  };
}
