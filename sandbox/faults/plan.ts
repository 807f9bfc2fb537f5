import { ENDPOINTS, type Endpoint } from "../http/request.ts";
import { FAULT_CATALOGUE, type FaultName } from "./catalogue.ts";
import { type FaultReply, hasKind } from "./kinds.ts";

/** When and how the service fails. Give at most one of `nth` and `every`; without them, it always fails. */
export interface Fault {
  /** An endpoint's name, `any`, or a regular expression for the path and query below the origin. */
  readonly on: Endpoint | "any" | (string & {});
  /** Which of the matching requests, counted from 1 since the fault was added. */
  readonly nth?: number | readonly number[];
  readonly every?: number;
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

interface Armed {
  readonly fault: Fault;
  /** The name in the catalogue, or the kind of the reply. */
  readonly name: string;
  readonly reply: FaultReply;
  readonly addedAtMs: number;
  seen: number;
  served: number;
}

/** The faults of a service. The first that is due wins; the others count the request too. */
export class FaultPlan {
  #armed: Armed[] = [];

  /** Throws a sentence, and adds none, if the name or the kind of a fault is unknown. */
  add(faults: readonly Fault[], nowMs: number): void {
    this.#armed.push(...faults.map((fault) => armed(fault, nowMs)));
  }

  /** Removes the faults of this name, or all of them. */
  clear(name?: string): void {
    this.#armed = name === undefined ? [] : this.#armed.filter(({ fault }) => fault.name !== name);
  }

  /** The faults that can still happen, in the order in which they were added. */
  active(nowMs: number): ActiveFault[] {
    return this.#armed
      .filter((one) => !isOver(one, nowMs))
      .map(({ fault: { name, on, times, toMs }, name: reply, served, addedAtMs }) => ({
        name,
        reply,
        on,
        served,
        endsInMs: toMs === undefined ? undefined : addedAtMs + toMs - nowMs,
        timesLeft: times === undefined ? undefined : times - served,
      }));
  }

  /** Counts a request and returns the fault for it, with its name in the catalogue or its kind. */
  next(
    endpoint: Endpoint | undefined,
    url: string,
    nowMs: number,
  ): { readonly name: string; readonly reply: FaultReply } | undefined {
    let due: Armed | undefined;
    for (const one of this.#armed) {
      if (!matches(one.fault.on, endpoint, url)) continue;
      const wasOver = isOver(one, nowMs);
      one.seen += 1;
      if (due !== undefined || wasOver || !isDue(one)) continue;
      one.served += 1;
      due = one;
    }
    return due;
  }
}

function armed(fault: Fault, addedAtMs: number): Armed {
  const { on, reply } = fault;
  new RegExp(on);
  const counts = { addedAtMs, seen: 0, served: 0 };
  if (typeof reply !== "string" && hasKind(reply)) return { fault, name: reply.kind, reply, ...counts };
  const name = String(reply);
  if (typeof reply !== "string" || !Object.hasOwn(FAULT_CATALOGUE, name)) {
    throw new Error(
      `No fault is called "${name}"; give a name from the catalogue, or an object with a kind.`,
    );
  }
  return { fault, name, reply: FAULT_CATALOGUE[reply], ...counts };
}

function isOver({ fault, seen, served, addedAtMs }: Armed, nowMs: number): boolean {
  const { times = Infinity, toMs = Infinity, nth = Infinity } = fault;
  return served >= times || seen >= Math.max(...[nth].flat()) || nowMs - addedAtMs >= toMs;
}

function isDue({ fault, seen }: Armed): boolean {
  if (fault.nth !== undefined) return [fault.nth].flat().includes(seen);
  if (fault.every !== undefined) return seen % fault.every === 0;
  return true;
}

function matches(on: string, endpoint: Endpoint | undefined, url: string): boolean {
  if (on === "any") return true;
  return ENDPOINTS.some((name) => name === on) ? endpoint === on : new RegExp(on).test(url);
}
