import type { Hash } from "@survey-export/core";
import { machineClock } from "./clock.ts";
import { createTransport } from "./transport.ts";

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
