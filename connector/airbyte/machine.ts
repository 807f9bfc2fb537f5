import type { Clock, Hash, Host, Transport } from "@survey-export/core";
import type { Configuration, Secret, ServiceSettings } from "./configuration.ts";
import type { MessageWriter } from "./message-writer.ts";

/** What a command needs of the machine it runs on. */
export interface Machine {
  readonly clock: Clock;
  /** See `Host.random`. */
  readonly random?: () => number;
  /** This and `createHash` are the only functions that are given the secret. */
  readonly createTransport: (secret: Secret, service: ServiceSettings) => Transport;
  readonly createHash: (secret: Secret) => Hash;
}

const LEVELS = { debug: "DEBUG", info: "INFO", warn: "WARN" } as const;

/** The core's host: it holds the key inside of its transport, out of the core's reach. Its log goes to `writer`. */
export function createHost(
  machine: Machine,
  { secret, service }: Configuration,
  writer: MessageWriter,
): Host {
  return {
    clock: machine.clock,
    ...(machine.random && { random: machine.random }),
    transport: machine.createTransport(secret, service),
    log(level, message, code) {
      // A reader that went away ends the run by other means.
      writer.log(LEVELS[level], message, code).catch(() => {});
    },
  };
}
