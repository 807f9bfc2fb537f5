import { share } from "../data/chance.ts";
import { type Endpoint, endpoints } from "../http/exchange.ts";
import { type FaultName, faultCatalogue } from "./catalogue.ts";
import type { FaultReply } from "./reply.ts";

/** When the service misbehaves, and how. One of `nth`, `every` and `rate`; with none of them, always. */
export interface Fault {
  /** An endpoint's name, `any`, or a regular expression for path and query below the origin. */
  readonly on: Endpoint | "any" | (string & {});
  /** Of the requests it is on, counted from 1 when the fault was added. */
  readonly nth?: number | readonly number[];
  readonly every?: number;
  /** Share of the requests, from 0 to 1, chosen by `seed`. */
  readonly rate?: number;
  readonly seed?: number;
  /** At most so often. */
  readonly times?: number;
  /** One of the catalogue, by name, or one of your own. */
  readonly reply: FaultName | FaultReply;
}

/** A fault that is due, with the name under which it is counted. */
export interface DueFault {
  readonly name: string;
  readonly reply: FaultReply;
}

interface Armed {
  readonly fault: Fault;
  readonly due: DueFault;
  readonly matches: (endpoint: Endpoint | undefined, url: string) => boolean;
  seen: number;
  served: number;
}

/** The faults in force. The first that is due wins; the others have seen the request all the same. */
export class FaultPlan {
  #armed: Armed[] = [];

  /** Throws a sentence when a fault is not one. */
  add(faults: readonly Fault[]): void {
    this.#armed.push(...faults.map(arm));
  }

  clear(): void {
    this.#armed = [];
  }

  /** The fault for a request, which it counts as seen. */
  next(endpoint: Endpoint | undefined, url: string): DueFault | undefined {
    let chosen: DueFault | undefined;
    for (const armed of this.#armed) {
      if (!armed.matches(endpoint, url)) continue;
      armed.seen += 1;
      if (chosen !== undefined || armed.served >= (armed.fault.times ?? Infinity) || !isDue(armed)) continue;
      armed.served += 1;
      chosen = armed.due;
    }
    return chosen;
  }
}

function isDue({ fault, seen }: Armed): boolean {
  if (fault.nth !== undefined) return [fault.nth].flat().includes(seen);
  if (fault.every !== undefined) return seen % fault.every === 0;
  if (fault.rate !== undefined) return share(fault.seed ?? 1, seen, 31) < fault.rate;
  return true;
}

function arm(fault: Fault): Armed {
  const named = typeof fault.reply === "string";
  const reply = named ? faultCatalogue[fault.reply as FaultName] : (fault.reply as FaultReply);
  if (reply === undefined) throw new Error(`No fault is called "${fault.reply}".`);
  const name = named ? (fault.reply as string) : reply.kind;
  return { fault, due: { name, reply }, matches: matcher(fault.on), seen: 0, served: 0 };
}

function matcher(on: string): Armed["matches"] {
  if (on === "any") return () => true;
  if ((endpoints as readonly string[]).includes(on)) return (endpoint) => endpoint === on;
  const pattern = new RegExp(on);
  return (_, url) => pattern.test(url);
}
