import type { Clock, Hash, Transport } from "@survey-export/core";
import type { TransportOptions } from "../node/transport.ts";

/** What a command needs of the machine it runs on. */
export interface Machine {
  readonly clock: Clock;
  /** See `Host.random`. */
  readonly random?: () => number;
  /** The only function that is given the key. */
  readonly createTransport: (options: Omit<TransportOptions, "timeoutMs">) => Transport;
  readonly createHash: (salt: string) => Hash;
}
