import type { Clock, Hash, Host, Transport } from "@survey-export/core";
import type { Configuration, Secret, ServiceSettings } from "./configuration.ts";
import { logLine } from "./messages.ts";
import type { Output } from "./output.ts";

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

/** The core's host: it holds the key inside of its transport, out of the core's reach. Its log goes to `output`. */
export function createHost(machine: Machine, { secret, service }: Configuration, output: Output): Host {
  return {
    clock: machine.clock,
    ...(machine.random && { random: machine.random }),
    transport: machine.createTransport(secret, service),
    log(level, message) {
      // A reader that went away ends the run by other means.
      output.write(logLine(LEVELS[level], message)).catch(() => {});
    },
  };
}
