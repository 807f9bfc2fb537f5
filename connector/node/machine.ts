import { machineClock } from "./clock.ts";
import { createHash } from "./hash.ts";
import { createTransport } from "./transport.ts";

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
