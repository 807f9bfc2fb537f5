import type { Collected, Dataset, Removal } from "../data/dataset.ts";
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
  /** Only in this period, in milliseconds of the clock since the fault was added. `toMs` is excluded. */
  readonly fromMs?: number;
  readonly toMs?: number;
  /** Only requests for a `next_url` that the service sent, or only the others. Default: both. */
  readonly page?: "first" | "continuation";
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

/** A fault that is due, with the name under which it is counted. */
export interface DueFault {
  readonly name: string;
  readonly reply: FaultReply;
}

interface Armed {
  readonly fault: Fault;
  readonly due: DueFault;
  readonly matches: (endpoint: Endpoint | undefined, url: string) => boolean;
  readonly addedAtMs: number;
  seen: number;
  served: number;
}

/** The active faults. The first that is due wins; the others count the request too. */
export class FaultPlan {
  #armed: Armed[] = [];
  /** Links that the service sent, kept only while a fault depends on them. */
  readonly #links = new Set<string>();

  /** Throws a sentence, and adds none, if the name or the kind of a fault is unknown. */
  add(faults: readonly Fault[], nowMs: number): void {
    this.#armed.push(...faults.map((fault) => arm(fault, nowMs)));
  }

  /** Removes the faults of this name, or all of them. */
  clear(name?: string): void {
    this.#armed = name === undefined ? [] : this.#armed.filter(({ fault }) => fault.name !== name);
    if (this.#armed.length === 0) this.#links.clear();
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

  /** Remembers that a page linked to this path and query, if a fault depends on it. */
  linked(url: string): void {
    if (this.#armed.some(({ fault }) => fault.page !== undefined)) this.#links.add(url);
  }

  /** Counts a request and returns the fault for it. */
  next(endpoint: Endpoint | undefined, url: string, nowMs: number): DueFault | undefined {
    let chosen: DueFault | undefined;
    for (const armed of this.#armed) {
      const { page, times = Infinity } = armed.fault;
      if (!armed.matches(endpoint, url)) continue;
      if (page !== undefined && this.#links.has(url) !== (page === "continuation")) continue;
      armed.seen += 1;
      if (chosen !== undefined || armed.served >= times || !isDue(armed, nowMs)) continue;
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

function isDue({ fault, seen, addedAtMs }: Armed, nowMs: number): boolean {
  const { fromMs = -Infinity, toMs = Infinity } = fault;
  const sinceMs = nowMs - addedAtMs;
  if (sinceMs < fromMs || sinceMs >= toMs) return false;
  if (fault.nth !== undefined) return [fault.nth].flat().includes(seen);
  if (fault.every !== undefined) return seen % fault.every === 0;
  if (fault.rate !== undefined) return share(fault.seed ?? 1, seen, 31) < fault.rate;
  return true;
}

function arm(fault: Fault, addedAtMs: number): Armed {
  return { fault, due: dueOf(fault.reply), matches: matcher(fault.on), addedAtMs, seen: 0, served: 0 };
}

function dueOf(reply: Fault["reply"]): DueFault {
  if (typeof reply !== "string") {
    assertKind(reply);
    return { name: reply.kind, reply };
  }
  if (!Object.hasOwn(FAULT_CATALOGUE, reply)) throw new Error(`No fault is called "${reply}".`);
  return { name: reply, reply: FAULT_CATALOGUE[reply] };
}

function matcher(on: string): Armed["matches"] {
  if (on === "any") return () => true;
  if (ENDPOINTS.some((endpoint) => endpoint === on)) return (endpoint) => endpoint === on;
  const pattern = new RegExp(on);
  return (_, url) => pattern.test(url);
}

/** A change of the data itself. */
export type DataChange =
  | { readonly collect: { readonly surveyId: string; readonly responses: Collected } }
  | { readonly remove: Removal };

/** A change that happens once, right after this many requests were answered. The next request sees it. */
export interface DataEvent {
  readonly afterRequest: number;
  /** Counts only requests to this endpoint. Default: all requests, refused ones included. */
  readonly on?: Endpoint;
  readonly change: DataChange;
}

/** Changes the data. */
export function apply(dataset: Dataset, change: DataChange): void {
  if ("collect" in change) dataset.collect(change.collect.surveyId, change.collect.responses);
  else dataset.remove(change.remove);
}

/** The events that have not happened yet. Each counts the requests since it was added. */
export class EventPlan {
  #waiting: { readonly event: DataEvent; seen: number }[] = [];

  add(events: readonly DataEvent[]): void {
    this.#waiting.push(...events.map((event) => ({ event, seen: 0 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Counts an answered request. Returns the changes that are due after it, in the order in which they were added. */
  answered(endpoint: Endpoint | undefined): DataChange[] {
    if (this.#waiting.length === 0) return [];
    for (const waiting of this.#waiting) {
      if (waiting.event.on === undefined || waiting.event.on === endpoint) waiting.seen += 1;
    }
    const due = this.#waiting.filter(({ event, seen }) => seen >= event.afterRequest);
    if (due.length > 0) this.#waiting = this.#waiting.filter((waiting) => !due.includes(waiting));
    return due.map(({ event }) => event.change);
  }
}
