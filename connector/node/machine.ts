import type { Machine } from "../airbyte/machine.ts";
import { machineClock } from "./clock.ts";
import { createHash } from "./hash.ts";
import { createTransport } from "./transport.ts";

/** This machine: its clock, and its network with the key. */
export function createMachine(): Machine {
  return {
    clock: machineClock,
    random: Math.random,
    createTransport: ({ apiKey }, { maxConcurrentRequests }) =>
      createTransport({ apiKey, maxConcurrentRequests }),
    createHash: ({ hashSalt }) => createHash(hashSalt),
  };
}
