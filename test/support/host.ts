import { type Client, type ClientOptions, createClient, type Host, render } from "@survey-export/core";
import { Random, spread } from "../../sandbox/data/random.ts";
import type { Service as Sandbox } from "../../sandbox/index.ts";
import type { SimulatedClock } from "./clock.ts";

export interface SimulatedHost extends Host {
  readonly clock: SimulatedClock;
  /** Lines the core logged: level and message. */
  readonly logged: readonly string[];
}

export const ORIGIN = "http://sandbox.local";

/** The core's host over a sandbox in the same process. */
export function simulatedHost(sandbox: Sandbox, clock: SimulatedClock): SimulatedHost {
  const logged: string[] = [];
  return {
    clock,
    logged,
    log: (level, message) => logged.push(`${level} ${render(message)}`),
    async transport({ url }, signal) {
      if (!url.startsWith(`${ORIGIN}/v2/`)) throw new Error(`request outside the service: ${url}`);
      const reply = await sandbox.handle(
        { url: url.slice(ORIGIN.length), headers: { authorization: `Basic ${sandbox.apiKey}` } },
        signal,
      );
      return { status: reply.status, headers: reply.headers, body: String(reply.body) };
    },
  };
}

export function clientOf(host: SimulatedHost, options: Partial<ClientOptions> = {}): Client {
  return createClient(host, { baseUrl: `${ORIGIN}/v2`, ...options });
}

/** Numbers from 0 to below 1, the same for a seed on every machine. */
export function randomFrom(seed: number): () => number {
  const random = new Random(spread(seed, 0, 0));
  return () => random.share();
}
