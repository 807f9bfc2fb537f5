import type { ResponseInput } from "../data/given.ts";
import type { RespondentInput } from "../data/people.ts";
import type { CollectedCount, Removal, World } from "../data/world.ts";
import type { Endpoint } from "../http/exchange.ts";

/** A change of the data itself. */
export type DataChange =
  | {
      readonly collect: {
        readonly surveyId: string;
        readonly responses: readonly ResponseInput[] | CollectedCount;
      };
    }
  | { readonly remove: Removal }
  | { readonly describe: RespondentInput };

/** A change that happens once, right after so many requests were answered: the next one sees it. */
export interface DataEvent {
  readonly afterRequest: number;
  /** Counts only requests to this endpoint. Default: all, whatever came of them. */
  readonly on?: Endpoint;
  readonly change: DataChange;
}

/** Changes the data now. */
export function apply(world: World, change: DataChange): void {
  if ("collect" in change) world.collect(change.collect.surveyId, change.collect.responses);
  else if ("remove" in change) world.remove(change.remove);
  else world.describe(change.describe);
}

/** The events to come, each with its count of requests from the moment it was planned. */
export class EventPlan {
  #waiting: { readonly event: DataEvent; seen: number }[] = [];

  add(events: readonly DataEvent[]): void {
    this.#waiting.push(...events.map((event) => ({ event, seen: 0 })));
  }

  clear(): void {
    this.#waiting = [];
  }

  /** Counts an answered request and returns the changes that are due after it, in the order planned. */
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
