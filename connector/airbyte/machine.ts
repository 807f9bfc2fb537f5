import type { Clock, Hash, Host, Transport } from "@survey-export/core";
import type { TransportOptions } from "../node/transport.ts";
import type { Configuration } from "./configuration.ts";
import type { LogLevel } from "./generated/protocol.ts";
import type { MessageWriter } from "./message-writer.ts";

/** What a command needs of the machine it runs on. */
export interface Machine {
  readonly clock: Clock;
  /** See `Host.random`. */
  readonly random?: () => number;
  /** The only function that is given the key. */
  readonly createTransport: (options: Omit<TransportOptions, "timeoutMs">) => Transport;
  readonly createHash: (salt: string) => Hash;
}

/** The core's host: it holds the key inside of its transport, out of the core's reach. Its log goes to `writer`. */
export function createHost(
  { clock, random, createTransport }: Machine,
  { secret: { apiKey }, service: { maxConcurrentRequests } }: Configuration,
  writer: MessageWriter,
): Host {
  return {
    clock,
    ...(random && { random }),
    transport: createTransport({ apiKey, maxConcurrentRequests }),
    log(level, message, code) {
      // A reader that went away ends the run by other means.
      writer.log(level.toUpperCase() as LogLevel, message, code).catch(() => {});
    },
  };
}
