import { share } from "../data/random.ts";
import { ENDPOINTS, type Endpoint } from "../http/request.ts";
import { FAULT_CATALOGUE, type FaultName } from "./catalogue.ts";
import { assertKind, type FaultReply } from "./kinds.ts";

/** When and how the service fails. Give at most one of `nth`, `every` and `rate`; without them, it always fails. */
export interface Fault {
  /** An endpoint's name, `any`, or a regular expression for the path and query below the origin. */
  readonly on: Endpoint | "any" | (string & {});
  /** Which of the matching requests, counted from 1 since the fault was added. */
  readonly nth?: number | readonly number[];
  readonly every?: number;
  /** A share of the matching requests, from 0 to 1, chosen by `seed`. */
  readonly rate?: number;
  readonly seed?: number;
  /** At most this many times. */
  readonly times?: number;
  /** For so long since the fault was added, in milliseconds of the clock. */
  readonly toMs?: number;
  /** A name from the catalogue, or a fault of your own. */
  readonly reply: FaultName | FaultReply;
  /** For `clearFaults(name)`, which removes all faults of this name. */
  readonly name?: string;
}

/** A fault that can still happen. */
export interface ActiveFault {
  /** As it was given. Undefined: it has none. */
  readonly name: string | undefined;
  /** The name in the catalogue, or the kind of the reply. */
  readonly reply: string;
  readonly on: string;
  /** How many requests it has changed. */
  readonly served: number;
  /** How long it lasts, in milliseconds. Undefined: until it is removed. */
  readonly endsInMs: number | undefined;
  /** How many more times it happens. Undefined: any number. */
  readonly timesLeft: number | undefined;
}

/** A fault that is due, with its name in the catalogue or its kind. */
export interface DueFault {
  readonly name: string;
  readonly reply: FaultReply;
}

interface Armed {
  readonly fault: Fault;
  readonly due: DueFault;
  readonly addedAtMs: number;
  seen: number;
  served: number;
}

/** The active faults. The first that is due wins; the others count the request too. */
export class FaultPlan {
  #armed: Armed[] = [];

  /** Throws a sentence, and adds none, if the name or the kind of a fault is unknown. */
  add(faults: readonly Fault[], nowMs: number): void {
    const armed = faults.map((fault) => ({ fault, due: dueOf(fault), addedAtMs: nowMs, seen: 0, served: 0 }));
    this.#armed.push(...armed);
  }

  /** Removes the faults of this name, or all of them. */
  clear(name?: string): void {
    this.#armed = name === undefined ? [] : this.#armed.filter(({ fault }) => fault.name !== name);
  }

  /** The faults that can still happen, in the order in which they were added. */
  active(nowMs: number): ActiveFault[] {
    return this.#armed
      .filter((armed) => !isOver(armed, nowMs))
      .map(({ fault, due, served, addedAtMs }) => ({
        name: fault.name,
        reply: due.name,
        on: fault.on,
        served,
        endsInMs: fault.toMs === undefined ? undefined : addedAtMs + fault.toMs - nowMs,
        timesLeft: fault.times === undefined ? undefined : fault.times - served,
      }));
  }

  /** Counts a request and returns the fault for it. */
  next(endpoint: Endpoint | undefined, url: string, nowMs: number): DueFault | undefined {
    let chosen: DueFault | undefined;
    for (const armed of this.#armed) {
      if (!matches(armed.fault.on, endpoint, url)) continue;
      const wasOver = isOver(armed, nowMs);
      armed.seen += 1;
      if (chosen !== undefined || wasOver || !isDue(armed)) continue;
      armed.served += 1;
      chosen = armed.due;
    }
    return chosen;
  }
}

function isOver({ fault, seen, served, addedAtMs }: Armed, nowMs: number): boolean {
  const { times = Infinity, toMs = Infinity, nth = Infinity } = fault;
  return served >= times || seen >= Math.max(...[nth].flat()) || nowMs - addedAtMs >= toMs;
}

function isDue({ fault, seen }: Armed): boolean {
  if (fault.nth !== undefined) return [fault.nth].flat().includes(seen);
  if (fault.every !== undefined) return seen % fault.every === 0;
  if (fault.rate !== undefined) return share(fault.seed ?? 1, seen, 31) < fault.rate;
  return true;
}

function dueOf({ on, reply }: Fault): DueFault {
  new RegExp(on);
  if (typeof reply === "string") {
    if (!Object.hasOwn(FAULT_CATALOGUE, reply)) throw new Error(`No fault is called "${reply}".`);
    return { name: reply, reply: FAULT_CATALOGUE[reply] };
  }
  assertKind(reply);
  return { name: reply.kind, reply };
}

function matches(on: string, endpoint: Endpoint | undefined, url: string): boolean {
  if (on === "any") return true;
  return ENDPOINTS.some((name) => name === on) ? endpoint === on : new RegExp(on).test(url);
}
